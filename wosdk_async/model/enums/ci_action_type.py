"""The enum CiActionType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CiActionType(OpenEnum):
    """Values of ``CiActionType``. Sources: wsdl, peer."""

    Created = "Created"
    TaxComputed = "TaxComputed"
    Posted = "Posted"
    Paid = "Paid"
    PaymentSubmitted = "PaymentSubmitted"
    Disputed = "Disputed"
    Approved = "Approved"
    DocumentAttached = "DocumentAttached"
    Recalled = "Recalled"
    ManuallySent = "ManuallySent"
