"""The enum ProcedureStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ProcedureStatus(OpenEnum):
    """Values of ``ProcedureStatus``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Open = "Open"
    NA = "NA"
    Done = "Done"
