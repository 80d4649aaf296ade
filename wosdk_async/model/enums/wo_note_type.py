"""The enum WONoteType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WONoteType(OpenEnum):
    """Values of ``WONoteType``. 1 for Completion is reported in the specification; other numbers not
    documented. Sources: wsdl, peer.
    """

    Unknown = "Unknown"
    Completion = "Completion", 1
    """Completion note; one per work order."""
    Public = "Public"
    """Seen by all parties."""
    Private = "Private"
    """Internal only."""
