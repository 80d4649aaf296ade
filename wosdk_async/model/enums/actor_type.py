"""The enum ActorType.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ActorType(OpenEnum):
    """Values of ``ActorType``. 29 and 30 are deduced from the class help of PaymentItem.ObjectTypeId; other
    numbers not documented. Sources: spec, doc, wsdl, peer.
    """

    Unknown = "Unknown"
    Employee = "Employee"
    Occupancy = "Occupancy"
    CorrigoNet = "CorrigoNet"
    Resident = "Resident"
    CommLease = "CommLease"
    CommLeaseSpace = "CommLeaseSpace"
    Property = "Property"
    Portfolio = "Portfolio"
    LeaseGroup = "LeaseGroup"
    LeaseUser = "LeaseUser"
    Supplier = "Supplier"
    Asset = "Asset"
    WO = "WO"
    Org = "Org"
    Warranty = "Warranty"
    WOPrintout = "WOPrintout"
    Team = "Team"
    CompanyProp = "CompanyProp"
    WOAction = "WOAction"
    Landmark = "Landmark"
    Provider = "Provider"
    ReportTimeSet = "ReportTimeSet"
    TenantCoi = "TenantCoi"
    Model = "Model"
    Theme = "Theme"
    CustomerInvoice = "CustomerInvoice", 29
    Payment = "Payment", 30
    MhLocation = "MhLocation"
    MhProduct = "MhProduct"
    PmRmTemplate = "PmRmTemplate"
    Document = "Document"
    WoProxy = "WoProxy"
    Proposal = "Proposal"
    PlWoItem = "PlWoItem"
    Insurance = "Insurance"
    InvTemplate = "InvTemplate"
    ReportSubscription = "ReportSubscription"
    Requestor = "Requestor"
    ProcTemplateStep = "ProcTemplateStep"
    Procedure = "Procedure"
    MhOrder = "MhOrder"
    AssetSystem = "AssetSystem"
    WorkTemplate = "WorkTemplate"
    WtWoProxy = "WtWoProxy"
    Incident = "Incident"
    Visit = "Visit"
    DutyType = "DutyType"
    Estimate = "Estimate"
    Quote = "Quote"
