"""The enum WoEquipmentType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WoEquipmentType(OpenEnum):
    """Values of ``WoEquipmentType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    New = "New"
    Known = "Known"
    NotRelated = "NotRelated"
