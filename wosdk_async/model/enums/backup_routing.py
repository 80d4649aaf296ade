"""The enum BackupRouting.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class BackupRouting(OpenEnum):
    """Values of ``BackupRouting``. Sources: wsdl, peer."""

    Unassigned = "Unassigned"
    OnCall = "OnCall"
    Default = "Default"
