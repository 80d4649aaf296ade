"""The enum MhOrderStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class MhOrderStatus(OpenEnum):
    """Values of ``MhOrderStatus``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Pending = "Pending"
    OnOrder = "OnOrder"
    Shipped = "Shipped"
    Received = "Received"
    Partial = "Partial"
    Cancelled = "Cancelled"
