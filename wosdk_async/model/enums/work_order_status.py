"""The enum WorkOrderStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WorkOrderStatus(OpenEnum):
    """Values of ``WorkOrderStatus``. A peer client lists Closed and Attention too; neither is in the schemas.
    Sources: spec, wsdl, peer.
    """

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
