"""The enum ApState.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ApState(OpenEnum):
    """Values of ``ApState``. Spec names Submitted as a standard payable status; statuses are Company records
    (ApInvoiceStatus), states are this fixed list. Sources: spec, wsdl, peer.
    """

    NONE = "None"
    """No vendor invoice yet."""
    Received = "Received"
    """Invoice came in."""
    Paid = "Paid"
    """Paid."""
    Waiting = "Waiting"
    Authorized = "Authorized"
    """Cleared for payment."""
    Exported = "Exported"
    """Sent to accounting."""
    Disputed = "Disputed"
    """Refused, under discussion."""
