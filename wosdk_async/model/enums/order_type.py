"""The enum OrderType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class OrderType(OpenEnum):
    """Values of ``OrderType``. Sources: wsdl, peer."""

    Ascending = "Ascending"
    """Lowest first."""
    Descending = "Descending"
    """Highest first."""
