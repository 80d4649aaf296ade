"""The enum TimeCardAction.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class TimeCardAction(OpenEnum):
    """Values of ``TimeCardAction``. Uknown is spelled so on the wire. Sources: wsdl, peer."""

    Uknown = "Uknown"
    Flag = "Flag"
    Submit = "Submit"
    Approve = "Approve"
    Export = "Export"
    ClearFlag = "ClearFlag"
    UnSubmit = "UnSubmit"
    UnApprove = "UnApprove"
    UnExport = "UnExport"
    ReadyForExport = "ReadyForExport"
    NotReadyForExport = "NotReadyForExport"
