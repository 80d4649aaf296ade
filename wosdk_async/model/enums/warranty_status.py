"""The enum WarrantyStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WarrantyStatus(OpenEnum):
    """Values of ``WarrantyStatus``. Sources: wsdl, peer."""

    NONE = "None"
    Expired = "Expired"
    Active = "Active"
