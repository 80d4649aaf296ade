"""The enum WOStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WOStatus(OpenEnum):
    """Values of ``WOStatus``. Same names as WorkOrderStatus; used by commands. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Open = "Open"
    """Picked up."""
    Paused = "Paused"
    """Work is interrupted."""
    Cancelled = "Cancelled"
    """Called off; needs a reason."""
    New = "New"
    """Created, not picked up."""
    OnHold = "OnHold"
    """Waiting for something; needs a reason."""
    InProgress = "InProgress"
    """Work has started."""
    Completed = "Completed"
    """Work is done."""
