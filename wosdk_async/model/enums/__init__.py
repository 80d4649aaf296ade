"""Every enum of the model, loaded at first use.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wosdk_async.model import _registry

if TYPE_CHECKING:
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

__all__ = [
    "ActorType",
    "AlertType",
    "ApState",
    "ApiTypes",
    "ApprovalRule",
    "AssetType",
    "BackupRouting",
    "BillStatus",
    "BillToTypeRule",
    "BillingRule",
    "CfSharingMode",
    "CfType",
    "ChangeAssignmentMode",
    "CiActionType",
    "CiInvoiceState",
    "CiItemType",
    "CompletionNoteOptions",
    "ConditionOperator",
    "ContactAddrType",
    "CostCategory",
    "CostState",
    "CurrencyType",
    "DistanceUnit",
    "DocumentStorageType",
    "DraftProcessStep",
    "DuplicateUnitMode",
    "EmployeeWonStatus",
    "EntityType",
    "ErrorCode",
    "ExcludeCoi",
    "ForecastGroup",
    "GeoStatus",
    "InsuranceStatus",
    "IsmStatus",
    "IsolationLevel",
    "JurisdictionType",
    "LaborCodeType",
    "LeaseContactType",
    "LeasingSpaceStatus",
    "LogicalOperator",
    "LsNoteAccess",
    "MhLocationType",
    "MhOrderStatus",
    "MhTransactionType",
    "MhUnit",
    "OnSiteValidationResult",
    "OnSiteValidationType",
    "OrderType",
    "PTEType",
    "PaymentMethod",
    "PaymentState",
    "PortfolioType",
    "PriceListType",
    "PrintoutStatus",
    "ProcedureStatus",
    "ProcedureStepType",
    "ProcedureType",
    "Protocols",
    "ProviderlType",
    "QuoteStatus",
    "RateType",
    "SchedInterval",
    "StreetAddrType",
    "TaskSelfHelpType",
    "TaxValidationStatus",
    "TimeCardAction",
    "TimeCardStatus",
    "TimeCardType",
    "TurnStatus",
    "UIType",
    "VendorType",
    "WOActionProperty",
    "WOActionType",
    "WONoteType",
    "WOStatus",
    "WOType",
    "WarrantyStatus",
    "WoCostExclusion",
    "WoCostLineType",
    "WoEquipmentType",
    "WoRating",
    "WoScheduleOptions",
    "WorkOrderStatus",
]


def __getattr__(name: str) -> Any:
    """Load the module of a class when the class is first asked for (PEP 562)."""
    found = _registry.resolve(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
