"""The enum TurnStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class TurnStatus(OpenEnum):
    """Values of ``TurnStatus``. Sources: wsdl, peer."""

    Pending = "Pending"
    Failed = "Failed"
    Done = "Done"
