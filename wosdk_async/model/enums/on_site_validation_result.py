"""The enum OnSiteValidationResult.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class OnSiteValidationResult(OpenEnum):
    """Values of ``OnSiteValidationResult``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Unverified = "Unverified"
    Invalid = "Invalid"
    Valid = "Valid"
