"""The enum PaymentState.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class PaymentState(OpenEnum):
    """Values of ``PaymentState``. Sources: wsdl, peer."""

    Draft = "Draft"
    Credit = "Credit"
    Posted = "Posted"
