"""The enum JurisdictionType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class JurisdictionType(OpenEnum):
    """Values of ``JurisdictionType``. Sources: wsdl, peer."""

    Country = "Country"
    Composite = "Composite"
    State = "State"
    County = "County"
    City = "City"
    Special = "Special"
