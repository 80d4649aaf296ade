"""The enum DistanceUnit.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class DistanceUnit(OpenEnum):
    """Values of ``DistanceUnit``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Kilometer = "Kilometer"
    Mile = "Mile"
