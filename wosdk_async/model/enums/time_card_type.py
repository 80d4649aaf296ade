"""The enum TimeCardType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class TimeCardType(OpenEnum):
    """Values of ``TimeCardType``. Uknown is spelled so on the wire. Sources: wsdl, peer."""

    Uknown = "Uknown"
    Clock = "Clock"
    Manual = "Manual"
    WoLabor = "WoLabor"
    Allowance = "Allowance"
