"""The enum BillStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class BillStatus(OpenEnum):
    """Values of ``BillStatus``. Bit mask in the source; names joined by underscores are combinations.
    Sources: spec, wsdl, peer.
    """

    NotBilled = "NotBilled"
    ReadyToBeBilled = "ReadyToBeBilled"
    Billed = "Billed"
    ReadyToBeBilled_Billed = "ReadyToBeBilled_Billed"
    BilledAndModified = "BilledAndModified"
    ReadyToBeBilled_BilledAndModified = "ReadyToBeBilled_BilledAndModified"
    Billed_BilledAndModified = "Billed_BilledAndModified"
    ReadyToBeBilled_Billed_BilledAndModified = "ReadyToBeBilled_Billed_BilledAndModified"
