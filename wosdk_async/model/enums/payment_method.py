"""The enum PaymentMethod.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class PaymentMethod(OpenEnum):
    """Values of ``PaymentMethod``. Sources: wsdl, peer."""

    Check = "Check"
    Cash = "Cash"
    CreditCard = "CreditCard"
    EFT = "EFT"
    AccountCredit = "AccountCredit"
