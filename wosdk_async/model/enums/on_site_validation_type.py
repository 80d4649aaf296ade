"""The enum OnSiteValidationType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class OnSiteValidationType(OpenEnum):
    """Values of ``OnSiteValidationType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Barcode = "Barcode"
    Gps = "Gps"
    Ivr = "Ivr"
