"""Commands that only read (facts 5); where a rule is not its name's plain meaning it is marked."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.errors import required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import enumeration, schemas
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value
from wosdk_async.sandbox.service.commands.orders import the_order
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed, not_modelled
from wosdk_async.sandbox.service.commands.templates import tree
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read
from wosdk_async.sandbox.service.rules import lineage

__all__ = ["convert_money", "customer_of_asset", "last_modification", "match_assets"]


@command("WoLastModificationCommand")
def last_modification(context: RequestContext, arguments: Arguments) -> Record:
    """The moment of the last action: no other is kept (assumed)."""
    order = the_order(context, arguments)
    return {
        "DtLastModified": default_read(context, "WorkOrder", order)["LastActionDate"],
        "WorkOrderId": order["Id"],
    }


@command("GetCustomerByAssetCommand")
def customer_of_asset(context: RequestContext, arguments: Arguments) -> Record:
    """The customer of the nearest space at or above the asset; 0 for none (assumed).

    With ``SearchCustomerInWorkZone`` the first customer of the asset's work zone will do (assumed).
    """
    asset = _asset(context, arguments, "AssetId")
    above = [asset, *lineage(context, asset)]
    for place in above:
        found = _first(context, "Space", "$.Asset.Id", place["Id"])
        if found is not None:
            return {"CustomerId": found["CustomerId"]}
    if arguments.get("SearchCustomerInWorkZone", False):
        zones = (_first(context, "WorkZone", "$.Asset.Id", place["Id"]) for place in above)
        zone = next((known for known in zones if known is not None), None)
        found = _first(context, "Customer", "$.WorkZone.Id", zone["Id"]) if zone else None
        if found is not None:
            return {"CustomerId": found["Id"]}
    return {"CustomerId": 0}


@command("AssetMatchByTaskCodeCommand")
def match_assets(context: RequestContext, arguments: Arguments) -> Record:
    """Assets at or below the parent whose model has a task with this code, its ``Number`` (assumed)."""
    parent = _asset(context, arguments, "ParentAssetId")
    code = arguments.get("TaskCode", "")
    if not code:
        raise required("TaskCode")
    text = "SELECT body FROM Task WHERE company = ? AND json_extract(body, '$.Number') = ?"
    models = {task["ModelId"] for task in context.store.select(text, [context.company.id, code])}
    kinds = [enumeration("AssetType").name_of(kind) for kind in _list(arguments.get("AssetCategories"))]
    found = [row for row, _ in tree(context, parent) if row["ModelId"] in models]
    fitting = [row for row in found if not kinds or row["TypeId"] in kinds]
    count = arguments.get("RecordCount", 0)
    return {
        "Locations": [
            default_read(context, "Location", row) for row in fitting[: count if count > 0 else None]
        ]
    }


@command("ConvertMoneyValuesCommand")
def convert_money(_context: RequestContext, arguments: Arguments) -> Record:
    """Amounts that are in the wanted currency already; rates are not known here."""
    target = arguments.get("TargetCurrencyTypeId", "Unknown")
    field = schemas()["WorkOrder"].by_name["vendornte"]
    amounts = [read_value(field, value) for value in _list(arguments.get("Values"))]
    known = [amount for amount in amounts if amount is not UNREADABLE]
    if any(amount["CurrencyTypeId"] != target for amount in known):
        raise not_modelled("ConvertMoneyValuesCommand", "it has no exchange rates")
    return {"Values": known}


def _asset(context: RequestContext, arguments: Arguments, name: str) -> Record:
    key = arguments.get(name, 0)
    if not key:
        raise required(name)
    return needed(context.find("Location", key), name, key)


def _first(context: RequestContext, entity: str, path: str, key: int) -> Record | None:
    text = (
        f'SELECT body FROM "{entity}" WHERE company = ? AND json_extract(body, ?) = ? '  # noqa: S608 known names
        "ORDER BY id LIMIT 1"
    )
    return next(iter(context.store.select(text, [context.company.id, path, key])), None)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
