"""All enums of the service.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model.open_enum import OpenEnum


class ActorType(OpenEnum):
    """Values of ``ActorType``. Numbers 29 and 30 are deduced from the class help of PaymentItem.ObjectTypeId;
    others are not documented.
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


class AlertType(OpenEnum):
    """Values of ``AlertType``."""

    Unknown = "Unknown"
    Emergency = "Emergency"
    ApptReminder = "ApptReminder"
    ApptChanged = "ApptChanged"
    FlaggedTech = "FlaggedTech"
    EscalationExpired = "EscalationExpired"
    AssignedWo = "AssignedWo"
    BadSurevy = "BadSurevy"
    OverdueWoPrior = "OverdueWoPrior"
    OverdueWo = "OverdueWo"
    NewWo = "NewWo"
    FlaggedScope = "FlaggedScope"
    WoCancelled = "WoCancelled"
    WorkPlanComplete = "WorkPlanComplete"
    WoUnassigned = "WoUnassigned"
    WoOnHold = "WoOnHold"
    WoPriorityChange = "WoPriorityChange"
    VisitOverdue = "VisitOverdue"
    ImpairmentOverdue = "ImpairmentOverdue"
    ImpairmentWellOverdue = "ImpairmentWellOverdue"
    TenantCoiExpires = "TenantCoiExpires"
    QuoteReview = "QuoteReview"
    CustomerNote = "CustomerNote"
    OnSiteLatePrior = "OnSiteLatePrior"
    BadVerify = "BadVerify"
    CWoCreated = "CWoCreated"
    CWoPutOnHold = "CWoPutOnHold"
    CWoCancelled = "CWoCancelled"
    CWoPickedUp = "CWoPickedUp"
    CWoRejected = "CWoRejected"
    CApproveQuote = "CApproveQuote"
    CVerifyWork = "CVerifyWork"
    CWoCompleted = "CWoCompleted"
    CSendWo = "CSendWo"
    CProviderMsg = "CProviderMsg"
    CCustomerEstimate = "CCustomerEstimate"
    CVendorInvoice = "CVendorInvoice"
    CCost = "CCost"
    CApptChange = "CApptChange"
    ProposalCurrent = "ProposalCurrent"
    ProposalEnds = "ProposalEnds"
    ProposalSkipped = "ProposalSkipped"
    PwdExpiration = "PwdExpiration"
    AssetStatus = "AssetStatus"
    ActiveIncident = "ActiveIncident"
    OpenIncident = "OpenIncident"
    IncidentUpdate = "IncidentUpdate"
    CpPwdExpiration = "CpPwdExpiration"
    ProDisconnect = "ProDisconnect"
    """In the 2023 OpenAPI description only."""


class ApState(OpenEnum):
    """Values of ``ApState``. This list of payable states is fixed; payable statuses, such as the
    specification's Submitted, are records of the Company (ApInvoiceStatus).
    """

    NONE = "None"
    """No vendor invoice yet."""
    Received = "Received"
    """Invoice received."""
    Paid = "Paid"
    """Paid."""
    Waiting = "Waiting"
    Authorized = "Authorized"
    """Cleared for payment."""
    Exported = "Exported"
    """Sent to accounting."""
    Disputed = "Disputed"
    """Refused, under discussion."""


class ApiTypes(OpenEnum):
    """Values of ``ApiTypes``."""

    SOAP = "SOAP"
    """XML interface."""
    REST = "REST"
    """JSON interface."""


class ApprovalRule(OpenEnum):
    """Values of ``ApprovalRule``."""

    Unknown = "Unknown"
    Always = "Always"
    AsNeeded = "AsNeeded"
    WhenMore = "WhenMore"


class AssetType(OpenEnum):
    """Values of ``AssetType``."""

    Unknown = "Unknown"
    Regular = "Regular"
    Building = "Building"
    Unit = "Unit"
    Community = "Community"
    RoomArea = "RoomArea"
    Floor = "Floor"
    Utility = "Utility"
    Equipment = "Equipment"


class BackupRouting(OpenEnum):
    """Values of ``BackupRouting``."""

    Unassigned = "Unassigned"
    OnCall = "OnCall"
    Default = "Default"


class BillStatus(OpenEnum):
    """Values of ``BillStatus``. Bit mask: names joined by underscores are combinations."""

    NotBilled = "NotBilled"
    ReadyToBeBilled = "ReadyToBeBilled"
    Billed = "Billed"
    ReadyToBeBilled_Billed = "ReadyToBeBilled_Billed"
    BilledAndModified = "BilledAndModified"
    ReadyToBeBilled_BilledAndModified = "ReadyToBeBilled_BilledAndModified"
    Billed_BilledAndModified = "Billed_BilledAndModified"
    ReadyToBeBilled_Billed_BilledAndModified = "ReadyToBeBilled_Billed_BilledAndModified"


class BillToTypeRule(OpenEnum):
    """Values of ``BillToTypeRule``."""

    NONE = "None"
    LogicDisabled = "LogicDisabled"
    WoDisabled = "WoDisabled"


class BillingRule(OpenEnum):
    """Values of ``BillingRule``."""

    Unknown = "Unknown", 0
    VendorAndServiceFee = "VendorAndServiceFee", 1
    """Vendor invoice and fees."""
    Contract = "Contract", 2
    """As specified in the contract."""
    NotBilled = "NotBilled", 3
    """Nothing is billed."""
    ServiceFee = "ServiceFee", 4
    """Fees only."""
    All = "All", 5
    """Vendor invoice, costs and fees."""
    CostsAndFees = "CostsAndFees", 6
    """Costs and fees."""
    ApprovedEstimate = "ApprovedEstimate", 7
    """The approved estimate."""


class CfSharingMode(OpenEnum):
    """Values of ``CfSharingMode``."""

    NONE = "None"
    ReadOnly = "ReadOnly"
    ReadWrite = "ReadWrite"


class CfType(OpenEnum):
    """Values of ``CfType``."""

    Unknown = "Unknown"
    String = "String"
    Integer = "Integer"
    Decimal = "Decimal"
    Money = "Money"
    Phone = "Phone"
    Date = "Date"
    Time = "Time"
    Boolean = "Boolean"
    Url = "Url"
    Text = "Text"
    StringAutocomplete = "StringAutocomplete"


class ChangeAssignmentMode(OpenEnum):
    """Values of ``ChangeAssignmentMode``."""

    Primary = "Primary"
    """Set the primary assignee."""
    AddSecondary = "AddSecondary"
    """Add helpers."""
    RemoveSecondary = "RemoveSecondary"
    """Remove helpers."""
    Snapshot = "Snapshot"
    """Replace all; the first becomes primary."""


class CiActionType(OpenEnum):
    """Values of ``CiActionType``."""

    Created = "Created"
    TaxComputed = "TaxComputed"
    Posted = "Posted"
    Paid = "Paid"
    PaymentSubmitted = "PaymentSubmitted"
    Disputed = "Disputed"
    Approved = "Approved"
    DocumentAttached = "DocumentAttached"
    Recalled = "Recalled"
    ManuallySent = "ManuallySent"


class CiInvoiceState(OpenEnum):
    """Values of ``CiInvoiceState``."""

    Draft = "Draft"
    Posted = "Posted"
    Credit = "Credit"
    CreditUsed = "CreditUsed"
    Paid = "Paid"
    PaidInFull = "PaidInFull"
    Approved = "Approved"


class CiItemType(OpenEnum):
    """Values of ``CiItemType``."""

    WorkOrder = "WorkOrder", 0
    """Created from a work order cost line."""
    GroupHeader = "GroupHeader", 1
    """Heads a contract group."""
    GroupChild = "GroupChild", 2
    """Work order within a contract group."""
    NONE = "None", 3
    """Added by hand, no work order."""


class CompletionNoteOptions(OpenEnum):
    """Values of ``CompletionNoteOptions``."""

    Ignore = "Ignore"
    """Leave the completion note alone."""
    Replace = "Replace"
    """Comment replaces the completion note."""
    FillEmpty = "FillEmpty"
    """Comment fills an empty completion note."""


class ConditionOperator(OpenEnum):
    """Values of ``ConditionOperator``. A public client sends IsNull, IsNotNull and Contains; the schemas have
    Null and NotNull, but no Contains.
    """

    Between = "Between"
    Equal = "Equal"
    GreaterOrEqual = "GreaterOrEqual"
    GreaterThan = "GreaterThan"
    In = "In"
    LessOrEqual = "LessOrEqual"
    LessThan = "LessThan"
    Like = "Like"
    """Pattern match with % wildcard."""
    NotBetween = "NotBetween"
    NotEqual = "NotEqual"
    NotIn = "NotIn"
    NotLike = "NotLike"
    NotNull = "NotNull"
    """Value is present."""
    Null = "Null"
    """Value is absent."""


class ContactAddrType(OpenEnum):
    """Values of ``ContactAddrType``."""

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


class CostCategory(OpenEnum):
    """Values of ``CostCategory``."""

    Unknown = "Unknown"
    Labor = "Labor"
    Material = "Material"
    Misc = "Misc"
    Vendor = "Vendor"
    SpotPurchase = "SpotPurchase"
    AddCharges = "AddCharges"
    Services = "Services"
    Shipping = "Shipping"
    Adjustments = "Adjustments"
    Tax = "Tax"


class CostState(OpenEnum):
    """Values of ``CostState``."""

    Pending = "Pending"
    """Not submitted."""
    Submitted = "Submitted"
    """Submitted."""
    Approved = "Approved"
    """Approved."""
    Exported = "Exported"
    """Exported."""


class CurrencyType(OpenEnum):
    """Values of ``CurrencyType``."""

    Unknown = "Unknown"
    VUV = "VUV"
    FJD = "FJD"
    PGK = "PGK"
    TOP = "TOP"
    CFP = "CFP"
    SBD = "SBD"
    WST = "WST"
    MUR = "MUR"
    BMD = "BMD"
    SAR = "SAR"
    BGN = "BGN"
    TWD = "TWD"
    CZK = "CZK"
    DKK = "DKK"
    EUR = "EUR"
    USD = "USD"
    ILS = "ILS"
    HUF = "HUF"
    JPY = "JPY"
    KRW = "KRW"
    PLN = "PLN"
    BRL = "BRL"
    RON = "RON"
    RUB = "RUB"
    HRK = "HRK"
    SEK = "SEK"
    THB = "THB"
    TRY = "TRY"
    PKR = "PKR"
    IDR = "IDR"
    VND = "VND"
    AMD = "AMD"
    ZAR = "ZAR"
    INR = "INR"
    MYR = "MYR"
    KZT = "KZT"
    KES = "KES"
    KHR = "KHR"
    MMK = "MMK"
    LKR = "LKR"
    PHP = "PHP"
    NGN = "NGN"
    CNY = "CNY"
    CHF = "CHF"
    GBP = "GBP"
    MXN = "MXN"
    BND = "BND"
    NOK = "NOK"
    BDT = "BDT"
    EGP = "EGP"
    HKD = "HKD"
    AUD = "AUD"
    SGD = "SGD"
    CAD = "CAD"
    DZD = "DZD"
    MOP = "MOP"
    NZD = "NZD"
    CRC = "CRC"
    MAD = "MAD"
    TND = "TND"
    OMR = "OMR"
    VES = "VES"
    COP = "COP"
    PEN = "PEN"
    JOD = "JOD"
    ARS = "ARS"
    LBP = "LBP"
    KWD = "KWD"
    CLP = "CLP"
    AED = "AED"
    UYU = "UYU"
    BHD = "BHD"
    QAR = "QAR"
    RSD = "RSD"
    AZN = "AZN"
    UZS = "UZS"


class DistanceUnit(OpenEnum):
    """Values of ``DistanceUnit``."""

    Unknown = "Unknown"
    Kilometer = "Kilometer"
    Mile = "Mile"


class DocumentStorageType(OpenEnum):
    """Values of ``DocumentStorageType``."""

    Local = "Local"
    """Stored by the Company instance."""
    URL = "URL"
    """Link only; address in DocUrl."""
    Cloud = "Cloud"
    """Stored in the cloud."""
    WonDocument = "WonDocument"
    WonNote = "WonNote"
    CloudShared = "CloudShared"


class DraftProcessStep(OpenEnum):
    """Values of ``DraftProcessStep``."""

    NA = "NA", 0
    """Invoice is not a draft."""
    Pending = "Pending", 1
    """Draft, first step."""
    ReadyToPost = "ReadyToPost", 2
    """Waits for the posting job."""
    FailedTax = "FailedTax", 3
    """Tax calculation failed."""
    FailedPost = "FailedPost", 4
    """Posting failed."""
    Disputed = "Disputed", 5
    """Requestor refused it."""
    Recalled = "Recalled", 6
    """Provider withdrew it."""


class DuplicateUnitMode(OpenEnum):
    """Values of ``DuplicateUnitMode``."""

    Unknown = "Unknown"
    Fail = "Fail"
    """Reject when the unit exists."""
    Reuse = "Reuse"
    """Use the existing unit."""
    Ignore = "Ignore"
    """Do not check; default of the command."""


class EmployeeWonStatus(OpenEnum):
    """Values of ``EmployeeWonStatus``."""

    NA = "NA"
    NotConnected = "NotConnected"
    Suspended = "Suspended"
    Connected = "Connected"
    Invited = "Invited"


class EntityType(OpenEnum):
    """Values of ``EntityType``. SubType, Priority and Asset of the specification are WorkOrderType,
    WoPriority and Location here.
    """

    TaxCode = "TaxCode"
    InvoiceDictionaryItem = "InvoiceDictionaryItem"
    BillingAccount = "BillingAccount"
    WorkOrder = "WorkOrder"
    Location = "Location"
    Address = "Address"
    Customer = "Customer"
    Invoice = "Invoice"
    InvoiceLine = "InvoiceLine"
    CorporateEntity = "CorporateEntity"
    GLAccount = "GLAccount"
    Payment = "Payment"
    PaymentItem = "PaymentItem"
    Employee = "Employee"
    WorkZone = "WorkZone"
    Space = "Space"
    Task = "Task"
    Disposition = "Disposition"
    WoItem = "WoItem"
    CustomFieldDescriptor = "CustomFieldDescriptor"
    CustomField = "CustomField"
    Organization = "Organization"
    Contact = "Contact"
    TimePeriod = "TimePeriod"
    Specialty = "Specialty"
    WorkOrderType = "WorkOrderType"
    CustomerNoteType = "CustomerNoteType"
    RepairCode = "RepairCode"
    AttributeDescriptor = "AttributeDescriptor"
    WoActionReasonLookup = "WoActionReasonLookup"
    WoPriority = "WoPriority"
    WoLastAction = "WoLastAction"
    WoNote = "WoNote"
    Actor = "Actor"
    ContactAddress = "ContactAddress"
    Address2 = "Address2"
    ContactInfo = "ContactInfo"
    CustomField2 = "CustomField2"
    Note = "Note"
    WorkOrderCost = "WorkOrderCost"
    WoAssignment = "WoAssignment"
    WoOnSite = "WoOnSite"
    WoActionLog = "WoActionLog"
    WoVerification = "WoVerification"
    WoActionLogProp = "WoActionLogProp"
    FinancialItem = "FinancialItem"
    WoQuote = "WoQuote"
    WoEquipment = "WoEquipment"
    Blob = "Blob"
    DocumentType = "DocumentType"
    Document = "Document"
    Product = "Product"
    LaborCode = "LaborCode"
    WpTree = "WpTree"
    WoEstimate = "WoEstimate"
    ToDoItem = "ToDoItem"
    LinkCustomerAndGroup = "LinkCustomerAndGroup"
    LinkContactAndGroup = "LinkContactAndGroup"
    AssetInfo = "AssetInfo"
    PmSchedule = "PmSchedule"
    PmItem = "PmItem"
    Contract = "Contract"
    TaxRegion = "TaxRegion"
    TaxRegionItem = "TaxRegionItem"
    PriceList = "PriceList"
    PriceListItem = "PriceListItem"
    ChargeCodeLookup = "ChargeCodeLookup"
    CustomFieldOption = "CustomFieldOption"
    Model = "Model"
    LinkUserAndSpecialty = "LinkUserAndSpecialty"
    LinkUserAndCustomerGroup = "LinkUserAndCustomerGroup"
    LinkUserAndWorkZone = "LinkUserAndWorkZone"
    LinkUserAndPortfolio = "LinkUserAndPortfolio"
    LinkUserAndTeam = "LinkUserAndTeam"
    UserPayRate = "UserPayRate"
    LinkUserAndStockLocation = "LinkUserAndStockLocation"
    LinkProviderPriceList = "LinkProviderPriceList"
    LinkProviderAndService = "LinkProviderAndService"
    Role = "Role"
    AlertScope = "AlertScope"
    AlertSubscription = "AlertSubscription"
    AssetTree = "AssetTree"
    AttributeOption = "AttributeOption"
    Team = "Team"
    LinkTeamAndWorkZone = "LinkTeamAndWorkZone"
    LinkPortfolioAndWorkZone = "LinkPortfolioAndWorkZone"
    BusinessHours = "BusinessHours"
    Holiday = "Holiday"
    SpecDispatchRule = "SpecDispatchRule"
    EscalationRule = "EscalationRule"
    OnCallRule = "OnCallRule"
    Responsibility = "Responsibility"
    Warranty = "Warranty"
    AssetAttribute = "AssetAttribute"
    SpecialtyMoneyValues = "SpecialtyMoneyValues"
    ContactMoneyValues = "ContactMoneyValues"
    TaskMoneyValues = "TaskMoneyValues"
    UserPayRateMoneyValues = "UserPayRateMoneyValues"
    RoleMoneyValues = "RoleMoneyValues"
    Portfolio = "Portfolio"
    AssetTemplate = "AssetTemplate"
    AssetSystem = "AssetSystem"
    ProductCategory = "ProductCategory"
    LinkProductAndSupplier = "LinkProductAndSupplier"
    ProductMoneyValues = "ProductMoneyValues"
    ApInvoiceStatus = "ApInvoiceStatus"
    TimeCardWeek = "TimeCardWeek"
    TimeCard = "TimeCard"
    TimeCardItem = "TimeCardItem"
    ProviderCoi = "ProviderCoi"
    ResponsibilityType = "ResponsibilityType"
    ToDoType = "ToDoType"
    ApprovalTemplateStep = "ApprovalTemplateStep"
    ApprovalTemplate = "ApprovalTemplate"
    ProcedureTemplateStep = "ProcedureTemplateStep"
    ProcedureFlagReason = "ProcedureFlagReason"
    ProcedureTemplate = "ProcedureTemplate"
    WoProcedureStep = "WoProcedureStep"
    WoProcedure = "WoProcedure"
    StockLocation = "StockLocation"
    ReplenishmentOrder = "ReplenishmentOrder"
    ReplenishmentOrderItem = "ReplenishmentOrderItem"
    ApprovalScope = "ApprovalScope"
    CustomFieldAutocompleteOption = "CustomFieldAutocompleteOption"
    TimeOff = "TimeOff"
    SlaValuesOverride = "SlaValuesOverride"
    Turn = "Turn"
    LinkModelAndAttribute = "LinkModelAndAttribute"
    BillToOption = "BillToOption"
    PrintoutTemplate = "PrintoutTemplate"
    InvoiceLog = "InvoiceLog"
    QuoteOrEstimateItem = "QuoteOrEstimateItem"
    MaterialTransaction = "MaterialTransaction"
    MaterialTransactionItem = "MaterialTransactionItem"
    StockLocationInventoryDetails = "StockLocationInventoryDetails"
    InternalCostStatus = "InternalCostStatus"
    WoFlag = "WoFlag"
    ProcedureCategory = "ProcedureCategory"
    LinkProcedureCategoryAndTemplate = "LinkProcedureCategoryAndTemplate"


class ExcludeCoi(OpenEnum):
    """Values of ``ExcludeCoi``."""

    InheritGlobalSettings = "InheritGlobalSettings"
    """Company-wide setting applies."""
    No = "No"
    ExcludeAndBlock = "ExcludeAndBlock"
    """Excluded and blocked."""
    ExcludeAndWarn = "ExcludeAndWarn"
    """Excluded with a warning."""


class ForecastGroup(OpenEnum):
    """Values of ``ForecastGroup``."""

    NONE = "None"
    Waiting = "Waiting"
    Submitted = "Submitted"
    AuthOrPaid = "AuthOrPaid"


class GeoStatus(OpenEnum):
    """Values of ``GeoStatus``."""

    NONE = "None"
    Failed = "Failed"
    Protected = "Protected"


class InsuranceStatus(OpenEnum):
    """Values of ``InsuranceStatus``."""

    NONE = "None"
    Expired = "Expired"
    ExpiringSoon = "ExpiringSoon"
    Current = "Current"


class IsmStatus(OpenEnum):
    """Values of ``IsmStatus``."""

    NotApplicable = "NotApplicable"
    NotRequired = "NotRequired"
    """No check needed."""
    Passed = "Passed"
    """Check passed."""
    PassedManual = "PassedManual"
    """Manually marked as passed."""
    Waiting = "Waiting"
    """Check not started."""
    Started = "Started"
    """Check under way."""


class IsolationLevel(OpenEnum):
    """Values of ``IsolationLevel``. Named as in the SOAP schema; the value is sent in an HTTP header."""

    Default = "Default", 0
    """Same as ReadCommitted."""
    ReadUncommitted = "ReadUncommitted"
    ReadCommitted = "ReadCommitted"
    Snapshot = "Snapshot"


class JurisdictionType(OpenEnum):
    """Values of ``JurisdictionType``."""

    Country = "Country"
    Composite = "Composite"
    State = "State"
    County = "County"
    City = "City"
    Special = "Special"


class LaborCodeType(OpenEnum):
    """Values of ``LaborCodeType``."""

    Unknown = "Unknown"
    Time = "Time"
    Allowance = "Allowance"


class LeaseContactType(OpenEnum):
    """Values of ``LeaseContactType``."""

    Unknown = "Unknown"
    Alternate = "Alternate"
    Emergency = "Emergency"
    Primary = "Primary"


class LeasingSpaceStatus(OpenEnum):
    """Values of ``LeasingSpaceStatus``."""

    Unknown = "Unknown"
    Historical = "Historical"
    """Past occupancy."""
    Current = "Current"
    """Present occupancy."""
    OnNotice = "OnNotice"
    """Leaving soon."""
    Pending = "Pending"
    """Not started."""


class LogicalOperator(OpenEnum):
    """Values of ``LogicalOperator``."""

    And = "And"
    """All conditions must hold."""
    Or = "Or"
    """At least one condition must hold."""


class LsNoteAccess(OpenEnum):
    """Values of ``LsNoteAccess``."""

    Unknown = "Unknown"
    NONE = "None"
    View = "View"
    AddEdit = "AddEdit"


class MhLocationType(OpenEnum):
    """Values of ``MhLocationType``."""

    Other = "Other"
    Garage = "Garage"
    Basement = "Basement"
    Closet = "Closet"
    Warehouse = "Warehouse"
    StoreRoom = "StoreRoom"
    Truck = "Truck"
    Cylinder = "Cylinder"


class MhOrderStatus(OpenEnum):
    """Values of ``MhOrderStatus``."""

    Unknown = "Unknown"
    Pending = "Pending"
    OnOrder = "OnOrder"
    Shipped = "Shipped"
    Received = "Received"
    Partial = "Partial"
    Cancelled = "Cancelled"


class MhTransactionType(OpenEnum):
    """Values of ``MhTransactionType``."""

    Other = "Other"
    Receive = "Receive"
    UseInService = "UseInService"
    Issue = "Issue"
    Adjust = "Adjust"
    Return = "Return"
    Transfer = "Transfer"
    Remove = "Remove"


class MhUnit(OpenEnum):
    """Values of ``MhUnit``."""

    Unit = "Unit"
    Kg = "Kg"
    Lb = "Lb"
    Liter = "Liter"
    Gal = "Gal"
    Ml = "Ml"
    Oz = "Oz"
    Meter = "Meter"
    Ft = "Ft"
    Box = "Box"
    Set = "Set"
    Package = "Package"


class OnSiteValidationResult(OpenEnum):
    """Values of ``OnSiteValidationResult``."""

    Unknown = "Unknown"
    Unverified = "Unverified"
    Invalid = "Invalid"
    Valid = "Valid"


class OnSiteValidationType(OpenEnum):
    """Values of ``OnSiteValidationType``."""

    Unknown = "Unknown"
    Barcode = "Barcode"
    Gps = "Gps"
    Ivr = "Ivr"


class OrderType(OpenEnum):
    """Values of ``OrderType``."""

    Ascending = "Ascending"
    """Lowest first."""
    Descending = "Descending"
    """Highest first."""


class PTEType(OpenEnum):
    """Values of ``PTEType``."""

    Unknown = "Unknown"
    PTE = "PTE"
    """Permission to enter given."""
    Appointment = "Appointment"
    """Appointment needed."""
    CallFirst = "CallFirst"
    """Call before coming."""
    NotApplicable = "NotApplicable"
    """No rule about access."""


class PaymentMethod(OpenEnum):
    """Values of ``PaymentMethod``."""

    Check = "Check"
    Cash = "Cash"
    CreditCard = "CreditCard"
    EFT = "EFT"
    AccountCredit = "AccountCredit"


class PaymentState(OpenEnum):
    """Values of ``PaymentState``."""

    Draft = "Draft"
    Credit = "Credit"
    Posted = "Posted"


class PortfolioType(OpenEnum):
    """Values of ``PortfolioType``."""

    Unknown = "Unknown"
    Grouping = "Grouping"
    Primary = "Primary"


class PriceListType(OpenEnum):
    """Values of ``PriceListType``."""

    Customer = "Customer"
    Vendor = "Vendor"


class PrintoutStatus(OpenEnum):
    """Values of ``PrintoutStatus``."""

    NotValidated = "NotValidated"
    Valid = "Valid"
    Invalid = "Invalid"


class ProcedureStatus(OpenEnum):
    """Values of ``ProcedureStatus``."""

    Unknown = "Unknown"
    Open = "Open"
    NA = "NA"
    Done = "Done"


class ProcedureStepType(OpenEnum):
    """Values of ``ProcedureStepType``."""

    Unknown = "Unknown"
    Text = "Text"
    Field = "Field"
    Attribute = "Attribute"
    Document = "Document"


class ProcedureType(OpenEnum):
    """Values of ``ProcedureType``."""

    Regular = "Regular"
    Legacy = "Legacy"
    WON = "WON"


class Protocols(OpenEnum):
    """Values of ``Protocols``."""

    HTTP = "HTTP"
    HTTPS = "HTTPS"


class ProviderlType(OpenEnum):
    """Values of ``ProviderlType``. Spelled like this in the schemas."""

    Regular = "Regular"
    Supplier = "Supplier"
    Landlord = "Landlord"


class QuoteStatus(OpenEnum):
    """Values of ``QuoteStatus``."""

    Unknown = "Unknown"
    NotSubmitted = "NotSubmitted"
    """Obsolete state."""
    Requested = "Requested"
    WaitingForApproval = "WaitingForApproval"
    Approved = "Approved"
    Rejected = "Rejected"
    InProposal = "InProposal"
    """Reserved state."""


class RateType(OpenEnum):
    """Values of ``RateType``."""

    Fixed = "Fixed"
    Amount = "Amount"
    Percentage = "Percentage"


class SchedInterval(OpenEnum):
    """Values of ``SchedInterval``."""

    Unknown = "Unknown"
    Day = "Day"
    Week = "Week"
    Month = "Month"
    Quarter = "Quarter"
    Year = "Year"
    Custom = "Custom"
    Weather = "Weather"


class StreetAddrType(OpenEnum):
    """Values of ``StreetAddrType``."""

    Unknown = "Unknown"
    Alt = "Alt"
    Primary = "Primary"
    Home = "Home"


class TaskSelfHelpType(OpenEnum):
    """Values of ``TaskSelfHelpType``."""

    Html = "Html"
    Hyperlink = "Hyperlink"
    YouTube = "YouTube"


class TaxValidationStatus(OpenEnum):
    """Values of ``TaxValidationStatus``."""

    Unknown = "Unknown"
    NONE = "None"
    Success = "Success"
    Failure = "Failure"
    Provider = "Provider"


class TimeCardAction(OpenEnum):
    """Values of ``TimeCardAction``. The service spells Unknown as Uknown."""

    Uknown = "Uknown"
    Flag = "Flag"
    Submit = "Submit"
    Approve = "Approve"
    Export = "Export"
    ClearFlag = "ClearFlag"
    UnSubmit = "UnSubmit"
    UnApprove = "UnApprove"
    UnExport = "UnExport"
    ReadyForExport = "ReadyForExport"
    NotReadyForExport = "NotReadyForExport"


class TimeCardStatus(OpenEnum):
    """Values of ``TimeCardStatus``."""

    Unknown = "Unknown"
    Pending = "Pending"
    Submitted = "Submitted"
    Approved = "Approved"
    Exported = "Exported"
    ReadyForExport = "ReadyForExport"


class TimeCardType(OpenEnum):
    """Values of ``TimeCardType``. The service spells Unknown as Uknown."""

    Uknown = "Uknown"
    Clock = "Clock"
    Manual = "Manual"
    WoLabor = "WoLabor"
    Allowance = "Allowance"


class TurnStatus(OpenEnum):
    """Values of ``TurnStatus``."""

    Pending = "Pending"
    Failed = "Failed"
    Done = "Done"


class UIType(OpenEnum):
    """Values of ``UIType``."""

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


class VendorType(OpenEnum):
    """Values of ``VendorType``."""

    Editable = "Editable"
    NonEditable = "NonEditable"
    Hidden = "Hidden"
    UseVendorPrLst = "UseVendorPrLst"


class WOActionProperty(OpenEnum):
    """Values of ``WOActionProperty``."""

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


class WOActionType(OpenEnum):
    """Values of ``WOActionType``."""

    Unknown = "Unknown"
    Create = "Create"
    PickUp = "PickUp"
    Start = "Start"
    OnHold = "OnHold"
    Complete = "Complete"
    Cancel = "Cancel"
    Reopen = "Reopen"
    Assign = "Assign"
    Attention = "Attention"
    APInvStatus = "APInvStatus"
    Archived = "Archived"
    Restored = "Restored"
    Stop = "Stop"
    AccessChanged = "AccessChanged"
    Billed = "Billed"
    DueDateChanged = "DueDateChanged"
    Note = "Note"
    Message = "Message"
    QuoteRequested = "QuoteRequested"
    CostStatus = "CostStatus"
    BillingRuleChanged = "BillingRuleChanged"
    OwnerChanged = "OwnerChanged"
    Signature = "Signature"
    ApprovalStart = "ApprovalStart"
    ApprovalEnd = "ApprovalEnd"
    ApGlAccountChanged = "ApGlAccountChanged"
    EstimateRejected = "EstimateRejected"
    EstimateApproved = "EstimateApproved"
    ItemAddRemove = "ItemAddRemove"
    WarrantyFlagChanged = "WarrantyFlagChanged"
    AutoWarranty = "AutoWarranty"
    OnSiteByChanged = "OnSiteByChanged"
    AckByChanged = "AckByChanged"
    CustomerChanged = "CustomerChanged"
    EstimateSubmitted = "EstimateSubmitted"
    WonWoSend = "WonWoSend"
    WonWoRecall = "WonWoRecall"
    WonWoUpdate = "WonWoUpdate"
    WonPaymentSend = "WonPaymentSend"
    Verified = "Verified"
    CustomerNteChanged = "CustomerNteChanged"
    PriorityChanged = "PriorityChanged"
    SchedStartChanged = "SchedStartChanged"
    VendorNteChanged = "VendorNteChanged"
    WonDocAttach = "WonDocAttach"
    QuoteSubmitted = "QuoteSubmitted"
    FlagCleared = "FlagCleared"
    QuoteRejected = "QuoteRejected"
    QuoteApproved = "QuoteApproved"
    VisitDeleted = "VisitDeleted"
    ApInvoiceCleared = "ApInvoiceCleared"
    ProcedureAddRemove = "ProcedureAddRemove"
    ApInvoiceTaxUpdate = "ApInvoiceTaxUpdate"
    IsmStatusChanged = "IsmStatusChanged"
    Moved = "Moved"
    """In the 2023 OpenAPI description only."""


class WONoteType(OpenEnum):
    """Values of ``WONoteType``. The specification gives Completion the number 1; no other number is known."""

    Unknown = "Unknown"
    Completion = "Completion", 1
    """Completion note; one per work order."""
    Public = "Public"
    """Seen by all parties."""
    Private = "Private"
    """Internal only."""


class WOStatus(OpenEnum):
    """Values of ``WOStatus``. Same names as WorkOrderStatus; used by commands."""

    Unknown = "Unknown"
    Open = "Open"
    """Picked up."""
    Paused = "Paused"
    """Work is interrupted."""
    Cancelled = "Cancelled"
    """Cancelled; needs a reason."""
    New = "New"
    """Created, not yet picked up."""
    OnHold = "OnHold"
    """Waiting for something; needs a reason."""
    InProgress = "InProgress"
    """Work has started."""
    Completed = "Completed"
    """Work is done."""


class WOType(OpenEnum):
    """Values of ``WOType``. Number 4 is from the specification's create sample, the others from public
    sources.
    """

    Unknown = "Unknown", 0
    Basic = "Basic", 1
    """Plain work order, customer optional."""
    PMRM = "PMRM", 2
    """Planned maintenance."""
    Turn = "Turn", 3
    """Unit turnover."""
    Request = "Request", 4
    """Customer request."""


class WarrantyStatus(OpenEnum):
    """Values of ``WarrantyStatus``."""

    NONE = "None"
    Expired = "Expired"
    Active = "Active"


class WoCostExclusion(OpenEnum):
    """Values of ``WoCostExclusion``."""

    NONE = "None", 0
    """Nothing excluded."""
    Item = "Item", 1
    """Excludes other lines with the same dictionary item."""
    Category = "Category", 2
    """Excludes other lines of the same cost category."""
    Min = "Min", 3
    """Sets a minimum for the category."""


class WoCostLineType(OpenEnum):
    """Values of ``WoCostLineType``."""

    Unknown = "Unknown"
    Cost = "Cost"
    Vendor = "Vendor"
    ServiceFee = "ServiceFee"


class WoEquipmentType(OpenEnum):
    """Values of ``WoEquipmentType``."""

    Unknown = "Unknown"
    New = "New"
    Known = "Known"
    NotRelated = "NotRelated"


class WoRating(OpenEnum):
    """Values of ``WoRating``."""

    Unknown = "Unknown"
    NotVerified = "NotVerified"
    """Not rated."""
    Negative = "Negative"
    """Bad work."""
    Neutral = "Neutral"
    """Acceptable work."""
    Positive = "Positive"
    """Good work."""
    NotCompleted = "NotCompleted"
    """Work was not done."""


class WoScheduleOptions(OpenEnum):
    """Values of ``WoScheduleOptions``. In the SOAP schema, several values can be combined."""

    NONE = "None"
    SkipWarranty = "SkipWarranty"
    SkipScheduling = "SkipScheduling"
    SkipFinancial = "SkipFinancial"
    SkipPTE = "SkipPTE"
    SkipDueDate = "SkipDueDate"
    SkipOnSiteBy = "SkipOnSiteBy"
    SkipAcknowledgeBy = "SkipAcknowledgeBy"


class WorkOrderStatus(OpenEnum):
    """Values of ``WorkOrderStatus``. A public client lists Closed and Attention too; neither is in the
    schemas.
    """

    Unknown = "Unknown"
    Open = "Open"
    """Picked up."""
    Paused = "Paused"
    """Work is interrupted."""
    Cancelled = "Cancelled"
    """Cancelled; needs a reason."""
    New = "New"
    """Created, not yet picked up."""
    OnHold = "OnHold"
    """Waiting for something; needs a reason."""
    InProgress = "InProgress"
    """Work has started."""
    Completed = "Completed"
    """Work is done."""


class ErrorCode(OpenEnum):
    """Values of ``ErrorCode``. Open list: ERROR_CODE_{number} stands for any numbered error of the service
    core. HTTP statuses: 200 for success, 400 for handled errors and malformed tokens, 401 without an
    Authorization header, 403 without the Bearer scheme or after a failed token check, 500 for unhandled
    errors. For codes from the vendor's documentation, the HTTP status is deduced from these rules.
    """

    BUSINESS_LOGIC_ERROR = "BUSINESS_LOGIC_ERROR"
    """A business rule refused the request. HTTP status 400."""
    ERROR_CODE_1000 = "ERROR_CODE_1000"
    """Operation not supported by the entity. HTTP status 400."""
    EMPTY_INPUT_PARAMETER = "EMPTY_INPUT_PARAMETER"
    """Body missing, empty or unreadable. HTTP status 400."""
    ENTITYSPECIFIER_NOT_FOUND = "ENTITYSPECIFIER_NOT_FOUND"
    """Entity specifier missing or empty. HTTP status 400."""
    COMMAND_NOT_FOUND = "COMMAND_NOT_FOUND"
    """No such command. HTTP status 400."""
    DATA_PARSING_ERROR = "DATA_PARSING_ERROR"
    """Id is neither a number nor an identifier object. HTTP status 400."""
    CUSTOM_COMMAND_ERROR = "CUSTOM_COMMAND_ERROR"
    """A dedicated command must be used instead. HTTP status 400."""
    ENTITY_NOT_FOUND = "ENTITY_NOT_FOUND"
    """No such entity type. HTTP status 400."""
    IDENTIFIER_NOT_FOUND = "IDENTIFIER_NOT_FOUND"
    """No id given. HTTP status 400."""
    INCORRECT_MODEL = "INCORRECT_MODEL"
    """Input does not fit the model. HTTP status 400."""
    MISSING_AUTHORIZATION_HEADER = "MISSING_AUTHORIZATION_HEADER"
    """Authorization header missing. HTTP status 401."""
    MISSING_AUTHORIZATION_SCHEME = "MISSING_AUTHORIZATION_SCHEME"
    """The Authorization header does not use the Bearer scheme. HTTP status 403."""
    DATABASE_VERSION_MISMATCH = "DATABASE_VERSION_MISMATCH"
    """Company unknown or not served by this host. HTTP status 400. Status not stated; 400 assumed."""
    INCORRECT_TOKEN = "INCORRECT_TOKEN"  # noqa: S105
    """Token is not valid. HTTP status 403."""
    EXPIRED_TOKEN = "EXPIRED_TOKEN"  # noqa: S105
    """Token is too old. HTTP status 403."""
    ERROR_CODE_1002 = "ERROR_CODE_1002"
    """The entity does not expose that property. HTTP status 400."""
    ERROR_CODE_1003 = "ERROR_CODE_1003"
    """Bad property path in a query. HTTP status 400."""
    ERROR_CODE_1019 = "ERROR_CODE_1019"
    """Record not found. HTTP status 400."""
    ERROR_CODE_6 = "ERROR_CODE_6"
    """Version conflict. HTTP status 400."""
