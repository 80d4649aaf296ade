"""The enum DraftProcessStep.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class DraftProcessStep(OpenEnum):
    """Values of ``DraftProcessStep``. Sources: doc, wsdl, peer."""

    NA = "NA", 0
    """Invoice is not a draft."""
    Pending = "Pending", 1
    """Draft, first step."""
    ReadyToPost = "ReadyToPost", 2
    """Waits for the posting job."""
    FailedTax = "FailedTax", 3
    """Tax calculation failed."""
    FailedPost = "FailedPost", 4
    """Posting failed."""
    Disputed = "Disputed", 5
    """Requestor refused it."""
    Recalled = "Recalled", 6
    """Provider took it back."""
