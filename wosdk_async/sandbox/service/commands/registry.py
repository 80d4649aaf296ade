"""Table of all commands, with look-up by path and execution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from wosdk_async import catalogue
from wosdk_async.catalogue import Command, Field
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.dialect import Dialect
from wosdk_async.sandbox.schema.entities import SCALARS
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value
from wosdk_async.sandbox.service import crud, documents
from wosdk_async.sandbox.service.commands import assets, creation, orders, scheduling, workflow
from wosdk_async.sandbox.service.context import Arguments, RequestContext, not_modelled

Handler = Callable[[RequestContext, Arguments], Record]

# Command name -> function that returns the members of its ``CommandResult``.
HANDLERS: Mapping[str, Handler] = {
    "WoCreateCommand": creation.create_work_order,
    "WoCopyCommand": creation.copy_work_order,
    **{name: partial(workflow.run_action, action) for name, action in workflow.ACTIONS.items()},
    "VerifyWorkCommand": orders.verify_work,
    "WoLastModificationCommand": orders.last_modification,
    "SendWorkOrderCommand": workflow.send_work_order,
    "AddChildWorkOrderRoutine": scheduling.prepare_child,
    "SetWorkOrderDependencyCommand": scheduling.set_dependency,
    "WoScheduleRoutine": scheduling.compute_schedule,
    "WoAutoAssignRoutine": scheduling.auto_assign,
    "GetPreferredAssigneesRoutine": scheduling.preferred_assignees,
    "ApStatusChangeCommand": orders.change_ap_status,
    "ApSubmitPaymentCommand": orders.submit_payment,
    "CostStatusChangeCommand": orders.change_cost_status,
    "UpdateInvoiceStateCommand": orders.update_invoice_state,
    "InvoiceDisputeCommand": partial(orders.set_draft_step, "Disputed"),
    "InvoiceRecallCommand": partial(orders.set_draft_step, "Recalled"),
    "PostPaymentCommand": orders.post_payment,
    "ConvertMoneyValuesCommand": orders.convert_money,
    "SpaceCreateCommand": assets.create_space,
    "WorkZoneCreateCommand": assets.create_work_zone,
    "WorkZoneOfflineCommand": partial(assets.set_offline, True),
    "WorkZoneOnlineCommand": partial(assets.set_offline, False),
    "WorkZoneDeleteCommand": assets.delete_work_zone,
    "PortfolioDeleteCommand": assets.delete_portfolio,
    "GetCustomerByAssetCommand": assets.customer_of_asset,
    "AssetMatchByTaskCodeCommand": assets.match_assets,
    "TimeCardActionCommand": scheduling.change_time_card,
    "GetTimeCardCommand": scheduling.get_time_card,
    "UserOrProviderSuspendCommand": scheduling.suspend,
    "CreateCommand": crud.create_record,
    "UpdateCommand": crud.update_record,
    "DeleteCommand": crud.delete_record,
    "RestoreCommand": crud.restore_record,
    "GetDocDownloadUrlCommand": documents.download_urls,
}

# Commands that are refused, with the reason.
NOT_MODELLED = {
    "CompositeCommand": "it is unknown how inner commands state their types",  # facts 5
    "CreateWoPrintoutCommand": "the format of a printout is not known",
    "GeneratePmWoCommand": "the API has no maintenance schedules",
    "GetLicensedProvidersRoutine": "the order and meaning of its coverage types are not known",
    "GetProcedureStepsDocumentsRoutine": "it is unknown how documents are linked to steps",
    "MaterialTransactionCommitCommand": "it is unknown how each kind of transaction changes the stock",
    "RetrieveWithCurrencyTypeCommand": "the format of its results is not known",
    "UserSignInInfoCommand": "the sandbox has no users who sign in",
    "WorkZoneDefaultCommand": "its effect is not known",
}

# Entity type in a short path -> start of the command's name, if different.
_PREFIXES = {"workorder": "wo"}
_NO_SHORT_FORM = {"workzone/delete"}  # facts 5: COMMAND_NOT_FOUND
_SPEC_PATHS = frozenset({"sendworkorder"})  # spec 4.6; no other source shows it (facts 12 row 4)


def find_command(segments: list[str], dialect: Dialect) -> Command:
    """Return the command for a path below ``cmd/``: full name, or entity type and short name (facts 5)."""
    path = "/".join(segments).lower()
    found = _paths(dialect).get(path)
    if found is None and len(segments) == 2 and path not in _NO_SHORT_FORM:
        entity, short = segments[0].lower(), segments[1].lower()
        found = _paths(dialect).get(f"{_PREFIXES.get(entity, entity)}{short}command")
    if found is not None:
        return found
    text = f"There are no such custom command as '{segments[-1] if segments else ''}'"
    owner = f" for entity '{segments[0]}'" if len(segments) > 1 else ""
    raise Refusal(400, "COMMAND_NOT_FOUND", text + owner)


def run_command(context: RequestContext, command: Command, sent: Mapping[str, object]) -> Record:
    """Run a command and return its ``CommandResult``."""
    handler = HANDLERS.get(command.name)
    if handler is None:
        raise not_modelled(command.name, NOT_MODELLED.get(command.name, "it is new in the catalogue"))
    return handler(context, _read_arguments(command, sent))


@cache
def _paths(dialect: Dialect) -> dict[str, Command]:
    commands = catalogue.load().commands.values()
    named = {command.name.lower(): command for command in commands}
    paths = {path.lower(): c for c in commands for path in (c.path, *c.other_paths)}
    unknown = frozenset() if dialect.spec_paths else _SPEC_PATHS
    return {path: c for path, c in (named | paths).items() if path not in unknown}


@cache
def _fields(name: str) -> dict[str, Field]:
    fields = catalogue.load().commands[name].request
    return {known.lower(): field for field in fields for known in (field.name, *field.aliases)}


def _read_arguments(command: Command, sent: Mapping[str, object]) -> Arguments:
    """Return the known, valid members by canonical name, dropping the others (facts 3.3)."""
    fields = _fields(command.name)
    arguments: Arguments = {}
    for name, value in sent.items():
        field = fields.get(name.lower())
        if field is None or value is None:
            continue
        parsed = read_value(field, value) if field.type in SCALARS else value
        if parsed is not UNREADABLE:
            arguments[field.name] = parsed
    return arguments
