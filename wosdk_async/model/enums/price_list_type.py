"""The enum PriceListType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class PriceListType(OpenEnum):
    """Values of ``PriceListType``. Sources: wsdl, peer."""

    Customer = "Customer"
    Vendor = "Vendor"
