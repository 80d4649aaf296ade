"""The enum CostCategory.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CostCategory(OpenEnum):
    """Values of ``CostCategory``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Labor = "Labor"
    Material = "Material"
    Misc = "Misc"
    Vendor = "Vendor"
    SpotPurchase = "SpotPurchase"
    AddCharges = "AddCharges"
    Services = "Services"
    Shipping = "Shipping"
    Adjustments = "Adjustments"
    Tax = "Tax"
