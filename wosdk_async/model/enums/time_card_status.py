"""The enum TimeCardStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class TimeCardStatus(OpenEnum):
    """Values of ``TimeCardStatus``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Pending = "Pending"
    Submitted = "Submitted"
    Approved = "Approved"
    Exported = "Exported"
    ReadyForExport = "ReadyForExport"
