"""The enum VendorType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class VendorType(OpenEnum):
    """Values of ``VendorType``. Sources: wsdl, peer."""

    Editable = "Editable"
    NonEditable = "NonEditable"
    Hidden = "Hidden"
    UseVendorPrLst = "UseVendorPrLst"
