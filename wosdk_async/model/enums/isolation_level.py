"""The enum IsolationLevel.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class IsolationLevel(OpenEnum):
    """Values of ``IsolationLevel``. Class name in the SOAP schema; sent as an HTTP header. Sources: doc,
    wsdl.
    """

    Default = "Default", 0
    """Same as ReadCommitted."""
    ReadUncommitted = "ReadUncommitted"
    ReadCommitted = "ReadCommitted"
    Snapshot = "Snapshot"
