"""The enum LsNoteAccess.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class LsNoteAccess(OpenEnum):
    """Values of ``LsNoteAccess``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    NONE = "None"
    View = "View"
    AddEdit = "AddEdit"
