"""The enum CostState.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class CostState(OpenEnum):
    """Values of ``CostState``. Sources: spec, wsdl, peer."""

    Pending = "Pending"
    """Not submitted."""
    Submitted = "Submitted"
    """Submitted."""
    Approved = "Approved"
    """Approved."""
    Exported = "Exported"
    """Exported."""
