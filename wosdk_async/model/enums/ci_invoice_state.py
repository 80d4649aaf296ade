"""The enum CiInvoiceState.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CiInvoiceState(OpenEnum):
    """Values of ``CiInvoiceState``. Sources: wsdl, peer."""

    Draft = "Draft"
    Posted = "Posted"
    Credit = "Credit"
    CreditUsed = "CreditUsed"
    Paid = "Paid"
    PaidInFull = "PaidInFull"
    Approved = "Approved"
