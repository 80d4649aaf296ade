"""The enum UIType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class UIType(OpenEnum):
    """Values of ``UIType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    Corp = "Corp"
    CallCenter = "CallCenter"
    Wireless = "Wireless"
    Resident = "Resident"
    Monitor = "Monitor"
    System = "System"
    IVR = "IVR"
    Offline = "Offline"
    IntegrationWS = "IntegrationWS"
    WON = "WON"
    WonRequestor = "WonRequestor"
    CustomerPortalApp = "CustomerPortalApp"
    JetApp = "JetApp"
    OTHER = "OTHER"
