"""The enum TaxValidationStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class TaxValidationStatus(OpenEnum):
    """Values of ``TaxValidationStatus``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    NONE = "None"
    Success = "Success"
    Failure = "Failure"
    Provider = "Provider"
