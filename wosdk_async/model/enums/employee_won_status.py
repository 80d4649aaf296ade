"""The enum EmployeeWonStatus.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class EmployeeWonStatus(OpenEnum):
    """Values of ``EmployeeWonStatus``. Sources: wsdl, peer."""

    NA = "NA"
    NotConnected = "NotConnected"
    Suspended = "Suspended"
    Connected = "Connected"
    Invited = "Invited"
