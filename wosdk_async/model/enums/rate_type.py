"""The enum RateType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class RateType(OpenEnum):
    """Values of ``RateType``. Sources: wsdl, peer."""

    Fixed = "Fixed"
    Amount = "Amount"
    Percentage = "Percentage"
