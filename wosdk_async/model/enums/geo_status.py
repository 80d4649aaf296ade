"""The enum GeoStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class GeoStatus(OpenEnum):
    """Values of ``GeoStatus``. Sources: wsdl, peer."""

    NONE = "None"
    Failed = "Failed"
    Protected = "Protected"
