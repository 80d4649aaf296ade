"""The enum ChangeAssignmentMode.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ChangeAssignmentMode(OpenEnum):
    """Values of ``ChangeAssignmentMode``. Sources: wsdl, peer."""

    Primary = "Primary"
    """Set the primary assignee."""
    AddSecondary = "AddSecondary"
    """Add helpers."""
    RemoveSecondary = "RemoveSecondary"
    """Remove helpers."""
    Snapshot = "Snapshot"
    """Replace all; first one becomes primary."""
