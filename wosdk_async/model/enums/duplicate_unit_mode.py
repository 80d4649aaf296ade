"""The enum DuplicateUnitMode.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class DuplicateUnitMode(OpenEnum):
    """Values of ``DuplicateUnitMode``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    Fail = "Fail"
    """Reject when the unit exists."""
    Reuse = "Reuse"
    """Use the existing unit."""
    Ignore = "Ignore"
    """Do not check; default of the command."""
