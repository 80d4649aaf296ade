"""The enum QuoteStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class QuoteStatus(OpenEnum):
    """Values of ``QuoteStatus``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    NotSubmitted = "NotSubmitted"
    """Obsolete state."""
    Requested = "Requested"
    WaitingForApproval = "WaitingForApproval"
    Approved = "Approved"
    Rejected = "Rejected"
    InProposal = "InProposal"
    """Reserved state."""
