"""The enum StreetAddrType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class StreetAddrType(OpenEnum):
    """Values of ``StreetAddrType``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    Alt = "Alt"
    Primary = "Primary"
    Home = "Home"
