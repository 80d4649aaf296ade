"""Properties of every entity, for type checkers.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any, overload

from wosdk_async.model import (
    Actor,
    ActorType,
    Address,
    Address2,
    AlertScope,
    AlertSubscription,
    AlertType,
    ApInvoiceStatus,
    ApprovalRule,
    ApprovalScope,
    ApprovalTemplate,
    ApprovalTemplateStep,
    ApState,
    AssetAttribute,
    AssetInfo,
    AssetSystem,
    AssetTemplate,
    AssetTree,
    AssetType,
    AttributeDescriptor,
    AttributeOption,
    BackupRouting,
    BillingAccount,
    BillingRule,
    BillStatus,
    BillToOption,
    BillToTypeRule,
    Blob,
    BusinessHours,
    CfSharingMode,
    CfType,
    ChargeCodeLookup,
    CiActionType,
    CiInvoiceState,
    CiItemType,
    Contact,
    ContactAddress,
    ContactAddrType,
    ContactInfo,
    ContactMoneyValues,
    Contract,
    CorporateEntity,
    CostCategory,
    CostState,
    CurrencyType,
    Customer,
    CustomerNoteType,
    CustomField,
    CustomField2,
    CustomFieldAutocompleteOption,
    CustomFieldDescriptor,
    CustomFieldOption,
    Disposition,
    DistanceUnit,
    Document,
    DocumentStorageType,
    DocumentType,
    DraftProcessStep,
    Employee,
    EmployeeWonStatus,
    EntityType,
    EscalationRule,
    ExcludeCoi,
    FinancialItem,
    ForecastGroup,
    GeoStatus,
    GLAccount,
    Holiday,
    InsuranceStatus,
    InternalCostStatus,
    Invoice,
    InvoiceDictionaryItem,
    InvoiceLine,
    InvoiceLog,
    IsmStatus,
    JurisdictionType,
    LaborCode,
    LaborCodeType,
    LeaseContactType,
    LeasingSpaceStatus,
    LinkContactAndGroup,
    LinkCustomerAndGroup,
    LinkModelAndAttribute,
    LinkPortfolioAndWorkZone,
    LinkProcedureCategoryAndTemplate,
    LinkProductAndSupplier,
    LinkProviderAndService,
    LinkProviderPriceList,
    LinkTeamAndWorkZone,
    LinkUserAndCustomerGroup,
    LinkUserAndPortfolio,
    LinkUserAndSpecialty,
    LinkUserAndStockLocation,
    LinkUserAndTeam,
    LinkUserAndWorkZone,
    Location,
    LsNoteAccess,
    MaterialTransaction,
    MaterialTransactionItem,
    MhLocationType,
    MhOrderStatus,
    MhTransactionType,
    MhUnit,
    Model,
    Note,
    OnCallRule,
    OnSiteValidationResult,
    OnSiteValidationType,
    Organization,
    Payment,
    PaymentItem,
    PaymentMethod,
    PaymentState,
    PmItem,
    PmSchedule,
    Portfolio,
    PortfolioType,
    PriceList,
    PriceListItem,
    PriceListType,
    PrintoutStatus,
    PrintoutTemplate,
    ProcedureCategory,
    ProcedureFlagReason,
    ProcedureStatus,
    ProcedureStepType,
    ProcedureTemplate,
    ProcedureTemplateStep,
    ProcedureType,
    Product,
    ProductCategory,
    ProductMoneyValues,
    ProviderCoi,
    ProviderlType,
    PTEType,
    QuoteOrEstimateItem,
    QuoteStatus,
    RateType,
    Record,
    RepairCode,
    ReplenishmentOrder,
    ReplenishmentOrderItem,
    Responsibility,
    ResponsibilityType,
    Role,
    RoleMoneyValues,
    SchedInterval,
    SlaValuesOverride,
    Space,
    SpecDispatchRule,
    Specialty,
    SpecialtyMoneyValues,
    StockLocation,
    StockLocationInventoryDetails,
    StreetAddrType,
    Task,
    TaskMoneyValues,
    TaskSelfHelpType,
    TaxCode,
    TaxRegion,
    TaxRegionItem,
    TaxValidationStatus,
    Team,
    TimeCard,
    TimeCardItem,
    TimeCardStatus,
    TimeCardType,
    TimeCardWeek,
    TimeOff,
    TimePeriod,
    ToDoItem,
    ToDoType,
    Turn,
    TurnStatus,
    UIType,
    UserPayRate,
    UserPayRateMoneyValues,
    VendorType,
    Warranty,
    WarrantyStatus,
    WoActionLog,
    WoActionLogProp,
    WOActionProperty,
    WoActionReasonLookup,
    WOActionType,
    WoAssignment,
    WoCostExclusion,
    WoCostLineType,
    WoEquipment,
    WoEquipmentType,
    WoEstimate,
    WoFlag,
    WoItem,
    WoLastAction,
    WoNote,
    WONoteType,
    WoOnSite,
    WoPriority,
    WoProcedure,
    WoProcedureStep,
    WoQuote,
    WoRating,
    WorkOrder,
    WorkOrderCost,
    WorkOrderStatus,
    WorkOrderType,
    WorkZone,
    WOType,
    WoVerification,
    WpTree,
)
from wosdk_async.query.properties import Nested, Property, TextProperty, Unchecked

__all__ = ["fields"]

@overload
def fields(entity: type[WorkZone]) -> WorkZoneFields: ...
@overload
def fields(entity: type[WorkOrderType]) -> WorkOrderTypeFields: ...
@overload
def fields(entity: type[WoProcedureStep]) -> WoProcedureStepFields: ...
@overload
def fields(entity: type[WoProcedure]) -> WoProcedureFields: ...
@overload
def fields(entity: type[WoActionReasonLookup]) -> WoActionReasonLookupFields: ...
@overload
def fields(entity: type[UserPayRateMoneyValues]) -> UserPayRateMoneyValuesFields: ...
@overload
def fields(entity: type[TimePeriod]) -> TimePeriodFields: ...
@overload
def fields(entity: type[Team]) -> TeamFields: ...
@overload
def fields(entity: type[TaxRegion]) -> TaxRegionFields: ...
@overload
def fields(entity: type[TaxCode]) -> TaxCodeFields: ...
@overload
def fields(entity: type[TaskMoneyValues]) -> TaskMoneyValuesFields: ...
@overload
def fields(entity: type[Task]) -> TaskFields: ...
@overload
def fields(entity: type[SpecialtyMoneyValues]) -> SpecialtyMoneyValuesFields: ...
@overload
def fields(entity: type[Specialty]) -> SpecialtyFields: ...
@overload
def fields(entity: type[SpecDispatchRule]) -> SpecDispatchRuleFields: ...
@overload
def fields(entity: type[Space]) -> SpaceFields: ...
@overload
def fields(entity: type[SlaValuesOverride]) -> SlaValuesOverrideFields: ...
@overload
def fields(entity: type[RoleMoneyValues]) -> RoleMoneyValuesFields: ...
@overload
def fields(entity: type[Responsibility]) -> ResponsibilityFields: ...
@overload
def fields(entity: type[RepairCode]) -> RepairCodeFields: ...
@overload
def fields(entity: type[ProductMoneyValues]) -> ProductMoneyValuesFields: ...
@overload
def fields(entity: type[ProductCategory]) -> ProductCategoryFields: ...
@overload
def fields(entity: type[Product]) -> ProductFields: ...
@overload
def fields(entity: type[ProcedureTemplateStep]) -> ProcedureTemplateStepFields: ...
@overload
def fields(entity: type[ProcedureTemplate]) -> ProcedureTemplateFields: ...
@overload
def fields(entity: type[ProcedureFlagReason]) -> ProcedureFlagReasonFields: ...
@overload
def fields(entity: type[ProcedureCategory]) -> ProcedureCategoryFields: ...
@overload
def fields(entity: type[OnCallRule]) -> OnCallRuleFields: ...
@overload
def fields(entity: type[Model]) -> ModelFields: ...
@overload
def fields(entity: type[LaborCode]) -> LaborCodeFields: ...
@overload
def fields(entity: type[InvoiceDictionaryItem]) -> InvoiceDictionaryItemFields: ...
@overload
def fields(entity: type[Holiday]) -> HolidayFields: ...
@overload
def fields(entity: type[EscalationRule]) -> EscalationRuleFields: ...
@overload
def fields(entity: type[Employee]) -> EmployeeFields: ...
@overload
def fields(entity: type[Disposition]) -> DispositionFields: ...
@overload
def fields(entity: type[CustomerNoteType]) -> CustomerNoteTypeFields: ...
@overload
def fields(entity: type[Customer]) -> CustomerFields: ...
@overload
def fields(entity: type[CustomFieldDescriptor]) -> CustomFieldDescriptorFields: ...
@overload
def fields(entity: type[ContactMoneyValues]) -> ContactMoneyValuesFields: ...
@overload
def fields(entity: type[Contact]) -> ContactFields: ...
@overload
def fields(entity: type[ChargeCodeLookup]) -> ChargeCodeLookupFields: ...
@overload
def fields(entity: type[BusinessHours]) -> BusinessHoursFields: ...
@overload
def fields(entity: type[BillingAccount]) -> BillingAccountFields: ...
@overload
def fields(entity: type[AttributeDescriptor]) -> AttributeDescriptorFields: ...
@overload
def fields(entity: type[ApInvoiceStatus]) -> ApInvoiceStatusFields: ...
@overload
def fields(entity: type[WpTree]) -> WpTreeFields: ...
@overload
def fields(entity: type[WorkOrderCost]) -> WorkOrderCostFields: ...
@overload
def fields(entity: type[WorkOrder]) -> WorkOrderFields: ...
@overload
def fields(entity: type[WoVerification]) -> WoVerificationFields: ...
@overload
def fields(entity: type[WoQuote]) -> WoQuoteFields: ...
@overload
def fields(entity: type[WoOnSite]) -> WoOnSiteFields: ...
@overload
def fields(entity: type[WoItem]) -> WoItemFields: ...
@overload
def fields(entity: type[WoFlag]) -> WoFlagFields: ...
@overload
def fields(entity: type[WoEstimate]) -> WoEstimateFields: ...
@overload
def fields(entity: type[WoEquipment]) -> WoEquipmentFields: ...
@overload
def fields(entity: type[Warranty]) -> WarrantyFields: ...
@overload
def fields(entity: type[UserPayRate]) -> UserPayRateFields: ...
@overload
def fields(entity: type[Turn]) -> TurnFields: ...
@overload
def fields(entity: type[ToDoType]) -> ToDoTypeFields: ...
@overload
def fields(entity: type[TimeOff]) -> TimeOffFields: ...
@overload
def fields(entity: type[TimeCardItem]) -> TimeCardItemFields: ...
@overload
def fields(entity: type[TimeCard]) -> TimeCardFields: ...
@overload
def fields(entity: type[TaxRegionItem]) -> TaxRegionItemFields: ...
@overload
def fields(entity: type[StockLocation]) -> StockLocationFields: ...
@overload
def fields(entity: type[Role]) -> RoleFields: ...
@overload
def fields(entity: type[ResponsibilityType]) -> ResponsibilityTypeFields: ...
@overload
def fields(entity: type[ReplenishmentOrderItem]) -> ReplenishmentOrderItemFields: ...
@overload
def fields(entity: type[ReplenishmentOrder]) -> ReplenishmentOrderFields: ...
@overload
def fields(entity: type[QuoteOrEstimateItem]) -> QuoteOrEstimateItemFields: ...
@overload
def fields(entity: type[ProviderCoi]) -> ProviderCoiFields: ...
@overload
def fields(entity: type[PriceListItem]) -> PriceListItemFields: ...
@overload
def fields(entity: type[PriceList]) -> PriceListFields: ...
@overload
def fields(entity: type[Portfolio]) -> PortfolioFields: ...
@overload
def fields(entity: type[PaymentItem]) -> PaymentItemFields: ...
@overload
def fields(entity: type[Payment]) -> PaymentFields: ...
@overload
def fields(entity: type[Organization]) -> OrganizationFields: ...
@overload
def fields(entity: type[LinkUserAndWorkZone]) -> LinkUserAndWorkZoneFields: ...
@overload
def fields(entity: type[LinkUserAndTeam]) -> LinkUserAndTeamFields: ...
@overload
def fields(entity: type[LinkUserAndStockLocation]) -> LinkUserAndStockLocationFields: ...
@overload
def fields(entity: type[LinkUserAndSpecialty]) -> LinkUserAndSpecialtyFields: ...
@overload
def fields(entity: type[LinkUserAndPortfolio]) -> LinkUserAndPortfolioFields: ...
@overload
def fields(entity: type[LinkUserAndCustomerGroup]) -> LinkUserAndCustomerGroupFields: ...
@overload
def fields(entity: type[LinkProviderPriceList]) -> LinkProviderPriceListFields: ...
@overload
def fields(entity: type[LinkProviderAndService]) -> LinkProviderAndServiceFields: ...
@overload
def fields(entity: type[LinkProductAndSupplier]) -> LinkProductAndSupplierFields: ...
@overload
def fields(entity: type[InvoiceLine]) -> InvoiceLineFields: ...
@overload
def fields(entity: type[Invoice]) -> InvoiceFields: ...
@overload
def fields(entity: type[FinancialItem]) -> FinancialItemFields: ...
@overload
def fields(entity: type[DocumentType]) -> DocumentTypeFields: ...
@overload
def fields(entity: type[Document]) -> DocumentFields: ...
@overload
def fields(entity: type[CustomFieldOption]) -> CustomFieldOptionFields: ...
@overload
def fields(entity: type[CustomFieldAutocompleteOption]) -> CustomFieldAutocompleteOptionFields: ...
@overload
def fields(entity: type[CorporateEntity]) -> CorporateEntityFields: ...
@overload
def fields(entity: type[Contract]) -> ContractFields: ...
@overload
def fields(entity: type[ContactInfo]) -> ContactInfoFields: ...
@overload
def fields(entity: type[AttributeOption]) -> AttributeOptionFields: ...
@overload
def fields(entity: type[AssetTemplate]) -> AssetTemplateFields: ...
@overload
def fields(entity: type[AssetAttribute]) -> AssetAttributeFields: ...
@overload
def fields(entity: type[ApprovalTemplateStep]) -> ApprovalTemplateStepFields: ...
@overload
def fields(entity: type[ApprovalTemplate]) -> ApprovalTemplateFields: ...
@overload
def fields(entity: type[ApprovalScope]) -> ApprovalScopeFields: ...
@overload
def fields(entity: type[AlertSubscription]) -> AlertSubscriptionFields: ...
@overload
def fields(entity: type[AlertScope]) -> AlertScopeFields: ...
@overload
def fields(entity: type[Address2]) -> Address2Fields: ...
@overload
def fields(entity: type[WoPriority]) -> WoPriorityFields: ...
@overload
def fields(entity: type[WoNote]) -> WoNoteFields: ...
@overload
def fields(entity: type[WoLastAction]) -> WoLastActionFields: ...
@overload
def fields(entity: type[WoAssignment]) -> WoAssignmentFields: ...
@overload
def fields(entity: type[WoActionLogProp]) -> WoActionLogPropFields: ...
@overload
def fields(entity: type[WoActionLog]) -> WoActionLogFields: ...
@overload
def fields(entity: type[ToDoItem]) -> ToDoItemFields: ...
@overload
def fields(entity: type[TimeCardWeek]) -> TimeCardWeekFields: ...
@overload
def fields(entity: type[StockLocationInventoryDetails]) -> StockLocationInventoryDetailsFields: ...
@overload
def fields(entity: type[PrintoutTemplate]) -> PrintoutTemplateFields: ...
@overload
def fields(entity: type[Note]) -> NoteFields: ...
@overload
def fields(entity: type[MaterialTransactionItem]) -> MaterialTransactionItemFields: ...
@overload
def fields(entity: type[MaterialTransaction]) -> MaterialTransactionFields: ...
@overload
def fields(entity: type[Location]) -> LocationFields: ...
@overload
def fields(entity: type[LinkTeamAndWorkZone]) -> LinkTeamAndWorkZoneFields: ...
@overload
def fields(entity: type[LinkProcedureCategoryAndTemplate]) -> LinkProcedureCategoryAndTemplateFields: ...
@overload
def fields(entity: type[LinkPortfolioAndWorkZone]) -> LinkPortfolioAndWorkZoneFields: ...
@overload
def fields(entity: type[LinkModelAndAttribute]) -> LinkModelAndAttributeFields: ...
@overload
def fields(entity: type[LinkCustomerAndGroup]) -> LinkCustomerAndGroupFields: ...
@overload
def fields(entity: type[LinkContactAndGroup]) -> LinkContactAndGroupFields: ...
@overload
def fields(entity: type[InvoiceLog]) -> InvoiceLogFields: ...
@overload
def fields(entity: type[InternalCostStatus]) -> InternalCostStatusFields: ...
@overload
def fields(entity: type[GLAccount]) -> GLAccountFields: ...
@overload
def fields(entity: type[CustomField2]) -> CustomField2Fields: ...
@overload
def fields(entity: type[CustomField]) -> CustomFieldFields: ...
@overload
def fields(entity: type[ContactAddress]) -> ContactAddressFields: ...
@overload
def fields(entity: type[Blob]) -> BlobFields: ...
@overload
def fields(entity: type[BillToOption]) -> BillToOptionFields: ...
@overload
def fields(entity: type[AssetTree]) -> AssetTreeFields: ...
@overload
def fields(entity: type[AssetSystem]) -> AssetSystemFields: ...
@overload
def fields(entity: type[AssetInfo]) -> AssetInfoFields: ...
@overload
def fields(entity: type[Address]) -> AddressFields: ...
@overload
def fields(entity: type[Actor]) -> ActorFields: ...
@overload
def fields(entity: type[PmSchedule]) -> PmScheduleFields: ...
@overload
def fields(entity: type[PmItem]) -> PmItemFields: ...
@overload
def fields(entity: type[Record]) -> Any: ...
@overload
def fields(entity: str) -> Unchecked: ...

class EntityFields(Nested):
    id: Property[int]
    perform_deletion: Property[bool]
    is_new: Property[bool]

class EntitySpecifierFields(Nested):
    entity_type: Property[EntityType | str]
    id: Property[int]
    concurrency_id: Property[int]

class ErrorInfoFields(Nested):
    number: Property[int]
    description: TextProperty
    type: TextProperty

class GetDocDownloadUrlFields(Nested):
    document_id: Property[int]
    url: TextProperty
    file_name: TextProperty

class LicensedProviderFields(Nested):
    order_idx: Property[int]
    employee_id: Property[int]
    employee_name: TextProperty
    coverage_type_name: TextProperty
    coverage_type_id: Property[int]
    license_type_id: Property[int]
    license_type_name: TextProperty

class MoneyFields(Nested):
    currency_type_id: Property[CurrencyType | str]
    value: Property[Decimal | float]

class NestedEntityOperationResultFields(Nested):
    entity_path: TextProperty
    entity_specifier: EntitySpecifierFields

class NewUnitSpecifierFields(Nested):
    building_name: TextProperty
    building_floor_plan: TextProperty
    floor_name: TextProperty
    floor_floor_plan: TextProperty
    unit_name: TextProperty
    unit_floor_plan: TextProperty
    street_address: Address2Fields
    unit_info: AssetInfoFields
    space_name: TextProperty
    space_floor_plan: TextProperty

class PmItemFields(Nested): ...
class PmScheduleFields(Nested): ...

class ProcedureStepDocumentFields(Nested):
    document_id: Property[int]
    url: TextProperty
    procedure_step_id: Property[int]
    document_created_utc: Property[datetime]

class PropertySetFields(Nested):
    properties: TextProperty

class TaxDetailFields(Nested):
    juris_type: Property[JurisdictionType | str]
    juris_name: TextProperty
    rate: Property[Decimal | float]
    tax_calculated: Property[Decimal | float]
    money_id: Property[int]
    tax_date: Property[datetime]

class UserSignInInfoFields(Nested):
    id: Property[int]
    created_date: Property[datetime]
    last_sign_in_date: Property[datetime]
    sign_in_count: Property[int]

class ActorFields(EntityFields):
    type_id: Property[ActorType | str]
    display_as: TextProperty

class AddressFields(EntityFields):
    street: TextProperty
    city: TextProperty
    state: TextProperty
    zip: TextProperty
    street2: TextProperty
    actor_type_id: Property[ActorType | str]
    type_id: Property[StreetAddrType | str]
    actor_id: Property[int]
    latitude: Property[Decimal | float]
    longitude: Property[Decimal | float]
    country: TextProperty

class AssetInfoFields(EntityFields):
    asset_id: Property[int]
    community_id: Property[int]
    serial_number: TextProperty
    tag_id: TextProperty
    check_phone: TextProperty
    asset_system: AssetSystemFields

class AssetSystemFields(EntityFields):
    description: TextProperty
    display_as: TextProperty

class AssetTreeFields(EntityFields):
    parent_id: Property[int]
    child_id: Property[int]
    child: LocationFields
    distance: Property[int]

class BillToOptionFields(EntityFields):
    display_as: TextProperty
    code: TextProperty
    type_id: Property[BillToTypeRule | str]

class BlobFields(EntityFields):
    actor_id: Property[int]
    actor_type_id: Property[ActorType | str]
    body: TextProperty
    file_name: TextProperty
    type_id: TextProperty

class ContactAddressFields(EntityFields):
    type_id: Property[ContactAddrType | str]
    address: TextProperty
    is_default: Property[bool]
    is_alert: Property[bool]
    is_locked: Property[bool]
    is_report: Property[bool]

class CustomFieldFields(EntityFields):
    descriptor: CustomFieldDescriptorFields
    object_id: Property[int]
    value: TextProperty
    object_type_id: Property[ActorType | str]

class CustomField2Fields(EntityFields):
    descriptor: CustomFieldDescriptorFields
    object_id: Property[int]
    object_type_id: Property[ActorType | str]
    value: TextProperty
    currency_type_id: Property[CurrencyType | str]

class EmployeeLinkEntityFields(EntityFields): ...

class GLAccountFields(EntityFields):
    display_as: TextProperty
    descr: TextProperty
    is_income: Property[bool]

class InternalCostStatusFields(EntityFields):
    name: TextProperty
    description: TextProperty
    forecast_group_id: Property[ForecastGroup | str]
    internal_cost_state_id: Property[CostState | str]

class InvoiceLogFields(EntityFields):
    invoice: InvoiceFields
    actor: ActorFields
    idx: Property[int]
    action_type_id: Property[CiActionType | str]
    dt_stamp: Property[datetime]
    dt_actual: Property[datetime]
    comments: TextProperty

class LinkContactAndGroupFields(EntityFields):
    contact_id: Property[int]
    customer_group_id: Property[int]
    is_billing_contact: Property[bool]

class LinkCustomerAndGroupFields(EntityFields):
    customer_id: Property[int]
    customer_group_id: Property[int]
    is_billing_account: Property[bool]
    is_parent_removed: Property[bool]

class LinkModelAndAttributeFields(EntityFields):
    model_id: Property[int]
    attribute_descriptor_id: Property[int]

class LinkPortfolioAndWorkZoneFields(EntityFields):
    work_zone_id: Property[int]
    portfolio_id: Property[int]
    is_primary: Property[bool]

class LinkProcedureCategoryAndTemplateFields(EntityFields):
    procedure_category_id: Property[int]
    procedure_template_id: Property[int]

class LinkTeamAndWorkZoneFields(EntityFields):
    team_id: Property[int]
    work_zone_id: Property[int]
    is_default: Property[bool]

class LocationFields(EntityFields):
    name: TextProperty
    address: Address2Fields
    model_id: Property[int]
    orphan: Property[bool]
    type_id: Property[AssetType | str]
    parent_id: Property[int]
    root_id: Property[int]
    is_template: Property[bool]
    info: AssetInfoFields
    documents: DocumentFields
    is_offline: Property[bool]
    is_locked: Property[bool]
    attributes: AssetAttributeFields
    is_restricted: Property[bool]
    is_direct_parts: Property[bool]
    include_non_controllable_expenses: Property[bool]
    critical_facilities: TextProperty

class LockedEntityFields(EntityFields):
    concurrency_id: Property[int]

class MaterialTransactionFields(EntityFields):
    type_id: Property[MhTransactionType | str]
    work_order_id: Property[int]
    po_number: TextProperty
    supplier_id: Property[int]
    supplier_order_number: TextProperty
    transaction_date: Property[datetime]
    comments: TextProperty
    creator_id: Property[int]
    creator_type_id: Property[ActorType | str]
    is_committed: Property[bool]
    stock_location_id: Property[int]
    source_stock_location_id: Property[int]
    replenishment_order_id: Property[int]
    items: MaterialTransactionItemFields

class MaterialTransactionItemFields(EntityFields):
    transaction_id: Property[int]
    product_id: Property[int]
    stock_location_id: Property[int]
    source_stock_location_id: Property[int]
    type_id: Property[MhTransactionType | str]
    financial_item_id: Property[int]
    quantity: Property[Decimal | float]
    price: Property[Decimal | float]
    line_amount: Property[Decimal | float]
    replenishment_order_item_id: Property[int]
    currency_type_id: Property[CurrencyType | str]

class NoteFields(EntityFields):
    actor_id: Property[int]
    actor_type_id: Property[ActorType | str]
    note_type_lookup: CustomerNoteTypeFields
    is_resolved: Property[bool]
    created_at: Property[datetime]
    created_by: ActorFields
    updated_at: Property[datetime]
    updated_by: ActorFields
    note_text: TextProperty
    body: TextProperty
    work_order_id: Property[int]
    note_type_id: Property[int]

class PrintoutTemplateFields(EntityFields):
    display_as: TextProperty
    is_default: Property[bool]
    is_hidden: Property[bool]
    status_id: Property[PrintoutStatus | str]
    actor_type_id: Property[ActorType | str]

class SimpleLookupEntityFields(EntityFields):
    display_as: TextProperty

class StockLocationInventoryDetailsFields(EntityFields):
    stock_location_id: Property[int]
    product_id: Property[int]
    price: Property[Decimal | float]
    quantity: Property[Decimal | float]
    created_on: Property[datetime]
    currency_type_id: Property[CurrencyType | str]

class TimeCardWeekFields(EntityFields):
    start_date: Property[datetime]
    end_date: Property[datetime]

class ToDoItemFields(EntityFields):
    actor_id: Property[int]
    actor_type_id: Property[ActorType | str]
    dt_utc_due: Property[datetime]
    done: Property[bool]
    description: TextProperty
    comments: TextProperty
    employee_id: Property[int]
    created_employee_id: Property[int]
    completed_employee_id: Property[int]
    dt_utc_completed: Property[datetime]
    type: ToDoTypeFields

class WoActionLogFields(EntityFields):
    work_order_id: Property[int]
    type_id: Property[WOActionType | str]
    actor: ActorFields
    action_date: Property[datetime]
    comment: TextProperty
    action_reason_id: Property[int]
    is_back_date: Property[bool]
    ui_type_id: Property[UIType | str]
    time_zone: Property[int]
    system_date_utc: Property[datetime]
    object_id: Property[int]
    properties: WoActionLogPropFields

class WoActionLogPropFields(EntityFields):
    wo_action_log_id: Property[int]
    value_int: Property[int]
    value_str: TextProperty
    type_id: Property[WOActionProperty | str]

class WoAssignmentFields(EntityFields):
    work_order_id: Property[int]
    is_primary: Property[bool]
    employee_id: Property[int]

class WoLastActionFields(EntityFields):
    work_order_id: Property[int]
    last_action: WoActionLogFields
    emergency_reason: WoActionReasonLookupFields
    reason: WoActionReasonLookupFields
    bill_status: Property[BillStatus | str]
    invoice: InvoiceFields
    billed_total: MoneyFields
    x_number: TextProperty

class WoNoteFields(EntityFields):
    created_date: Property[datetime]
    body: TextProperty
    work_order_id: Property[int]
    note_type_id: Property[WONoteType | str]
    created_by: ActorFields

class WoPriorityFields(EntityFields):
    display_as: TextProperty
    is_emergency: Property[bool]
    acknowledge_in_minutes: Property[int]
    respond_in_minutes: Property[int]
    due_in_minutes: Property[int]

class Address2Fields(LockedEntityFields):
    actor_type_id: Property[ActorType | str]
    actor_id: Property[int]
    type_id: Property[StreetAddrType | str]
    street: TextProperty
    street2: TextProperty
    city: TextProperty
    state: TextProperty
    zip: TextProperty
    country: TextProperty
    geo_status_id: Property[GeoStatus | str]
    latitude: Property[Decimal | float]
    longitude: Property[Decimal | float]

class AlertScopeFields(LockedEntityFields):
    user_id: Property[int]
    alert_type_id: Property[AlertType | str]
    scope_id: Property[int]
    scope_type_id: Property[ActorType | str]

class AlertSubscriptionFields(LockedEntityFields):
    user_id: Property[int]
    alert_type_id: Property[AlertType | str]
    full_scope_subscription: Property[bool]
    subscription_scope: AlertScopeFields

class ApprovalScopeFields(LockedEntityFields):
    actor_id: Property[int]
    actor_type_id: Property[ActorType | str]
    is_default: Property[bool]
    approval_template: ApprovalTemplateFields

class ApprovalTemplateFields(LockedEntityFields):
    display_as: TextProperty
    steps: ApprovalTemplateStepFields

class ApprovalTemplateStepFields(LockedEntityFields):
    approval_template_id: Property[int]
    step_number: Property[int]
    actor_type_id: Property[ActorType | str]
    actor_id: Property[int]
    rule_id: Property[ApprovalRule | str]
    auto_skip_hours: Property[int]
    is_parallel: Property[bool]

class AssetAttributeFields(LockedEntityFields):
    id: Property[int]
    perform_deletion: Property[bool]
    descriptor: AttributeDescriptorFields
    asset_id: Property[int]
    top_asset_id: Property[int]
    currency_type_id: Property[CurrencyType | str]
    value: TextProperty

class AssetTemplateFields(LockedEntityFields):
    display_as: TextProperty
    root_asset_id: Property[int]

class AttributeOptionFields(LockedEntityFields):
    parent_id: Property[int]
    idx: Property[int]
    value: TextProperty

class ContactInfoFields(LockedEntityFields):
    actor_type_id: Property[ActorType | str]
    actor_id: Property[int]
    addr_type_id: Property[ContactAddrType | str]
    address: TextProperty
    is_alert: Property[bool]
    is_report: Property[bool]

class ContractFields(SimpleLookupEntityFields): ...

class CorporateEntityFields(LockedEntityFields):
    display_as: TextProperty
    number: TextProperty

class CustomFieldAutocompleteOptionFields(LockedEntityFields):
    descriptor_id: Property[int]
    value: TextProperty

class CustomFieldOptionFields(LockedEntityFields):
    parent_id: Property[int]
    idx: Property[int]
    value: TextProperty

class DocumentFields(LockedEntityFields):
    actor_id: Property[int]
    actor_type_id: Property[ActorType | str]
    description: TextProperty
    title: TextProperty
    doc_type: DocumentTypeFields
    end_date: Property[datetime]
    start_date: Property[datetime]
    updated_date: Property[datetime]
    extension_id: Property[int]
    is_shared: Property[bool]
    is_public: Property[bool]
    storage_type_id: Property[DocumentStorageType | str]
    doc_url: TextProperty
    mime_type: TextProperty
    updated_by: ActorFields
    won_id: Property[int]
    won_member_id: Property[int]
    blob: BlobFields

class DocumentTypeFields(LockedEntityFields):
    description: TextProperty
    display_as: TextProperty

class FinancialItemFields(LockedEntityFields):
    wo_id: Property[int]
    currency_type_id: Property[CurrencyType | str]
    comment: TextProperty
    amount: MoneyFields
    cost_category_id: Property[CostCategory | str]
    rate: MoneyFields
    start_date: Property[datetime]
    duration: Property[int]
    invoice_item: InvoiceDictionaryItemFields
    exclude: Property[bool]
    rule_modification: Property[WoCostExclusion | str]
    product: ProductFields
    employee: EmployeeFields
    quantity: Property[Decimal | float]
    labor_code: LaborCodeFields
    type_id: Property[WoCostLineType | str]
    tax_amount: MoneyFields
    withholding_tax_rate: Property[Decimal | float]
    withholding_tax_rate_undefined: Property[bool]
    stock_location: StockLocationFields
    tax_code_reference: TaxCodeFields
    non_billable: Property[bool]
    merchant_name: TextProperty
    check_for_non_billable: Property[bool]

class InvoiceFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    time_set_id: Property[int]
    period: TimePeriodFields
    group: BillingAccountFields
    number: TextProperty
    state: Property[CiInvoiceState | str]
    po_number: TextProperty
    dt_due: Property[datetime]
    gl_account: TextProperty
    comments: TextProperty
    amt_base: MoneyFields
    amt_tax: MoneyFields
    amt_total: MoneyFields
    is_multiline: Property[bool]
    tax_transaction_id: TextProperty
    is_tax_dirty: Property[bool]
    line_items: InvoiceLineFields
    ext_number: TextProperty
    dt_posted: Property[datetime]
    is_manually_sent: Property[bool]
    draft_process_step_id: Property[DraftProcessStep | str]

class InvoiceLineFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    invoice_item: InvoiceDictionaryItemFields
    work_order: WorkOrderFields
    location: LocationFields
    customer: CustomerFields
    type: Property[CiItemType | str]
    dt_service: Property[datetime]
    descr: TextProperty
    qty: Property[Decimal | float]
    rate: MoneyFields
    tax_rate: Property[Decimal | float]
    amt_tax: MoneyFields
    amt_total: MoneyFields
    tax_code: TextProperty
    tax_code_reference: TaxCodeFields

class LinkProductAndSupplierFields(LockedEntityFields):
    product_id: Property[int]
    supplier_id: Property[int]
    part_number: TextProperty
    is_default: Property[bool]

class LinkProviderAndServiceFields(EmployeeLinkEntityFields):
    provider_id: Property[int]
    service_id: Property[int]

class LinkProviderPriceListFields(LockedEntityFields):
    provider_id: Property[int]
    portfolio_id: Property[int]
    price_list_id: Property[int]
    idx: Property[int]

class LinkUserAndCustomerGroupFields(EmployeeLinkEntityFields):
    user_id: Property[int]
    customer_group_id: Property[int]

class LinkUserAndPortfolioFields(EmployeeLinkEntityFields):
    user_id: Property[int]
    portfolio_id: Property[int]

class LinkUserAndSpecialtyFields(EmployeeLinkEntityFields):
    user_id: Property[int]
    specialty_id: Property[int]

class LinkUserAndStockLocationFields(EmployeeLinkEntityFields):
    user_id: Property[int]
    stock_location_id: Property[int]
    full_access: Property[int]

class LinkUserAndTeamFields(EmployeeLinkEntityFields):
    user_id: Property[int]
    team_id: Property[int]

class LinkUserAndWorkZoneFields(EmployeeLinkEntityFields):
    user_id: Property[int]
    work_zone_id: Property[int]

class LockedSimpleLookupEntityFields(LockedEntityFields):
    display_as: TextProperty

class LookupEntityFields(LockedEntityFields):
    is_removed: Property[bool]
    display_as: TextProperty

class MoneyValuesEntityFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    parent_id: Property[int]

class OrganizationFields(LockedEntityFields):
    display_as: TextProperty
    number: TextProperty
    custom_fields: CustomField2Fields
    notes: NoteFields
    contact_addresses: ContactInfoFields
    address: Address2Fields

class PaymentFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    group: BillingAccountFields
    number: TextProperty
    state: Property[PaymentState | str]
    comments: TextProperty
    method: Property[PaymentMethod | str]
    reference: TextProperty
    dt_stamp: Property[datetime]
    amt_payment: MoneyFields
    amt_balance: MoneyFields
    dt_posted: Property[datetime]
    time_set_id: Property[int]
    items: PaymentItemFields

class PaymentItemFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    object_type_id: Property[ActorType | str]
    object_id: Property[int]
    is_credit: Property[bool]
    amt_balance: MoneyFields
    amt_used: MoneyFields
    ref_invoice: InvoiceFields
    ref_payment: PaymentFields

class PortfolioFields(LockedEntityFields):
    is_removed: Property[bool]
    display_as: TextProperty
    type_id: Property[PortfolioType | str]
    parent_portfolio_id: Property[int]
    use_biz_hours: Property[bool]
    use_holidays: Property[bool]
    use_on_call: Property[bool]
    use_escalation: Property[bool]
    turn_template_id: Property[int]
    sla_values: SlaValuesOverrideFields

class PortfolioChildEntityFields(LockedEntityFields):
    actor_id: Property[int]
    actor_type_id: Property[ActorType | str]

class PriceListFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    display_as: TextProperty
    type_id: Property[PriceListType | str]

class PriceListItemFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    vendor_rate: MoneyFields
    description: TextProperty
    rate_type: Property[RateType | str]
    vendor_type: Property[VendorType | str]
    price_list_id: Property[int]
    rate: MoneyFields
    invoice_item: InvoiceDictionaryItemFields

class ProviderCoiFields(LockedEntityFields):
    display_as: TextProperty
    employee_id: Property[int]
    amt_coverage: MoneyFields
    status_id: Property[InsuranceStatus | str]
    start_date: Property[datetime]
    end_date: Property[datetime]
    comment: TextProperty
    currency_type_id: Property[CurrencyType | str]

class QuoteOrEstimateItemFields(LockedEntityFields):
    work_order_id: Property[int]
    parent_id: Property[int]
    parent_type_id: Property[ActorType | str]
    invoice_item: InvoiceDictionaryItemFields
    description: TextProperty
    quantity: Property[Decimal | float]
    rate: MoneyFields
    amount: MoneyFields
    is_flagged: Property[bool]
    tax_code: TaxCodeFields
    currency_type_id: Property[CurrencyType | str]

class RemovableEntityFields(LockedEntityFields):
    is_removed: Property[bool]

class ReplenishmentOrderFields(LockedEntityFields):
    status_id: Property[MhOrderStatus | str]
    description: TextProperty
    po_number: TextProperty
    d_estimatedt_delivery: Property[datetime]
    supplier: EmployeeFields
    stock_location: StockLocationFields
    supplier_instructions: TextProperty
    supplier_order_number: TextProperty
    is_exported: Property[bool]
    number: TextProperty
    time_zone: Property[int]
    currency_type_id: Property[CurrencyType | str]
    items: ReplenishmentOrderItemFields

class ReplenishmentOrderItemFields(LockedEntityFields):
    replenishment_order_id: Property[int]
    product: ProductFields
    price: MoneyFields
    qty_ordered: Property[Decimal | float]
    qty_received: Property[Decimal | float]
    amt_total: MoneyFields
    currency_type_id: Property[CurrencyType | str]

class ResponsibilityTypeFields(LockedEntityFields):
    is_removed: Property[bool]
    display_as: TextProperty
    actor_type_id: Property[ActorType | str]

class RoleFields(LockedEntityFields):
    display_as: TextProperty
    rank: Property[int]
    unlimited_nte: Property[bool]
    sso_login_only: Property[bool]
    currencies: RoleMoneyValuesFields
    is_ism_required: Property[bool]

class StockLocationFields(LockedEntityFields):
    display_as: TextProperty
    number: TextProperty
    type_id: Property[MhLocationType | str]
    ship_to_name: TextProperty
    bill_to_name: TextProperty
    delivery_instructions: TextProperty
    comments: TextProperty
    allow_negative_qty: Property[bool]
    money_id: Property[CurrencyType | str]
    time_zone_id: Property[int]
    street_addresses: Address2Fields
    contact_addresses: ContactInfoFields
    custom_fields: CustomField2Fields

class TaxRegionItemFields(LockedEntityFields):
    tax_region_id: Property[int]
    tax_code: TaxCodeFields
    tax_rate: Property[Decimal | float]

class TimeCardFields(LockedEntityFields):
    week_start_date: Property[datetime]
    employee: EmployeeFields
    flagged: Property[int]
    status_id: Property[TimeCardStatus | str]
    week: TimeCardWeekFields

class TimeCardItemFields(LockedEntityFields):
    comment: TextProperty
    work_zone: WorkZoneFields
    end_date: Property[datetime]
    system_end_date: Property[datetime]
    start_date: Property[datetime]
    system_start_date: Property[datetime]
    week_start_date: Property[datetime]
    duration: Property[int]
    employee: EmployeeFields
    labor_code: LaborCodeFields
    latitude_start: Property[Decimal | float]
    latitude_stop: Property[Decimal | float]
    longitude_start: Property[Decimal | float]
    longitude_stop: Property[Decimal | float]
    time_card: TimeCardFields
    type_id: Property[TimeCardType | str]
    internal_cost_item: FinancialItemFields
    work_order: WorkOrderFields
    qty: Property[int]
    rate: Property[Decimal | float]
    money_id: Property[CurrencyType | str]

class TimeOffFields(LockedEntityFields):
    employee_id: Property[int]
    start_date: Property[datetime]
    end_date: Property[datetime]
    replace_by_id: Property[int]

class ToDoTypeFields(LockedEntityFields):
    display_as: TextProperty
    description: TextProperty
    is_default: Property[bool]

class TurnFields(LockedEntityFields):
    asset_id: Property[int]
    wt_template_id: Property[int]
    dt_ready_by_due: Property[datetime]
    dt_parent_scheduled_start: Property[datetime]
    status_id: Property[TurnStatus | str]
    error_details: TextProperty
    work_order_id: Property[int]

class UserPayRateFields(LockedEntityFields):
    labor_code_id: Property[int]
    user_id: Property[int]
    is_default: Property[bool]
    currencies: UserPayRateMoneyValuesFields

class WarrantyFields(LockedEntityFields):
    display_as: TextProperty
    additional_info: TextProperty
    is_template: Property[bool]
    organization: OrganizationFields
    status_id: Property[WarrantyStatus | str]
    primary_contact: TextProperty
    template_id: Property[int]
    work_order: WorkOrderFields
    start_date: Property[datetime]
    end_date: Property[datetime]
    auto_coverage: Property[int]
    labor_coverage_type_id: Property[SchedInterval | str]
    labor_coverage_length: Property[int]
    parts_coverage_type_id: Property[SchedInterval | str]
    parts_coverage_length: Property[int]
    other_coverage_type_id: Property[SchedInterval | str]
    other_coverager_length: Property[int]
    warrantor_type_id: Property[ActorType | str]
    warrantor_id: Property[int]
    comment: TextProperty
    asset: LocationFields
    time_zone: Property[int]
    work_zone: WorkZoneFields
    contact_addresses: ContactInfoFields
    is_manufacturer: Property[bool]

class WoEquipmentFields(LockedEntityFields):
    wo_id: Property[int]
    asset: LocationFields
    comment: TextProperty
    refrigerant_used: Property[bool]
    type: Property[WoEquipmentType | str]

class WoEstimateFields(LockedEntityFields):
    work_order_id: Property[int]
    currency_type_id: Property[CurrencyType | str]
    amount: MoneyFields
    comment: TextProperty
    status_id: Property[QuoteStatus | str]
    reason: TextProperty
    contact_id: Property[int]
    contact_name: TextProperty
    is_multiline: Property[bool]
    items: QuoteOrEstimateItemFields

class WoFlagFields(LockedEntityFields):
    wo_id: Property[int]
    flag_id: Property[int]
    utc_stamp: Property[datetime]
    comment: TextProperty

class WoItemFields(LockedEntityFields):
    work_order_id: Property[int]
    sort_order_idx: Property[int]
    disposition: DispositionFields
    asset_location: TextProperty
    asset: LocationFields
    task: TaskFields
    comment: TextProperty

class WoOnSiteFields(LockedEntityFields):
    work_order_id: Property[int]
    employee_id: Property[int]
    time_zone: Property[int]
    dt_check_in: Property[datetime]
    in_check_type_id: Property[OnSiteValidationType | str]
    in_validation_value: TextProperty
    in_latitude: Property[Decimal | float]
    in_longitude: Property[Decimal | float]
    in_inv_item_id: Property[int]
    in_distance: Property[Decimal | float]
    in_status_id: Property[OnSiteValidationResult | str]
    dt_check_out: Property[datetime]
    out_check_type_id: Property[OnSiteValidationType | str]
    out_validation_value: TextProperty
    out_latitude: Property[Decimal | float]
    out_longitude: Property[Decimal | float]
    out_inv_item_id: Property[int]
    out_distance: Property[Decimal | float]
    out_status_id: Property[OnSiteValidationResult | str]

class WoQuoteFields(LockedEntityFields):
    wo_id: Property[int]
    currency_type_id: Property[CurrencyType | str]
    amount: MoneyFields
    description: TextProperty
    reason: TextProperty
    status_id: Property[QuoteStatus | str]
    is_multiline: Property[bool]
    items: QuoteOrEstimateItemFields

class WoVerificationFields(LockedEntityFields):
    idx: Property[int]
    work_order_id: Property[int]
    wo_rating_id: Property[WoRating | str]
    comment: TextProperty
    edited_date: Property[datetime]
    actor: ActorFields

class WorkOrderFields(LockedEntityFields):
    number: TextProperty
    type_category: Property[WOType | str]
    work_order_cost: WorkOrderCostFields
    priority: WoPriorityFields
    status_id: Property[WorkOrderStatus | str]
    requestor_contact: ContactFields
    access: Property[PTEType | str]
    main_asset: LocationFields
    short_location: TextProperty
    task_refinement: TextProperty
    work_zone: WorkZoneFields
    employee: EmployeeFields
    duration: Property[int]
    vendor_nte: MoneyFields
    specialty: SpecialtyFields
    po_number: TextProperty
    sub_type: WorkOrderTypeFields
    repair_code: RepairCodeFields
    customer: CustomerFields
    contact_name: TextProperty
    won_id: Property[int]
    is_warranty: Property[bool]
    flag: WoActionReasonLookupFields
    flag_id: Property[int]
    time_zone: Property[int]
    currency_type_id: Property[CurrencyType | str]
    last_action_date: Property[datetime]
    dt_created: Property[datetime]
    dt_scheduled_start: Property[datetime]
    dt_due: Property[datetime]
    dt_acknowledge_by: Property[datetime]
    acknowledge_by_utc: Property[datetime]
    last_action_date_utc: Property[datetime]
    created_date_utc: Property[datetime]
    scheduled_start_utc: Property[datetime]
    due_date_utc: Property[datetime]
    dt_on_site_by: Property[datetime]
    dt_utc_on_site_by: Property[datetime]
    last_action: WoLastActionFields
    address: Address2Fields
    items: WoItemFields
    equipment_worked_on: WoEquipmentFields
    notes: WoNoteFields
    completion_note: WoNoteFields
    contact_address: ContactInfoFields
    assignments: WoAssignmentFields
    procedures: WoProcedureFields
    documents: DocumentFields
    custom_fields: CustomField2Fields
    verifications: WoVerificationFields
    quote: WoQuoteFields
    check_in_outs: WoOnSiteFields
    action_log_records: WoActionLogFields
    estimate: WoEstimateFields
    owner: EmployeeFields
    induction_and_safety_status_id: Property[IsmStatus | str]
    flags: WoFlagFields
    contactid: Property[int]

class WorkOrderCostFields(LockedEntityFields):
    currency_type_id: Property[CurrencyType | str]
    bill_to_option: BillToOptionFields
    costs_total: MoneyFields
    ap_state_id: Property[ApState | str]
    ap_status_id: Property[int]
    job_code: TextProperty
    contract: ContractFields
    authorization_code: TextProperty
    check_number: TextProperty
    payment_amount: MoneyFields
    payment_notes: TextProperty
    check_cut_date: Property[datetime]
    check_clear_date: Property[datetime]
    gl_account: TextProperty
    number: TextProperty
    vendor_invoice_date: Property[datetime]
    vendor_invoice_received_date: Property[datetime]
    vendor_invoice_total: MoneyFields
    is_pre_billed: Property[bool]
    expenses_total: MoneyFields
    billing_rule: Property[BillingRule | str]
    tax_status: Property[TaxValidationStatus | str]
    customer_nte: MoneyFields
    items: FinancialItemFields
    tax_validation_note: BlobFields
    tax_details: TaxDetailFields
    service_fees_total: MoneyFields
    cost_status_id: Property[int]
    cost_state: Property[CostState | str]
    charge_code: ChargeCodeLookupFields
    billing_account: BillingAccountFields
    external_id: TextProperty
    bill_to_type: TextProperty
    billing_contact: Unchecked

class WpTreeFields(LockedEntityFields):
    child_wo_id: Property[int]
    depend_on_work_order: WorkOrderFields
    level: Property[int]
    number: Property[int]
    parent_work_order: WorkOrderFields
    root_work_order: WorkOrderFields

class ApInvoiceStatusFields(RemovableEntityFields):
    display_as: TextProperty
    description: TextProperty
    forecast_group_id: Property[ForecastGroup | str]
    ap_state_id: Property[ApState | str]
    ready_for_export: Property[bool]
    set_on_export: Property[bool]
    child_wo_default: Property[bool]

class AttributeDescriptorFields(RemovableEntityFields):
    type: Property[CfType | str]
    name: TextProperty
    is_history: Property[bool]
    display_in_work_order: Property[bool]
    options: AttributeOptionFields

class BillingAccountFields(RemovableEntityFields):
    display_as: TextProperty
    cp_theme_id: Property[int]
    is_bill_acct: Property[bool]
    number: TextProperty
    payment_terms: TextProperty
    payment_number_of_days: Property[int]
    payment_instrustions: TextProperty
    is_credit_hold: Property[bool]
    accrual_margin: Property[int]
    sales_rep: TextProperty
    is_tax_exempt: Property[bool]
    corp_entity: CorporateEntityFields
    balance: Property[Decimal | float]
    pay_day_type: Property[int]
    pay_day_number: Property[int]
    is_self_select: Property[bool]
    currency_type_id: Property[CurrencyType | str]
    users: LinkUserAndCustomerGroupFields
    customers: LinkCustomerAndGroupFields
    contacts: LinkContactAndGroupFields
    custom_fields: CustomField2Fields
    address: Address2Fields
    notes: NoteFields
    synchronize_nte: Property[bool]

class BusinessHoursFields(PortfolioChildEntityFields):
    day_idx_day_of_week: Property[int]
    finish_time: Property[datetime]
    start_time: Property[datetime]

class ChargeCodeLookupFields(LookupEntityFields):
    code: TextProperty

class ContactFields(RemovableEntityFields):
    display_as: TextProperty
    first_name: TextProperty
    last_name: TextProperty
    type_id: Property[LeaseContactType | str]
    customer_id: Property[int]
    can_view_any_request: Property[bool]
    can_create_request: Property[bool]
    priority_threshold: Property[int]
    custom_fields: CustomField2Fields
    contact_addresses: ContactInfoFields
    groups_bridge: LinkContactAndGroupFields
    username: TextProperty
    number: TextProperty
    must_reset_password: Property[bool]
    no_alert_emails: Property[bool]
    comment: TextProperty
    unlimited_request: Property[bool]
    unlimited_authorization: Property[bool]
    supervisor_id: Property[int]
    language_id: Property[int]
    customer_note_access_id: Property[LsNoteAccess | str]
    no_pwd_expiration_alert: Property[bool]
    currencies: ContactMoneyValuesFields

class ContactMoneyValuesFields(MoneyValuesEntityFields):
    authorization_limit: Property[Decimal | float]
    request_limit: Property[Decimal | float]
    notification_threshold: Property[Decimal | float]

class CustomFieldDescriptorFields(RemovableEntityFields):
    actor_type_id: Property[ActorType | str]
    length: Property[int]
    type: Property[CfType | str]
    shared_with_provider: Property[CfSharingMode | str]
    shared_by_requestor: Property[CfSharingMode | str]
    cpn_requestor_id: Property[int]
    name: TextProperty
    options: CustomFieldOptionFields

class CustomerFields(RemovableEntityFields):
    display_as: TextProperty
    name: TextProperty
    work_zone: WorkZoneFields
    dba: TextProperty
    instructions: TextProperty
    tenant_code: TextProperty
    tax_exempt: Property[bool]
    spaces: SpaceFields
    contacts: ContactFields
    custom_fields: CustomField2Fields
    notes: NoteFields
    addresses: Address2Fields
    contract: ContractFields
    groups_bridge: LinkCustomerAndGroupFields
    approval_scopes: ApprovalScopeFields

class CustomerNoteTypeFields(RemovableEntityFields):
    display_as: TextProperty

class DispositionFields(RemovableEntityFields):
    display_as: TextProperty
    is_completed: Property[bool]
    is_cancelled: Property[bool]
    on_create: Property[bool]
    on_complete: Property[bool]
    on_cancel: Property[bool]

class EmployeeFields(RemovableEntityFields):
    first_name: TextProperty
    last_name: TextProperty
    display_as: TextProperty
    role: RoleFields
    access_to_all_work_zones: Property[bool]
    language_id: Property[int]
    actor_type_id: Property[ActorType | str]
    username: TextProperty
    dt_pwd_change: Property[datetime]
    provider_invited_on: Property[datetime]
    instructions: TextProperty
    won_member_id: Property[int]
    won_location_id: Property[int]
    won_service_radius: Property[int]
    is_electronic_payment: Property[bool]
    provider_status_id: Property[EmployeeWonStatus | str]
    label_id: Property[int]
    free_text_allowed: Property[bool]
    radius_unit: Property[DistanceUnit | str]
    password: TextProperty
    number: TextProperty
    job_title: TextProperty
    federal_id: TextProperty
    external_id: TextProperty
    force_password_reset: Property[bool]
    tax_warn_only: Property[bool]
    default_price_list: PriceListFields
    price_lists: LinkProviderPriceListFields
    custom_fields: CustomField2Fields
    organization: OrganizationFields
    bill_at_zero: Property[bool]
    is_supplier: Property[bool]
    provider_type_id: Property[ProviderlType | str]
    contact_addresses: ContactInfoFields
    address: Address2Fields
    teams: LinkUserAndTeamFields
    work_zones: LinkUserAndWorkZoneFields
    portfolios: LinkUserAndPortfolioFields
    customer_groups: LinkUserAndCustomerGroupFields
    specialties: LinkUserAndSpecialtyFields
    pay_rates: UserPayRateFields
    stock_locations: LinkUserAndStockLocationFields
    services: LinkProviderAndServiceFields
    alert_subscriptions: AlertSubscriptionFields
    tax_exempt: Property[bool]
    limit_assignment_by_portfolio_id: Property[int]

class EscalationRuleFields(PortfolioChildEntityFields):
    user_id: Property[int]
    notify_after: Property[int]

class HolidayFields(PortfolioChildEntityFields):
    display_as: TextProperty
    dt_holiday: Property[datetime]

class InvoiceDictionaryItemFields(LookupEntityFields):
    descr: TextProperty
    tax_code: TaxCodeFields
    cost_category: Property[CostCategory | str]
    gl_expense: TextProperty
    gl_income: TextProperty

class LaborCodeFields(RemovableEntityFields):
    invoice_item: InvoiceDictionaryItemFields
    description: TextProperty
    display_as: TextProperty
    is_default: Property[bool]
    show_for_wo: Property[bool]
    is_time_card: Property[bool]
    is_productive: Property[bool]
    is_paid: Property[bool]
    is_shortcut: Property[bool]
    is_def_time_card: Property[bool]
    external_code: TextProperty
    type_id: Property[LaborCodeType | str]
    rate: Property[Decimal | float]
    currency_type_id: Property[CurrencyType | str]

class ModelFields(RemovableEntityFields):
    display_as: TextProperty
    description: TextProperty
    asset_category_id: Property[AssetType | str]
    public: Property[bool]
    sub_component_idx: TextProperty
    gl_account: TextProperty
    instructions: TextProperty
    tasks: TaskFields
    attribute_descriptors: LinkModelAndAttributeFields
    number: TextProperty
    allow_anonymous_requests: Property[bool]
    charge_code: ChargeCodeLookupFields

class OnCallRuleFields(PortfolioChildEntityFields):
    day_of_week: Property[int]
    biz_hours_user_id: Property[int]
    after_hours_user_id: Property[int]

class ProcedureCategoryFields(RemovableEntityFields):
    display_as: TextProperty

class ProcedureFlagReasonFields(RemovableEntityFields):
    display_as: TextProperty

class ProcedureTemplateFields(RemovableEntityFields):
    display_as: TextProperty
    allow_mark_all: Property[bool]
    allow_not_applicable: Property[bool]
    steps: ProcedureTemplateStepFields
    procedure_categories: LinkProcedureCategoryAndTemplateFields

class ProcedureTemplateStepFields(RemovableEntityFields):
    procedure_template_id: Property[int]
    index: Property[int]
    description: TextProperty
    type_id: Property[ProcedureStepType | str]
    is_required: Property[bool]
    field_descriptor: CustomFieldDescriptorFields
    attr_descriptor: AttributeDescriptorFields
    instructions: TextProperty

class ProductFields(RemovableEntityFields):
    invoice_item: InvoiceDictionaryItemFields
    display_as: TextProperty
    part_name: TextProperty
    description: TextProperty
    discontinued: Property[bool]
    unit_of_measure_id: Property[MhUnit | str]
    comments: TextProperty
    manufacturer: TextProperty
    part_number: TextProperty
    scan_code: TextProperty
    category: ProductCategoryFields
    suppliers: LinkProductAndSupplierFields
    custom_fields: CustomField2Fields
    currencies: ProductMoneyValuesFields

class ProductCategoryFields(RemovableEntityFields):
    display_as: TextProperty

class ProductMoneyValuesFields(MoneyValuesEntityFields):
    unit_price: Property[Decimal | float]
    last_price: Property[Decimal | float]

class RemovableWithOriginalEntityFields(RemovableEntityFields):
    display_as: TextProperty
    display_as_original: TextProperty

class RepairCodeFields(RemovableEntityFields):
    display_as: TextProperty
    parent_id: Property[int]
    codes: RepairCodeFields

class ResponsibilityFields(PortfolioChildEntityFields):
    assignee_id: Property[int]
    assignee_type_id: Property[ActorType | str]
    responsibility_type: ResponsibilityTypeFields

class RoleMoneyValuesFields(MoneyValuesEntityFields):
    nte_limit: Property[Decimal | float]

class SlaValuesOverrideFields(PortfolioChildEntityFields):
    priority_id: Property[int]
    due_in_minutes: Property[int]
    respond_in_minutes: Property[int]
    ack_in_minutes: Property[int]

class SpaceFields(RemovableEntityFields):
    customer_id: Property[int]
    asset: LocationFields
    start_date: Property[datetime]
    end_date: Property[datetime]
    move_out_date: Property[datetime]
    work_zone: WorkZoneFields
    status_id: Property[LeasingSpaceStatus | str]
    addresses: Address2Fields
    instructions: TextProperty
    move_in_date: Property[datetime]

class SpecDispatchRuleFields(PortfolioChildEntityFields):
    specialty_id: Property[int]
    index: Property[int]
    user_id: Property[int]

class SpecialtyFields(RemovableEntityFields):
    display_as: TextProperty
    won_service_id: Property[int]
    instructions: TextProperty
    tax_code: TaxCodeFields
    currencies: SpecialtyMoneyValuesFields
    is_nte_auto: Property[bool]

class SpecialtyMoneyValuesFields(MoneyValuesEntityFields):
    nte: Property[Decimal | float]
    avg_cost_vendor: Property[Decimal | float]
    avg_cost_tech: Property[Decimal | float]
    avg_cost_all: Property[Decimal | float]

class TaskFields(RemovableEntityFields):
    model_id: Property[int]
    display_as: TextProperty
    preventive: Property[bool]
    routine: Property[bool]
    corrective: Property[bool]
    default: Property[bool]
    symptom: Property[bool]
    completion_time: Property[int]
    specialty: SpecialtyFields
    procedure_template: ProcedureTemplateFields
    priority: WoPriorityFields
    self_help_type: Property[TaskSelfHelpType | str]
    instructions: TextProperty
    self_help_content: TextProperty
    people_required: Property[int]
    skill_level: Property[int]
    gl_account: TextProperty
    number: TextProperty
    currencies: TaskMoneyValuesFields
    charge_code: ChargeCodeLookupFields

class TaskMoneyValuesFields(MoneyValuesEntityFields):
    nte: Property[Decimal | float]

class TaxCodeFields(RemovableEntityFields):
    display_as: TextProperty
    ext_id: TextProperty
    descr: TextProperty
    country: TextProperty

class TaxRegionFields(LockedSimpleLookupEntityFields):
    items: TaxRegionItemFields

class TeamFields(RemovableEntityFields):
    display_as: TextProperty
    work_zones: LinkTeamAndWorkZoneFields
    employees: LinkUserAndTeamFields

class TimePeriodFields(RemovableEntityFields):
    display_as: TextProperty
    start_date: Property[datetime]
    end_date: Property[datetime]
    dt_start: Property[datetime]
    dt_end: Property[datetime]
    is_financial: Property[bool]
    is_time: Property[bool]

class UserPayRateMoneyValuesFields(MoneyValuesEntityFields):
    rate: Property[Decimal | float]

class WoActionReasonLookupFields(RemovableEntityFields):
    display_as: TextProperty
    action_id: Property[WOActionType | str]
    reason_id: Property[int]
    hide: Property[bool]
    descr: TextProperty

class WoProcedureFields(RemovableEntityFields):
    work_order_id: Property[int]
    procedure_template: ProcedureTemplateFields
    asset: LocationFields
    display_as: TextProperty
    type_id: Property[ProcedureType | str]
    allow_mark_all: Property[bool]
    allow_not_applicable: Property[bool]
    is_not_applicable: Property[bool]
    flag: ProcedureFlagReasonFields
    status_id: Property[ProcedureStatus | str]
    index: Property[int]
    steps: WoProcedureStepFields

class WoProcedureStepFields(RemovableEntityFields):
    work_order_id: Property[int]
    index: Property[int]
    comment: TextProperty
    description: TextProperty
    status_id: Property[ProcedureStatus | str]
    wo_procedure_id: Property[int]
    procedure_template_step: ProcedureTemplateStepFields
    type_id: Property[ProcedureStepType | str]
    is_won: Property[bool]
    is_required: Property[bool]
    field_descriptor: CustomFieldDescriptorFields
    attr_descriptor: AttributeDescriptorFields
    data_type_id: Property[CfType | str]
    data_value: TextProperty
    data_label: TextProperty
    flag: ProcedureFlagReasonFields
    is_not_applicable: Property[bool]
    money_id: Property[CurrencyType | str]

class WorkOrderTypeFields(RemovableEntityFields):
    display_as: TextProperty
    type_id: Property[WOType | str]
    abbr: TextProperty
    is_def_sr: Property[bool]
    is_def_basic: Property[bool]

class WorkZoneFields(RemovableEntityFields):
    display_as: TextProperty
    asset: LocationFields
    time_zone: Property[int]
    language_id: Property[int]
    wo_number_prefix: TextProperty
    entity: TextProperty
    scheduling_window: Property[int]
    no_incomplete_procedure: Property[bool]
    access_options_mask: Property[int]
    number: TextProperty
    advance_notice: Property[int]
    tax_region: TaxRegionFields
    wo_number_digits: Property[int]
    round_appt_time_to: Property[int]
    work_plan_auto_cancel: Property[bool]
    work_plan_child_resolution: Property[bool]
    work_plan_auto_dependency: Property[bool]
    cp_theme_id: Property[int]
    default_access: Property[PTEType | str]
    auto_assign_enabled: Property[bool]
    backup_routing_id: Property[BackupRouting | str]
    billing_account: BillingAccountFields
    contract: ContractFields
    no_incomplete_item: Property[bool]
    ui_show_providers_first: Property[bool]
    currency_type_id: Property[CurrencyType | str]
    is_offline: Property[bool]
    contact_addresses: ContactInfoFields
    custom_fields: CustomField2Fields
    portfolios: LinkPortfolioAndWorkZoneFields
    sla_values: SlaValuesOverrideFields
    teams: LinkTeamAndWorkZoneFields
    biz_hours: BusinessHoursFields
    escalation_rules: EscalationRuleFields
    spec_dispatch_rules: SpecDispatchRuleFields
    on_call_rules: OnCallRuleFields
    responsibilities: ResponsibilityFields
    use_biz_hours: Property[bool]
    use_holidays: Property[bool]
    use_on_call: Property[bool]
    use_escalation: Property[bool]
    default_bill_to_logic: Property[int]
    turn_kick_off_auto: Property[bool]
    turn_kick_off_lag_days: Property[int]
    turn_kick_off_on_days: Property[int]
    earliest_slot: Property[int]
    latest_slot: Property[int]
    slots_count: Property[int]
    is_precalculated_schedule: Property[bool]
    allow_time_preference: Property[bool]
    turn_template_id: Property[int]
    ism_spec_group_id: Property[int]
    ism_url: TextProperty
    exclude_non_compliant_providers: Property[ExcludeCoi | str]
    is_nte_auto: Property[bool]
