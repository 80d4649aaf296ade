"""The enum PrintoutStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class PrintoutStatus(OpenEnum):
    """Values of ``PrintoutStatus``. Sources: wsdl, peer."""

    NotValidated = "NotValidated"
    Valid = "Valid"
    Invalid = "Invalid"
