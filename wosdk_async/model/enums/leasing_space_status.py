"""The enum LeasingSpaceStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class LeasingSpaceStatus(OpenEnum):
    """Values of ``LeasingSpaceStatus``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    Historical = "Historical"
    """Past occupancy."""
    Current = "Current"
    """Present occupancy."""
    OnNotice = "OnNotice"
    """Leaving soon."""
    Pending = "Pending"
    """Not started."""
