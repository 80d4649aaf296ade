"""The enum AssetType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class AssetType(OpenEnum):
    """Values of ``AssetType``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    Regular = "Regular"
    Building = "Building"
    Unit = "Unit"
    Community = "Community"
    RoomArea = "RoomArea"
    Floor = "Floor"
    Utility = "Utility"
    Equipment = "Equipment"
