"""The enum ContactAddrType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ContactAddrType(OpenEnum):
    """Values of ``ContactAddrType``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    PrimPhone = "PrimPhone"
    PrimEmail = "PrimEmail"
    AltPhone = "AltPhone"
    Pager = "Pager"
    EmergencyEMail = "EmergencyEMail"
    EmergencyPhone = "EmergencyPhone"
    AltEmail = "AltEmail"
    EMail1 = "EMail1"
    EMail2 = "EMail2"
    EMail3 = "EMail3"
    HomePhone = "HomePhone"
    OfficePhone = "OfficePhone"
    MobilePhone = "MobilePhone"
    WAP = "WAP"
    Fax = "Fax"
    Contact = "Contact"
    Website = "Website"
    CssEmail = "CssEmail"
    CssPhone = "CssPhone"
