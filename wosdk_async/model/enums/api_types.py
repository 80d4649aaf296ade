"""The enum ApiTypes.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ApiTypes(OpenEnum):
    """Values of ``ApiTypes``. Sources: spec, peer."""

    SOAP = "SOAP"
    """XML interface."""
    REST = "REST"
    """JSON interface."""
