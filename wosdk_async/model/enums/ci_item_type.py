"""The enum CiItemType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CiItemType(OpenEnum):
    """Values of ``CiItemType``. Sources: doc, wsdl, peer."""

    WorkOrder = "WorkOrder", 0
    """Made from a work order cost line."""
    GroupHeader = "GroupHeader", 1
    """Heads a contract group."""
    GroupChild = "GroupChild", 2
    """Work order within a contract group."""
    NONE = "None", 3
    """Added by hand, no work order."""
