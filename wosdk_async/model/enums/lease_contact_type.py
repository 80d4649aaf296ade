"""The enum LeaseContactType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class LeaseContactType(OpenEnum):
    """Values of ``LeaseContactType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Alternate = "Alternate"
    Emergency = "Emergency"
    Primary = "Primary"
