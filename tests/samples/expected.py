"""Result of each sample response: the call that requests it, the place of the object in it, its class."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import wosdk_async as wosdk
from tests.samples.sample import Json
from wosdk_async import Company
from wosdk_async.model import Command, Record

Ask = Callable[[Company], Awaitable[Any]]
Inner = Callable[[Json], Any]


def run(command: Command[Any]) -> tuple[Ask, Inner, type[Any]]:
    """A command's answer: its result is CommandResult."""
    return lambda acme: acme.run(command), lambda body: body["CommandResult"], type(command).result_class()


def get(entity: type[Record], id: int) -> tuple[Ask, Inner, type[Any]]:
    """The answer of a retrieve, in either envelope (facts 12 row 5)."""

    def inner(body: Json) -> Any:
        return body["Data"] if "Data" in body else body["Entities"][0]["Data"]

    return lambda acme: acme.get(entity, id), inner, entity


def rows(entity: type[Record]) -> tuple[Ask, Inner, type[Any]]:
    """The rows of a query."""
    return lambda acme: acme.query(entity, {}), lambda body: [row["Data"] for row in body["Entities"]], list


def made(ask: Ask) -> tuple[Ask, Inner, type[Any]]:
    """The answer of a create or delete."""
    return ask, lambda body: body["EntitySpecifier"], wosdk.EntitySpecifier


ORDER: dict[str, Any] = {"work_order_id": 90417}
CREATE = wosdk.WoCreateCommand(work_order=wosdk.WorkOrder())
SPACE = wosdk.SpaceCreateCommand(customer_id=512)
TYPED: dict[str, tuple[Ask, Inner, type[Any]]] = {
    "ap_status_change": run(wosdk.ApStatusChangeCommand(**ORDER, vendor_invoice_status_id=5)),
    "create_contact": made(lambda acme: acme.create(wosdk.Contact())),
    "create_document": made(lambda acme: acme.create(wosdk.Document(), check=False)),
    "create_wo_note": made(lambda acme: acme.create(wosdk.WoNote())),
    "delete_contact": made(lambda acme: acme.delete(wosdk.Contact, 744)),
    "get_doc_download_url": run(wosdk.GetDocDownloadUrlCommand(document_ids=[70021])),
    "query_asset_attribute": rows(wosdk.AssetAttribute),
    "query_no_match": rows(wosdk.WoNote),
    "query_work_order": rows(wosdk.WorkOrder),
    "retrieve_asset_tree": get(wosdk.AssetTree, 1),
    "retrieve_location": get(wosdk.Location, 21544),
    "retrieve_location_entities": get(wosdk.Location, 21544),
    "retrieve_work_order": get(wosdk.WorkOrder, 90417),
    "retrieve_work_order_default": get(wosdk.WorkOrder, 90417),
    "send_work_order": run(wosdk.SendWorkOrderCommand(**ORDER)),
    "space_create": run(SPACE),
    "space_create_expanded": run(SPACE),
    "verify_work": run(wosdk.VerifyWorkCommand(**ORDER)),
    "wo_assign": run(wosdk.WoAssignCommand(**ORDER)),
    "wo_cancel": run(wosdk.WoCancelCommand(work_order_id=90418, action_reason_id=1841)),
    "wo_complete": run(wosdk.WoCompleteCommand(**ORDER)),
    "wo_create": run(CREATE),
    "wo_create_expanded": run(CREATE),
    "wo_on_hold": run(wosdk.WoOnHoldCommand(**ORDER, action_reason_id=2207)),
    "wo_pick_up": run(wosdk.WoPickUpCommand(**ORDER)),
    "wo_reopen": run(wosdk.WoReopenCommand(**ORDER)),
    "wo_start": run(wosdk.WoStartCommand(**ORDER)),
}
UPDATES = {
    "update_location_attribute_remove": wosdk.Location(id=21544),
    "update_work_order_custom_field": wosdk.WorkOrder(id=90417, concurrency_id=7),
}
SESSIONS = ["discovery", "token", "token_rejected"]
ERRORS: dict[str, type[wosdk.WosdkError]] = {
    "error_attribute_outside_parent": wosdk.BusinessRuleError,
    "error_command_not_found": wosdk.UnknownNameError,
    "error_company_not_here": wosdk.SessionRefusedError,
    "error_custom_command_needed": wosdk.UnsupportedError,
    "error_empty_input": wosdk.RefusedError,
    "error_entity_not_found": wosdk.UnknownNameError,
    "error_expired_token": wosdk.SessionRefusedError,
    "error_illegal_state": wosdk.BusinessRuleError,
    "error_incorrect_token": wosdk.SessionRefusedError,
    "error_missing_authorization": wosdk.SessionRefusedError,
    "error_missing_scheme": wosdk.SessionRefusedError,
    "error_modified_by_another": wosdk.ConflictError,
    "error_property_path": wosdk.UnknownNameError,
    "error_send_failed": wosdk.BusinessRuleError,
    "error_unknown_property": wosdk.UnknownNameError,
    "error_unsupported_create": wosdk.UnsupportedError,
    "error_unsupported_delete": wosdk.UnsupportedError,
}
