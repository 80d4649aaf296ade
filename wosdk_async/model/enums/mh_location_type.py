"""The enum MhLocationType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class MhLocationType(OpenEnum):
    """Values of ``MhLocationType``. Sources: wsdl, peer."""

    Other = "Other"
    Garage = "Garage"
    Basement = "Basement"
    Closet = "Closet"
    Warehouse = "Warehouse"
    StoreRoom = "StoreRoom"
    Truck = "Truck"
    Cylinder = "Cylinder"
