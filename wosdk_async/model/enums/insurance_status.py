"""The enum InsuranceStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class InsuranceStatus(OpenEnum):
    """Values of ``InsuranceStatus``. Sources: wsdl, peer."""

    NONE = "None"
    Expired = "Expired"
    ExpiringSoon = "ExpiringSoon"
    Current = "Current"
