"""The enum PortfolioType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class PortfolioType(OpenEnum):
    """Values of ``PortfolioType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Grouping = "Grouping"
    Primary = "Primary"
