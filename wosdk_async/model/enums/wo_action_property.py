"""The enum WOActionProperty.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class WOActionProperty(OpenEnum):
    """Values of ``WOActionProperty``. Sources: wsdl, peer."""

    Unknown = "Unknown"
    FlagId = "FlagId"
    SignedBy = "SignedBy"
    SignedEmail = "SignedEmail"
    CostStatusId = "CostStatusId"
    CostStatus = "CostStatus"
    Rating = "Rating"
    ItemAdded = "ItemAdded"
    ItemRemoved = "ItemRemoved"
    AssignmentRemoved = "AssignmentRemoved"
    AssignmentAdded = "AssignmentAdded"
    InvoiceId = "InvoiceId"
    ApInvoiceId = "ApInvoiceId"
    ApInvoiceName = "ApInvoiceName"
    ByContactId = "ByContactId"
    ScanType = "ScanType"
    CustomerAdded = "CustomerAdded"
    CustomerRemoved = "CustomerRemoved"
    TriggerEventId = "TriggerEventId"
    PrevWoStatus = "PrevWoStatus"
    MsgAddressedTo = "MsgAddressedTo"
    MsgAddress = "MsgAddress"
    ApptWindowStart = "ApptWindowStart"
    ApptWindowEnd = "ApptWindowEnd"
    UiSubType = "UiSubType"
    ProviderNotCompliant = "ProviderNotCompliant"
    IntValues = "IntValues"
    RequestorWorkZoneId = "RequestorWorkZoneId"
    """In the 2023 OpenAPI description only."""
    RequestorCustomerId = "RequestorCustomerId"
    """In the 2023 OpenAPI description only."""
    InitialReasonID = "InitialReasonID"
    """In the 2023 OpenAPI description only."""
    RequestorWorkZoneNumber = "RequestorWorkZoneNumber"
    """In the 2023 OpenAPI description only."""
    RequestorWorkZoneName = "RequestorWorkZoneName"
    """In the 2023 OpenAPI description only."""
