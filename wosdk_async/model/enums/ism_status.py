"""The enum IsmStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class IsmStatus(OpenEnum):
    """Values of ``IsmStatus``. Sources: spec, wsdl, peer."""

    NotApplicable = "NotApplicable"
    NotRequired = "NotRequired"
    """No check needed."""
    Passed = "Passed"
    """Check passed."""
    PassedManual = "PassedManual"
    """Marked as passed by hand."""
    Waiting = "Waiting"
    """Check not started."""
    Started = "Started"
    """Check under way."""
