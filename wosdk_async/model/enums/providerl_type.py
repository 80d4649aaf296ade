"""The enum ProviderlType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ProviderlType(OpenEnum):
    """Values of ``ProviderlType``. Class name is spelled so in the schemas. Sources: wsdl, peer."""

    Regular = "Regular"
    Supplier = "Supplier"
    Landlord = "Landlord"
