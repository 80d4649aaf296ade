"""The enum BillingRule.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class BillingRule(OpenEnum):
    """Values of ``BillingRule``. Sources: spec, doc, wsdl, peer."""

    Unknown = "Unknown", 0
    VendorAndServiceFee = "VendorAndServiceFee", 1
    """Vendor invoice and fees."""
    Contract = "Contract", 2
    """As the contract says."""
    NotBilled = "NotBilled", 3
    """Nothing is billed."""
    ServiceFee = "ServiceFee", 4
    """Fees only."""
    All = "All", 5
    """Vendor invoice, costs and fees."""
    CostsAndFees = "CostsAndFees", 6
    """Costs and fees."""
    ApprovedEstimate = "ApprovedEstimate", 7
    """The approved estimate."""
