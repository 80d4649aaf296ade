"""The enum WoRating.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WoRating(OpenEnum):
    """Values of ``WoRating``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    NotVerified = "NotVerified"
    """Not rated."""
    Negative = "Negative"
    """Bad work."""
    Neutral = "Neutral"
    """Acceptable work."""
    Positive = "Positive"
    """Good work."""
    NotCompleted = "NotCompleted"
    """Work was not done."""
