"""The enum PTEType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class PTEType(OpenEnum):
    """Values of ``PTEType``. Sources: spec, wsdl, peer."""

    Unknown = "Unknown"
    PTE = "PTE"
    """Permission to enter given."""
    Appointment = "Appointment"
    """Appointment needed."""
    CallFirst = "CallFirst"
    """Call before coming."""
    NotApplicable = "NotApplicable"
    """No access rule."""
