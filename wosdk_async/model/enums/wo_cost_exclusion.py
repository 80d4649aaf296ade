"""The enum WoCostExclusion.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WoCostExclusion(OpenEnum):
    """Values of ``WoCostExclusion``. Sources: doc, wsdl, peer."""

    NONE = "None", 0
    """Nothing left out."""
    Item = "Item", 1
    """Leaves out the same dictionary item."""
    Category = "Category", 2
    """Leaves out the same cost category."""
    Min = "Min", 3
    """Sets a minimum for the category."""
