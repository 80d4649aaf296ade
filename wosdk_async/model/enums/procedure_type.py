"""The enum ProcedureType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ProcedureType(OpenEnum):
    """Values of ``ProcedureType``. Sources: wsdl, peer."""

    Regular = "Regular"
    Legacy = "Legacy"
    WON = "WON"
