"""The service's entities, values, enums and commands as classes; each is loaded at first use.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wosdk_async.model import _registry
from wosdk_async.model._base import Command, CommandResult, OpenEnum, Record, Ref
from wosdk_async.model._registry import command_class, entity_class

if TYPE_CHECKING:
    from wosdk_async.model.assets import (
        AssetAttribute,
        AssetInfo,
        AssetSystem,
        AssetTemplate,
        AssetTree,
        AttributeDescriptor,
        AttributeOption,
        LinkModelAndAttribute,
        Location,
        Model,
    )
    from wosdk_async.model.bases import (
        EmployeeLinkEntity,
        Entity,
        LockedEntity,
        LockedSimpleLookupEntity,
        LookupEntity,
        MoneyValuesEntity,
        PortfolioChildEntity,
        RemovableEntity,
        RemovableWithOriginalEntity,
        SimpleLookupEntity,
    )
    from wosdk_async.model.billing import (
        BillingAccount,
        CorporateEntity,
        GLAccount,
        Invoice,
        InvoiceDictionaryItem,
        InvoiceLine,
        InvoiceLog,
        LaborCode,
        Payment,
        PaymentItem,
        PriceList,
        PriceListItem,
        TaxCode,
        TaxRegion,
        TaxRegionItem,
        TimePeriod,
    )
    from wosdk_async.model.commands.company import GetCompanyWsdkUrlCommand, GetCompanyWsdkUrlResult
    from wosdk_async.model.commands.costs import (
        ApStatusChangeCommand,
        ApSubmitPaymentCommand,
        ConvertMoneyValuesCommand,
        ConvertMoneyValuesResponse,
        CostStatusChangeCommand,
        FinancialStatusChangeResponse,
        InvoiceDisputeCommand,
        InvoiceRecallCommand,
        PostPaymentCommand,
        UpdateInvoiceStateCommand,
        UpdateInvoiceStateCommandResponse,
    )
    from wosdk_async.model.commands.documents import (
        CreateWoPrintoutCommand,
        CreateWoPrintoutResponse,
        GetDocDownloadUrlCommand,
        GetDocDownloadUrlTypeResponse,
        GetProcedureStepsDocumentsResponse,
        GetProcedureStepsDocumentsRoutine,
    )
    from wosdk_async.model.commands.entities import (
        CompositeCommand,
        CompositeCommandResponse,
        CreateCommand,
        DeleteCommand,
        OperationCommandResponse,
        RestoreCommand,
        RetrieveWithCurrencyTypeCommand,
        RetrieveWithCurrencyTypeResponse,
        UpdateCommand,
    )
    from wosdk_async.model.commands.people import (
        GetLicensedProvidersResponse,
        GetLicensedProvidersRoutine,
        GetPreferredAssigneesResponse,
        GetPreferredAssigneesRoutine,
        GetTimeCardCommand,
        TimeCardActionCommand,
        TimeCardActionResponse,
        UserOrProviderSuspendCommand,
        UserSignInInfoCommand,
        UserSignInInfoResponse,
    )
    from wosdk_async.model.commands.places import (
        AssetMatchByTaskCodeCommand,
        CustomerResponse,
        GetCustomerByAssetCommand,
        MatchAssetsResponse,
        MaterialTransactionCommitCommand,
        MaterialTransactionCommitResponse,
        PortfolioDeleteCommand,
        SpaceCreateCommand,
        SpaceCreateCommandResponse,
        WorkZoneCommandResponse,
        WorkZoneCreateCommand,
        WorkZoneDefaultCommand,
        WorkZoneDeleteCommand,
        WorkZoneOfflineCommand,
        WorkZoneOnlineCommand,
    )
    from wosdk_async.model.commands.work_orders import (
        AddChildWorkOrderResponse,
        AddChildWorkOrderRoutine,
        EmployeeResponse,
        GeneratePmWoCommand,
        SendWorkOrderCommand,
        SendWorkOrderResponse,
        SetWorkOrderDependencyCommand,
        UpdateWoInductionAndSafetyStatusCommand,
        VerifyWorkCommand,
        VerifyWorkResponse,
        WoActionResponse,
        WoAssignCommand,
        WoAutoAssignRoutine,
        WoCancelCommand,
        WoClearFlagsCommand,
        WoCompleteCommand,
        WoCopyCommand,
        WoCreateCommand,
        WoFlagCommand,
        WoLastModificationCommand,
        WoLastModificationResponse,
        WoMessageCommand,
        WoOnHoldCommand,
        WoPauseCommand,
        WoPickUpCommand,
        WoRecallCommand,
        WoReopenCommand,
        WoScheduleRoutine,
        WoSetFlagsCommand,
        WoStartCommand,
    )
    from wosdk_async.model.contact_details import Address, Address2, ContactAddress, ContactInfo
    from wosdk_async.model.costs import (
        ApInvoiceStatus,
        BillToOption,
        ChargeCodeLookup,
        FinancialItem,
        InternalCostStatus,
        QuoteOrEstimateItem,
        WoEstimate,
        WoQuote,
        WorkOrderCost,
    )
    from wosdk_async.model.custom_fields import (
        CustomField,
        CustomField2,
        CustomFieldAutocompleteOption,
        CustomFieldDescriptor,
        CustomFieldOption,
    )
    from wosdk_async.model.customers import (
        Contact,
        ContactMoneyValues,
        Contract,
        Customer,
        CustomerNoteType,
        LinkContactAndGroup,
        LinkCustomerAndGroup,
        Note,
        Space,
    )
    from wosdk_async.model.documents import Blob, Document, DocumentType, PrintoutTemplate
    from wosdk_async.model.enums.actor_type import ActorType
    from wosdk_async.model.enums.alert_type import AlertType
    from wosdk_async.model.enums.ap_state import ApState
    from wosdk_async.model.enums.api_types import ApiTypes
    from wosdk_async.model.enums.approval_rule import ApprovalRule
    from wosdk_async.model.enums.asset_type import AssetType
    from wosdk_async.model.enums.backup_routing import BackupRouting
    from wosdk_async.model.enums.bill_status import BillStatus
    from wosdk_async.model.enums.bill_to_type_rule import BillToTypeRule
    from wosdk_async.model.enums.billing_rule import BillingRule
    from wosdk_async.model.enums.cf_sharing_mode import CfSharingMode
    from wosdk_async.model.enums.cf_type import CfType
    from wosdk_async.model.enums.change_assignment_mode import ChangeAssignmentMode
    from wosdk_async.model.enums.ci_action_type import CiActionType
    from wosdk_async.model.enums.ci_invoice_state import CiInvoiceState
    from wosdk_async.model.enums.ci_item_type import CiItemType
    from wosdk_async.model.enums.completion_note_options import CompletionNoteOptions
    from wosdk_async.model.enums.condition_operator import ConditionOperator
    from wosdk_async.model.enums.contact_addr_type import ContactAddrType
    from wosdk_async.model.enums.cost_category import CostCategory
    from wosdk_async.model.enums.cost_state import CostState
    from wosdk_async.model.enums.currency_type import CurrencyType
    from wosdk_async.model.enums.distance_unit import DistanceUnit
    from wosdk_async.model.enums.document_storage_type import DocumentStorageType
    from wosdk_async.model.enums.draft_process_step import DraftProcessStep
    from wosdk_async.model.enums.duplicate_unit_mode import DuplicateUnitMode
    from wosdk_async.model.enums.employee_won_status import EmployeeWonStatus
    from wosdk_async.model.enums.entity_type import EntityType
    from wosdk_async.model.enums.error_code import ErrorCode
    from wosdk_async.model.enums.exclude_coi import ExcludeCoi
    from wosdk_async.model.enums.forecast_group import ForecastGroup
    from wosdk_async.model.enums.geo_status import GeoStatus
    from wosdk_async.model.enums.insurance_status import InsuranceStatus
    from wosdk_async.model.enums.ism_status import IsmStatus
    from wosdk_async.model.enums.isolation_level import IsolationLevel
    from wosdk_async.model.enums.jurisdiction_type import JurisdictionType
    from wosdk_async.model.enums.labor_code_type import LaborCodeType
    from wosdk_async.model.enums.lease_contact_type import LeaseContactType
    from wosdk_async.model.enums.leasing_space_status import LeasingSpaceStatus
    from wosdk_async.model.enums.logical_operator import LogicalOperator
    from wosdk_async.model.enums.ls_note_access import LsNoteAccess
    from wosdk_async.model.enums.mh_location_type import MhLocationType
    from wosdk_async.model.enums.mh_order_status import MhOrderStatus
    from wosdk_async.model.enums.mh_transaction_type import MhTransactionType
    from wosdk_async.model.enums.mh_unit import MhUnit
    from wosdk_async.model.enums.on_site_validation_result import OnSiteValidationResult
    from wosdk_async.model.enums.on_site_validation_type import OnSiteValidationType
    from wosdk_async.model.enums.order_type import OrderType
    from wosdk_async.model.enums.payment_method import PaymentMethod
    from wosdk_async.model.enums.payment_state import PaymentState
    from wosdk_async.model.enums.portfolio_type import PortfolioType
    from wosdk_async.model.enums.price_list_type import PriceListType
    from wosdk_async.model.enums.printout_status import PrintoutStatus
    from wosdk_async.model.enums.procedure_status import ProcedureStatus
    from wosdk_async.model.enums.procedure_step_type import ProcedureStepType
    from wosdk_async.model.enums.procedure_type import ProcedureType
    from wosdk_async.model.enums.protocols import Protocols
    from wosdk_async.model.enums.providerl_type import ProviderlType
    from wosdk_async.model.enums.pte_type import PTEType
    from wosdk_async.model.enums.quote_status import QuoteStatus
    from wosdk_async.model.enums.rate_type import RateType
    from wosdk_async.model.enums.sched_interval import SchedInterval
    from wosdk_async.model.enums.street_addr_type import StreetAddrType
    from wosdk_async.model.enums.task_self_help_type import TaskSelfHelpType
    from wosdk_async.model.enums.tax_validation_status import TaxValidationStatus
    from wosdk_async.model.enums.time_card_action import TimeCardAction
    from wosdk_async.model.enums.time_card_status import TimeCardStatus
    from wosdk_async.model.enums.time_card_type import TimeCardType
    from wosdk_async.model.enums.turn_status import TurnStatus
    from wosdk_async.model.enums.ui_type import UIType
    from wosdk_async.model.enums.vendor_type import VendorType
    from wosdk_async.model.enums.warranty_status import WarrantyStatus
    from wosdk_async.model.enums.wo_action_property import WOActionProperty
    from wosdk_async.model.enums.wo_action_type import WOActionType
    from wosdk_async.model.enums.wo_cost_exclusion import WoCostExclusion
    from wosdk_async.model.enums.wo_cost_line_type import WoCostLineType
    from wosdk_async.model.enums.wo_equipment_type import WoEquipmentType
    from wosdk_async.model.enums.wo_note_type import WONoteType
    from wosdk_async.model.enums.wo_rating import WoRating
    from wosdk_async.model.enums.wo_schedule_options import WoScheduleOptions
    from wosdk_async.model.enums.wo_status import WOStatus
    from wosdk_async.model.enums.wo_type import WOType
    from wosdk_async.model.enums.work_order_status import WorkOrderStatus
    from wosdk_async.model.inventory import (
        LinkProductAndSupplier,
        MaterialTransaction,
        MaterialTransactionItem,
        Product,
        ProductCategory,
        ProductMoneyValues,
        ReplenishmentOrder,
        ReplenishmentOrderItem,
        StockLocation,
        StockLocationInventoryDetails,
    )
    from wosdk_async.model.messages import (
        ActionResponse,
        BatchChangeRequestItem,
        BatchCmdRequestItem,
        BatchEntityRequestItem,
        BatchEntityResponseItem,
        ChangeRequest,
        CmdRequest,
        CmdResponse,
        EntityResponse,
        ErrorResponse,
        QueryEntityResponse,
        QueryRequest,
    )
    from wosdk_async.model.people import (
        Actor,
        AlertScope,
        AlertSubscription,
        Employee,
        LinkProviderAndService,
        LinkProviderPriceList,
        LinkUserAndCustomerGroup,
        LinkUserAndPortfolio,
        LinkUserAndSpecialty,
        LinkUserAndStockLocation,
        LinkUserAndTeam,
        LinkUserAndWorkZone,
        Organization,
        ProviderCoi,
        Role,
        RoleMoneyValues,
        Team,
        TimeOff,
        ToDoItem,
        ToDoType,
        UserPayRate,
        UserPayRateMoneyValues,
    )
    from wosdk_async.model.procedures import (
        ApprovalScope,
        ApprovalTemplate,
        ApprovalTemplateStep,
        LinkProcedureCategoryAndTemplate,
        PmItem,
        PmSchedule,
        ProcedureCategory,
        ProcedureFlagReason,
        ProcedureTemplate,
        ProcedureTemplateStep,
        WoProcedure,
        WoProcedureStep,
    )
    from wosdk_async.model.query import (
        ConditionExpression,
        FilterExpression,
        OrderExpression,
        PropertyValuePair,
        QueryByProperty,
        QueryExpression,
    )
    from wosdk_async.model.time_cards import TimeCard, TimeCardItem, TimeCardWeek
    from wosdk_async.model.values import (
        EntitySpecifier,
        ErrorInfo,
        GetDocDownloadUrl,
        LicensedProvider,
        Money,
        NestedEntityOperationResult,
        NewUnitSpecifier,
        ProcedureStepDocument,
        PropertySet,
        TaxDetail,
        UserSignInInfo,
    )
    from wosdk_async.model.work_orders import (
        Disposition,
        RepairCode,
        Specialty,
        SpecialtyMoneyValues,
        Task,
        TaskMoneyValues,
        Turn,
        Warranty,
        WoActionLog,
        WoActionLogProp,
        WoActionReasonLookup,
        WoAssignment,
        WoEquipment,
        WoFlag,
        WoItem,
        WoLastAction,
        WoNote,
        WoOnSite,
        WoPriority,
        WorkOrder,
        WorkOrderType,
        WoVerification,
        WpTree,
    )
    from wosdk_async.model.work_zones import (
        BusinessHours,
        EscalationRule,
        Holiday,
        LinkPortfolioAndWorkZone,
        LinkTeamAndWorkZone,
        OnCallRule,
        Portfolio,
        Responsibility,
        ResponsibilityType,
        SlaValuesOverride,
        SpecDispatchRule,
        WorkZone,
    )

    Asset = Location
    Priority = WoPriority
    SubType = WorkOrderType

__all__ = [
    "ActionResponse",
    "Actor",
    "ActorType",
    "AddChildWorkOrderResponse",
    "AddChildWorkOrderRoutine",
    "Address",
    "Address2",
    "AlertScope",
    "AlertSubscription",
    "AlertType",
    "ApInvoiceStatus",
    "ApState",
    "ApStatusChangeCommand",
    "ApSubmitPaymentCommand",
    "ApiTypes",
    "ApprovalRule",
    "ApprovalScope",
    "ApprovalTemplate",
    "ApprovalTemplateStep",
    "Asset",
    "AssetAttribute",
    "AssetInfo",
    "AssetMatchByTaskCodeCommand",
    "AssetSystem",
    "AssetTemplate",
    "AssetTree",
    "AssetType",
    "AttributeDescriptor",
    "AttributeOption",
    "BackupRouting",
    "BatchChangeRequestItem",
    "BatchCmdRequestItem",
    "BatchEntityRequestItem",
    "BatchEntityResponseItem",
    "BillStatus",
    "BillToOption",
    "BillToTypeRule",
    "BillingAccount",
    "BillingRule",
    "Blob",
    "BusinessHours",
    "CfSharingMode",
    "CfType",
    "ChangeAssignmentMode",
    "ChangeRequest",
    "ChargeCodeLookup",
    "CiActionType",
    "CiInvoiceState",
    "CiItemType",
    "CmdRequest",
    "CmdResponse",
    "Command",
    "CommandResult",
    "CompletionNoteOptions",
    "CompositeCommand",
    "CompositeCommandResponse",
    "ConditionExpression",
    "ConditionOperator",
    "Contact",
    "ContactAddrType",
    "ContactAddress",
    "ContactInfo",
    "ContactMoneyValues",
    "Contract",
    "ConvertMoneyValuesCommand",
    "ConvertMoneyValuesResponse",
    "CorporateEntity",
    "CostCategory",
    "CostState",
    "CostStatusChangeCommand",
    "CreateCommand",
    "CreateWoPrintoutCommand",
    "CreateWoPrintoutResponse",
    "CurrencyType",
    "CustomField",
    "CustomField2",
    "CustomFieldAutocompleteOption",
    "CustomFieldDescriptor",
    "CustomFieldOption",
    "Customer",
    "CustomerNoteType",
    "CustomerResponse",
    "DeleteCommand",
    "Disposition",
    "DistanceUnit",
    "Document",
    "DocumentStorageType",
    "DocumentType",
    "DraftProcessStep",
    "DuplicateUnitMode",
    "Employee",
    "EmployeeLinkEntity",
    "EmployeeResponse",
    "EmployeeWonStatus",
    "Entity",
    "EntityResponse",
    "EntitySpecifier",
    "EntityType",
    "ErrorCode",
    "ErrorInfo",
    "ErrorResponse",
    "EscalationRule",
    "ExcludeCoi",
    "FilterExpression",
    "FinancialItem",
    "FinancialStatusChangeResponse",
    "ForecastGroup",
    "GLAccount",
    "GeneratePmWoCommand",
    "GeoStatus",
    "GetCompanyWsdkUrlCommand",
    "GetCompanyWsdkUrlResult",
    "GetCustomerByAssetCommand",
    "GetDocDownloadUrl",
    "GetDocDownloadUrlCommand",
    "GetDocDownloadUrlTypeResponse",
    "GetLicensedProvidersResponse",
    "GetLicensedProvidersRoutine",
    "GetPreferredAssigneesResponse",
    "GetPreferredAssigneesRoutine",
    "GetProcedureStepsDocumentsResponse",
    "GetProcedureStepsDocumentsRoutine",
    "GetTimeCardCommand",
    "Holiday",
    "InsuranceStatus",
    "InternalCostStatus",
    "Invoice",
    "InvoiceDictionaryItem",
    "InvoiceDisputeCommand",
    "InvoiceLine",
    "InvoiceLog",
    "InvoiceRecallCommand",
    "IsmStatus",
    "IsolationLevel",
    "JurisdictionType",
    "LaborCode",
    "LaborCodeType",
    "LeaseContactType",
    "LeasingSpaceStatus",
    "LicensedProvider",
    "LinkContactAndGroup",
    "LinkCustomerAndGroup",
    "LinkModelAndAttribute",
    "LinkPortfolioAndWorkZone",
    "LinkProcedureCategoryAndTemplate",
    "LinkProductAndSupplier",
    "LinkProviderAndService",
    "LinkProviderPriceList",
    "LinkTeamAndWorkZone",
    "LinkUserAndCustomerGroup",
    "LinkUserAndPortfolio",
    "LinkUserAndSpecialty",
    "LinkUserAndStockLocation",
    "LinkUserAndTeam",
    "LinkUserAndWorkZone",
    "Location",
    "LockedEntity",
    "LockedSimpleLookupEntity",
    "LogicalOperator",
    "LookupEntity",
    "LsNoteAccess",
    "MatchAssetsResponse",
    "MaterialTransaction",
    "MaterialTransactionCommitCommand",
    "MaterialTransactionCommitResponse",
    "MaterialTransactionItem",
    "MhLocationType",
    "MhOrderStatus",
    "MhTransactionType",
    "MhUnit",
    "Model",
    "Money",
    "MoneyValuesEntity",
    "NestedEntityOperationResult",
    "NewUnitSpecifier",
    "Note",
    "OnCallRule",
    "OnSiteValidationResult",
    "OnSiteValidationType",
    "OpenEnum",
    "OperationCommandResponse",
    "OrderExpression",
    "OrderType",
    "Organization",
    "PTEType",
    "Payment",
    "PaymentItem",
    "PaymentMethod",
    "PaymentState",
    "PmItem",
    "PmSchedule",
    "Portfolio",
    "PortfolioChildEntity",
    "PortfolioDeleteCommand",
    "PortfolioType",
    "PostPaymentCommand",
    "PriceList",
    "PriceListItem",
    "PriceListType",
    "PrintoutStatus",
    "PrintoutTemplate",
    "Priority",
    "ProcedureCategory",
    "ProcedureFlagReason",
    "ProcedureStatus",
    "ProcedureStepDocument",
    "ProcedureStepType",
    "ProcedureTemplate",
    "ProcedureTemplateStep",
    "ProcedureType",
    "Product",
    "ProductCategory",
    "ProductMoneyValues",
    "PropertySet",
    "PropertyValuePair",
    "Protocols",
    "ProviderCoi",
    "ProviderlType",
    "QueryByProperty",
    "QueryEntityResponse",
    "QueryExpression",
    "QueryRequest",
    "QuoteOrEstimateItem",
    "QuoteStatus",
    "RateType",
    "Record",
    "Ref",
    "RemovableEntity",
    "RemovableWithOriginalEntity",
    "RepairCode",
    "ReplenishmentOrder",
    "ReplenishmentOrderItem",
    "Responsibility",
    "ResponsibilityType",
    "RestoreCommand",
    "RetrieveWithCurrencyTypeCommand",
    "RetrieveWithCurrencyTypeResponse",
    "Role",
    "RoleMoneyValues",
    "SchedInterval",
    "SendWorkOrderCommand",
    "SendWorkOrderResponse",
    "SetWorkOrderDependencyCommand",
    "SimpleLookupEntity",
    "SlaValuesOverride",
    "Space",
    "SpaceCreateCommand",
    "SpaceCreateCommandResponse",
    "SpecDispatchRule",
    "Specialty",
    "SpecialtyMoneyValues",
    "StockLocation",
    "StockLocationInventoryDetails",
    "StreetAddrType",
    "SubType",
    "Task",
    "TaskMoneyValues",
    "TaskSelfHelpType",
    "TaxCode",
    "TaxDetail",
    "TaxRegion",
    "TaxRegionItem",
    "TaxValidationStatus",
    "Team",
    "TimeCard",
    "TimeCardAction",
    "TimeCardActionCommand",
    "TimeCardActionResponse",
    "TimeCardItem",
    "TimeCardStatus",
    "TimeCardType",
    "TimeCardWeek",
    "TimeOff",
    "TimePeriod",
    "ToDoItem",
    "ToDoType",
    "Turn",
    "TurnStatus",
    "UIType",
    "UpdateCommand",
    "UpdateInvoiceStateCommand",
    "UpdateInvoiceStateCommandResponse",
    "UpdateWoInductionAndSafetyStatusCommand",
    "UserOrProviderSuspendCommand",
    "UserPayRate",
    "UserPayRateMoneyValues",
    "UserSignInInfo",
    "UserSignInInfoCommand",
    "UserSignInInfoResponse",
    "VendorType",
    "VerifyWorkCommand",
    "VerifyWorkResponse",
    "WOActionProperty",
    "WOActionType",
    "WONoteType",
    "WOStatus",
    "WOType",
    "Warranty",
    "WarrantyStatus",
    "WoActionLog",
    "WoActionLogProp",
    "WoActionReasonLookup",
    "WoActionResponse",
    "WoAssignCommand",
    "WoAssignment",
    "WoAutoAssignRoutine",
    "WoCancelCommand",
    "WoClearFlagsCommand",
    "WoCompleteCommand",
    "WoCopyCommand",
    "WoCostExclusion",
    "WoCostLineType",
    "WoCreateCommand",
    "WoEquipment",
    "WoEquipmentType",
    "WoEstimate",
    "WoFlag",
    "WoFlagCommand",
    "WoItem",
    "WoLastAction",
    "WoLastModificationCommand",
    "WoLastModificationResponse",
    "WoMessageCommand",
    "WoNote",
    "WoOnHoldCommand",
    "WoOnSite",
    "WoPauseCommand",
    "WoPickUpCommand",
    "WoPriority",
    "WoProcedure",
    "WoProcedureStep",
    "WoQuote",
    "WoRating",
    "WoRecallCommand",
    "WoReopenCommand",
    "WoScheduleOptions",
    "WoScheduleRoutine",
    "WoSetFlagsCommand",
    "WoStartCommand",
    "WoVerification",
    "WorkOrder",
    "WorkOrderCost",
    "WorkOrderStatus",
    "WorkOrderType",
    "WorkZone",
    "WorkZoneCommandResponse",
    "WorkZoneCreateCommand",
    "WorkZoneDefaultCommand",
    "WorkZoneDeleteCommand",
    "WorkZoneOfflineCommand",
    "WorkZoneOnlineCommand",
    "WpTree",
    "command_class",
    "entity_class",
]


def __getattr__(name: str) -> Any:
    """Load the module of a class when the class is first asked for (PEP 562)."""
    found = _registry.resolve(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
