"""Spec 2.3, 2.5, 2.6, 2.8: what a work order and a space refer to, transcribed by hand."""

from __future__ import annotations

from tests.spec.table import Table, rows

PRIORITY = Table(
    "2.3",
    "Priority",
    (
        ("IsEmergency", "boolean", True),
        ("AcknowledgeInMinutes", "integer", 15),
        ("RespondInMinutes", "integer", 60),
        ("DueInMinutes", "integer", 240),
        ("Id", "integer", 1),
    ),
)

CONTACT = Table(
    "2.3",
    "Contact",
    (
        *rows("string", "DisplayAs", "FirstName", "LastName"),
        ("TypeId", "string", "Primary"),
        ("CustomerId", "integer", 512),
        ("CanViewAnyRequest", "boolean", False),
        ("CanCreateRequest", "boolean", True),
        ("PriorityThreshold", "integer", 0),
        *rows("list", "CustomFields", "ContactAddresses", "GroupsBridge"),
        ("MustResetPassword", "boolean", False),
        ("NoAlertEmails", "boolean", True),
        ("UnlimitedRequest", "boolean", True),
        ("UnlimitedAuthorization", "boolean", False),
        ("SupervisorId", "integer", 0),
        ("LanguageId", "integer", 1033),
        ("CustomerNoteAccessId", "string", "View"),
        ("NoPwdExpirationAlert", "boolean", False),
        ("Currencies", "list", []),
        ("IsRemoved", "boolean", False),
        ("ConcurrencyId", "integer", 3),
        ("Id", "integer", 731),
    ),
)

MAIN_ASSET = Table(
    "2.3",
    "Asset",
    (
        ("Name", "string", "Air handler AH-3"),
        ("ModelId", "integer", 1187),
        ("Orphan", "boolean", False),
        ("TypeId", "string", "Equipment"),
        ("ParentId", "integer", 20421),
        ("RootId", "integer", 20400),
        ("IsTemplate", "boolean", False),
        ("Documents", "list", []),
        ("IsOffline", "boolean", False),
        ("IsLocked", "boolean", True),
        ("Attributes", "list", []),
        ("Id", "integer", 20440),
    ),
)

SPECIALTY = Table(
    "2.3",
    "Specialty",
    (
        ("DisplayAs", "string", "HVAC"),
        ("WONServiceId", "integer", 11),
        ("Instructions", "string", ""),
        ("Currencies", "list", []),
        ("IsNteAuto", "boolean", True),
        ("IsRemoved", "boolean", False),
        ("ConcurrencyId", "integer", 4),
        ("Id", "integer", 27),
    ),
)

SUB_TYPE = Table(
    "2.3",
    "SubType",
    (
        ("TypeId", "string", "Request"),
        ("IsDefSR", "boolean", True),
        ("IsDefBasic", "boolean", False),
        ("IsRemoved", "boolean", False),
        ("ConcurrencyId", "integer", 1),
        ("Id", "integer", 259),
    ),
)

CUSTOMER = Table(
    "2.3",
    "Customer",
    (
        *rows("string", "DisplayAs", "Name", "Dba", "Instructions", "TenantCode"),
        ("TaxExempt", "boolean", True),
        *rows("list", "Spaces", "Contacts", "CustomFields", "Notes", "Addresses"),
        *rows("list", "GroupsBridge", "ApprovalScopes"),
        ("IsRemoved", "boolean", False),
        ("ConcurrencyId", "integer", 25),
        ("Id", "integer", 512),
    ),
)

WORK_ZONE = Table(
    "2.5",
    "WorkZone",
    (
        ("DisplayAs", "string", "Riverside Campus"),
        ("TimeZone", "integer", 35),
        ("LanguageId", "integer", 1033),
        ("WoNumberPrefix", "string", "RSC"),
        ("Entity", "string", ""),
        ("SchedulingWindow", "integer", 14),
        ("NoIncompleteProcedure", "boolean", True),
        ("AccessOptionsMask", "integer", 15),
        ("Number", "string", "WZ-014"),
        ("AdvanceNotice", "integer", 4),
        ("WoNumberDigits", "integer", 6),
        ("RoundApptTimeTo", "integer", 15),
        *rows("boolean", "WorkPlanAutoCancel", "WorkPlanChildResolution", "WorkPlanAutoDependency"),
        ("CpThemeId", "integer", 2),
        ("DefaultAccess", "string", "NotApplicable"),
        ("AutoAssignEnabled", "boolean", False),
        ("BackupRoutingId", "string", "Default"),
        ("NoIncompleteItem", "boolean", True),
        ("UiShowProvidersFirst", "boolean", False),
        ("CurrencyTypeId", "string", "USD"),
        ("IsOffline", "boolean", False),
        *rows("list", "ContactAddresses", "CustomFields", "Portfolios", "SlaValues", "Teams", "BizHours"),
        *rows("list", "EscalationRules", "SpecDispatchRules", "OnCallRules", "Responsibilities"),
        *rows("boolean", "UseBizHours", "UseHolidays", "UseOnCall", "UseEscalation"),
        ("DefaultBillToLogic", "integer", 1),
        ("TurnKickOffAuto", "boolean", True),
        *rows("integer", "TurnKickOffLagDays", "TurnKickOffOnDays", sample=7),
        *rows("integer", "EarliestSlot", "LatestSlot", "SlotsCount", sample=5),
        *rows("boolean", "IsPrecalculatedSchedule", "AllowTimePreference"),
        *rows("integer", "TurnTemplateId", "IsmSpecGroupId", sample=0),
        ("IsmUrl", "string", "https://safety.example/induction"),
        ("ExcludeNonCompliantProviders", "string", "InheritGlobalSettings"),
        ("IsNteAuto", "boolean", True),
        ("IsRemoved", "boolean", False),
        ("ConcurrencyId", "integer", 35),
        ("Id", "integer", 14),
    ),
)

EMPLOYEE = Table(
    "2.6",
    "Employee",
    (
        *rows("string", "FirstName", "LastName", "DisplayAs", "Username", "Instructions", "Password"),
        *rows("string", "Number", "JobTitle", "FederalId", "ExternalId"),
        ("AccessToAllWorkZones", "boolean", True),
        ("LanguageId", "integer", 1033),
        ("ActorTypeId", "string", "Employee"),
        ("DtPwdChange", "local", "2024-02-05T00:00:00"),
        *rows("integer", "WonMemberId", "WonLocationId", "WonServiceRadius"),
        ("IsElectronicPayment", "boolean", False),
        ("ProviderStatusId", "string", "Connected"),
        ("LabelId", "integer", 0),
        ("FreeTextAllowed", "boolean", True),
        ("RadiusUnit", "string", "Mile"),
        *rows("boolean", "ForcePasswordReset", "TaxWarnOnly", "BillAtZero", "IsSupplier", "TaxExempt"),
        ("ProviderTypeId", "string", "Regular"),
        ("LimitAssignmentByPortfolioId", "integer", 0),
        *rows("list", "PriceLists", "CustomFields", "ContactAddresses", "Teams", "WorkZones", "Portfolios"),
        *rows("list", "CustomerGroups", "Specialties", "PayRates", "StockLocations", "Services"),
        ("AlertSubscriptions", "list", []),
        ("IsRemoved", "boolean", False),
        ("ConcurrencyId", "integer", 6),
        ("Id", "integer", 208),
    ),
)
