"""Commands and their results: work orders.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Command, CommandResult
from wosdk_async.model.commands.bases import WorkOrderAction
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.enums import (
        ActorType,
        ChangeAssignmentMode,
        CompletionNoteOptions,
        IsmStatus,
        WoRating,
        WoScheduleOptions,
    )
    from wosdk_async.model.values import PropertySet
    from wosdk_async.model.work_orders import WorkOrder, WoVerification, WpTree


@define(kw_only=True, eq=False, repr=False)
class AddChildWorkOrderResponse(CommandResult):
    """Result of AddChildWorkOrderRoutine."""

    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order."""
    work_plan_link: WpTree | None = field(default=None, metadata=wire("WorkPlanLink", "ref", "WpTree"))
    """``WorkPlanLink`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class SendWorkOrderResponse(CommandResult):
    """Result of SendWorkOrderCommand."""

    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order."""


@define(kw_only=True, eq=False, repr=False)
class VerifyWorkResponse(CommandResult):
    """Result of VerifyWorkCommand."""

    work_verification: WoVerification | None = field(
        default=None, metadata=wire("WorkVerification", "ref", "WoVerification")
    )
    """``WorkVerification`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class EmployeeResponse(CommandResult):
    """Result of WoAutoAssignRoutine."""

    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""


@define(kw_only=True, eq=False, repr=False)
class WoLastModificationResponse(CommandResult):
    """Result of WoLastModificationCommand."""

    dt_last_modified: datetime | None = field(default=None, metadata=wire("DtLastModified", "datetime-local"))
    """``DtLastModified`` on the wire. Local time without a zone."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""


@define(kw_only=True, eq=False, repr=False)
class WoActionResponse(CommandResult):
    """Result of GeneratePmWoCommand, UpdateWoInductionAndSafetyStatusCommand, WoAssignCommand,
    WoCancelCommand, WoClearFlagsCommand, WoCompleteCommand, WoCopyCommand, WoCreateCommand, WoFlagCommand,
    WoMessageCommand, WoOnHoldCommand, WoPauseCommand, WoPickUpCommand, WoRecallCommand, WoReopenCommand,
    WoScheduleRoutine, WoSetFlagsCommand and WoStartCommand.
    """

    wo: WorkOrder | None = field(default=None, metadata=wire("Wo", "ref", "WorkOrder"))
    """``Wo`` on the wire."""
    updated_property_set: PropertySet | None = field(
        default=None, metadata=wire("UpdatedPropertySet", "object", "PropertySet")
    )
    """``UpdatedPropertySet`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class AddChildWorkOrderRoutine(Command[AddChildWorkOrderResponse]):
    """Prepares a child work order from given items.

    Not safe to repeat.
    """

    path = "AddChildWorkOrderRoutine"
    repeat = "unsafe"
    result_name = "AddChildWorkOrderResponse"

    wo_item_ids: list[int] | None = field(default=None, metadata=wire("WoItemIds", "integer", many=True))
    """``WoItemIds`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class GeneratePmWoCommand(WorkOrderAction[WoActionResponse]):
    """Creates a work order from a maintenance schedule.

    Not safe to repeat.
    """

    path = "GeneratePmWoCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    pm_schedule_id: int | None = field(default=None, metadata=wire("PmScheduleId", "integer"))
    """``PmScheduleId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class SendWorkOrderCommand(Command[SendWorkOrderResponse]):
    """Sends the work order to the connected provider.

    Not safe to repeat. The path is SendWorkOrder in the specification, and SendWorkOrderCommand in recorded
    traffic, the schema and a client.
    """

    path = "SendWorkOrder"
    other_paths = ("SendWorkOrderCommand",)
    repeat = "unsafe"
    result_name = "SendWorkOrderResponse"

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer", required=True))
    """Work order acted on. Required."""
    send_to: str | None = field(default=None, metadata=wire("SendTo", "string"))
    """``SendTo`` on the wire."""
    request_quote: bool | None = field(default=None, metadata=wire("RequestQuote", "boolean"))
    """``RequestQuote`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class SetWorkOrderDependencyCommand(Command[CommandResult]):
    """Sets a dependency between two work orders.

    Not safe to repeat.
    """

    path = "SetWorkOrderDependencyCommand"
    repeat = "unsafe"

    main_work_order_id: int | None = field(default=None, metadata=wire("MainWorkOrderId", "integer"))
    """``MainWorkOrderId`` on the wire."""
    dependent_work_order_id: int | None = field(
        default=None, metadata=wire("DependentWorkOrderId", "integer")
    )
    """``DependentWorkOrderId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class UpdateWoInductionAndSafetyStatusCommand(WorkOrderAction[WoActionResponse]):
    """Sets the induction and safety state.

    Not safe to repeat.
    """

    path = "UpdateWoInductionAndSafetyStatusCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    induction_and_safety_status_id: IsmStatus | None = field(
        default=None, metadata=wire("InductionAndSafetyStatusID", "enum", "IsmStatus")
    )
    """``InductionAndSafetyStatusID`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class VerifyWorkCommand(Command[VerifyWorkResponse]):
    """Rates a completed work order.

    Not safe to repeat.
    """

    path = "VerifyWorkCommand"
    repeat = "unsafe"
    result_name = "VerifyWorkResponse"

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer", required=True))
    """Work order acted on. Required."""
    wo_rating_id: WoRating | None = field(default=None, metadata=wire("WoRatingId", "enum", "WoRating"))
    """``WoRatingId`` on the wire."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Comment stored with the action."""


@define(kw_only=True, eq=False, repr=False)
class WoAssignCommand(WorkOrderAction[WoActionResponse]):
    """Changes the assignees.

    Not safe to repeat.
    """

    path = "WoAssignCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    assignees: list[int] | None = field(default=None, metadata=wire("Assignees", "integer", many=True))
    """Employee ids; may be empty."""
    mode: ChangeAssignmentMode | None = field(
        default=None, metadata=wire("Mode", "enum", "ChangeAssignmentMode")
    )
    """How the assignee list is applied."""


@define(kw_only=True, eq=False, repr=False)
class WoAutoAssignRoutine(Command[EmployeeResponse]):
    """Suggests an assignee.

    Not safe to repeat.
    """

    path = "WoAutoAssignRoutine"
    repeat = "unsafe"
    result_name = "EmployeeResponse"

    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order."""
    zip: str | None = field(default=None, metadata=wire("Zip", "string"))
    """Postal code."""


@define(kw_only=True, eq=False, repr=False)
class WoCancelCommand(WorkOrderAction[WoActionResponse]):
    """Cancels a work order, with a reason.

    Not safe to repeat.
    """

    path = "WoCancelCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    action_reason_id: int | None = field(
        default=None, metadata=wire("ActionReasonId", "integer", required=True)
    )
    """Id of the reason record. Required."""


@define(kw_only=True, eq=False, repr=False)
class WoClearFlagsCommand(WorkOrderAction[WoActionResponse]):
    """Clears several flags.

    Not safe to repeat.
    """

    path = "WoClearFlagsCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    flags_to_clear: list[int] | None = field(
        default=None, metadata=wire("FlagsToClear", "integer", many=True)
    )
    """Ids of flag reasons to clear."""


@define(kw_only=True, eq=False, repr=False)
class WoCompleteCommand(WorkOrderAction[WoActionResponse]):
    """Completes a work order.

    Not safe to repeat.
    """

    path = "WoCompleteCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer", required=True))
    """Work order acted on. Required."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=3072, max_length_source="doc")
    )
    """Comment stored with the action. At most 3072 characters."""
    repair_code_id: int | None = field(default=None, metadata=wire("RepairCodeId", "integer"))
    """Repair code recorded."""
    completion_note_option: CompletionNoteOptions | None = field(
        default=None, metadata=wire("CompletionNoteOption", "enum", "CompletionNoteOptions")
    )
    """How the comment changes the completion note."""
    region: str | None = field(default=None, metadata=wire("Region", "string"))
    """``Region`` on the wire. Some clients send it; absent from the public schemas."""
    type: str | None = field(default=None, metadata=wire("type", "string"))
    """``type`` on the wire. Some clients send it; absent from the public schemas."""


@define(kw_only=True, eq=False, repr=False)
class WoCopyCommand(WorkOrderAction[WoActionResponse]):
    """Copies a work order.

    Not safe to repeat.
    """

    path = "WoCopyCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"


@define(kw_only=True, eq=False, repr=False)
class WoCreateCommand(WorkOrderAction[WoActionResponse]):
    """Creates a work order.

    Not safe to repeat. A published Postman sample and the OpenAPI description use the path form
    cmd/{EntityType}/{short name}.
    """

    path = "WoCreateCommand"
    other_paths = ("WorkOrder/Create",)
    repeat = "unsafe"
    result_name = "WoActionResponse"

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Work order acted on."""
    work_order: WorkOrder | None = field(
        default=None, metadata=wire("WorkOrder", "ref", "WorkOrder", required=True)
    )
    """Related work order. Required."""
    wp_tree: WpTree | None = field(default=None, metadata=wire("WpTree", "ref", "WpTree"))
    """Work plan link, when part of a plan."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Primary assignee; 0 leaves it unassigned. Ignored when ComputeAssignment is true."""
    keep_unassigned: bool | None = field(default=None, metadata=wire("KeepUnassigned", "boolean"))
    """Skip automatic assignment."""
    compute_schedule: bool | None = field(default=None, metadata=wire("ComputeSchedule", "boolean"))
    """Compute the schedule; default false."""
    compute_assignment: bool | None = field(default=None, metadata=wire("ComputeAssignment", "boolean"))
    """Run automatic assignment; default false."""
    emergency_disabled: bool | None = field(default=None, metadata=wire("EmergencyDisabled", "boolean"))
    """Lower an emergency to the next priority."""
    skip_bill_to_logic: bool | None = field(default=None, metadata=wire("SkipBillToLogic", "boolean"))
    """Keep the billing settings as sent."""
    skip_procedures: bool | None = field(default=None, metadata=wire("SkipProcedures", "boolean"))
    """Do not attach procedures."""
    external_number: str | None = field(
        default=None, metadata=wire("ExternalNumber", "string", max_length=256, max_length_source="doc")
    )
    """Number in an external system. At most 256 characters."""


@define(kw_only=True, eq=False, repr=False)
class WoFlagCommand(WorkOrderAction[WoActionResponse]):
    """Sets one flag, given as the action reason.

    Not safe to repeat.
    """

    path = "WoFlagCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    action_reason_id: int | None = field(default=None, metadata=wire("ActionReasonId", "integer"))
    """Id of the reason record. A vendor sample passes the flag id here; a public client sends FlagId, which
    no schema has.
    """


@define(kw_only=True, eq=False, repr=False)
class WoLastModificationCommand(Command[WoLastModificationResponse]):
    """Returns the time of a work order's last change.

    Safe to repeat.
    """

    path = "WoLastModificationCommand"
    repeat = "safe"
    result_name = "WoLastModificationResponse"

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Work order acted on."""


@define(kw_only=True, eq=False, repr=False)
class WoMessageCommand(WorkOrderAction[WoActionResponse]):
    """Adds a message.

    Not safe to repeat.
    """

    path = "WoMessageCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    sender_id: int | None = field(default=None, metadata=wire("SenderId", "integer"))
    """``SenderId`` on the wire."""
    sender_type: ActorType | None = field(default=None, metadata=wire("SenderType", "enum", "ActorType"))
    """``SenderType`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WoOnHoldCommand(WorkOrderAction[WoActionResponse]):
    """Puts a work order on hold, with a reason.

    Not safe to repeat.
    """

    path = "WoOnHoldCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    action_reason_id: int | None = field(
        default=None, metadata=wire("ActionReasonId", "integer", required=True)
    )
    """Id of the reason record. Required."""


@define(kw_only=True, eq=False, repr=False)
class WoPauseCommand(WorkOrderAction[WoActionResponse]):
    """Pauses the work.

    Not safe to repeat.
    """

    path = "WoPauseCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"


@define(kw_only=True, eq=False, repr=False)
class WoPickUpCommand(WorkOrderAction[WoActionResponse]):
    """Accepts an assigned work order.

    Not safe to repeat.
    """

    path = "WoPickUpCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"


@define(kw_only=True, eq=False, repr=False)
class WoRecallCommand(WorkOrderAction[WoActionResponse]):
    """Takes the work order back from the provider.

    Not safe to repeat.
    """

    path = "WoRecallCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"


@define(kw_only=True, eq=False, repr=False)
class WoReopenCommand(WorkOrderAction[WoActionResponse]):
    """Reopens a closed work order.

    Not safe to repeat.
    """

    path = "WoReopenCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"


@define(kw_only=True, eq=False, repr=False)
class WoScheduleRoutine(Command[WoActionResponse]):
    """Computes schedule values without saving.

    Safe to repeat.
    """

    path = "WoScheduleRoutine"
    repeat = "safe"
    result_name = "WoActionResponse"

    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order."""
    options: WoScheduleOptions | None = field(
        default=None, metadata=wire("Options", "enum", "WoScheduleOptions")
    )
    """Allowed choices."""
    output_property_set: PropertySet | None = field(
        default=None, metadata=wire("OutputPropertySet", "object", "PropertySet")
    )
    """``OutputPropertySet`` on the wire."""
    input_property_set: PropertySet | None = field(
        default=None, metadata=wire("InputPropertySet", "object", "PropertySet")
    )
    """``InputPropertySet`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WoSetFlagsCommand(WorkOrderAction[WoActionResponse]):
    """Sets several flags.

    Not safe to repeat.
    """

    path = "WoSetFlagsCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"

    flags_to_set: list[int] | None = field(default=None, metadata=wire("FlagsToSet", "integer", many=True))
    """Ids of flag reasons to set."""


@define(kw_only=True, eq=False, repr=False)
class WoStartCommand(WorkOrderAction[WoActionResponse]):
    """Starts the work.

    Not safe to repeat.
    """

    path = "WoStartCommand"
    repeat = "unsafe"
    result_name = "WoActionResponse"
