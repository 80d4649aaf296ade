"""The enum BillToTypeRule.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class BillToTypeRule(OpenEnum):
    """Values of ``BillToTypeRule``. Sources: spec, wsdl, peer."""

    NONE = "None"
    LogicDisabled = "LogicDisabled"
    WoDisabled = "WoDisabled"
