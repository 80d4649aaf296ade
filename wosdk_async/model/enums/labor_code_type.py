"""The enum LaborCodeType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class LaborCodeType(OpenEnum):
    """Values of ``LaborCodeType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Time = "Time"
    Allowance = "Allowance"
