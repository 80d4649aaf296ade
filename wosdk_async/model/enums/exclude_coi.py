"""The enum ExcludeCoi.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ExcludeCoi(OpenEnum):
    """Values of ``ExcludeCoi``. Sources: spec, wsdl, peer."""

    InheritGlobalSettings = "InheritGlobalSettings"
    """Company-wide setting applies."""
    No = "No"
    ExcludeAndBlock = "ExcludeAndBlock"
    """Left out and blocked."""
    ExcludeAndWarn = "ExcludeAndWarn"
    """Left out with a warning."""
