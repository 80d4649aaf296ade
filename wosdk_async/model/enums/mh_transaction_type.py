"""The enum MhTransactionType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class MhTransactionType(OpenEnum):
    """Values of ``MhTransactionType``. Sources: wsdl, peer."""

    Other = "Other"
    Receive = "Receive"
    UseInService = "UseInService"
    Issue = "Issue"
    Adjust = "Adjust"
    Return = "Return"
    Transfer = "Transfer"
    Remove = "Remove"
