"""The enum WoCostLineType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WoCostLineType(OpenEnum):
    """Values of ``WoCostLineType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Cost = "Cost"
    Vendor = "Vendor"
    ServiceFee = "ServiceFee"
