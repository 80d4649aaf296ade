"""Companies and their work orders, as the service itself would show them."""

from __future__ import annotations

import json
from typing import Any

from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import enumeration, find_schema
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import retrieve
from wosdk_async.sandbox.service.query.expression import run_query
from wosdk_async.sandbox.storage.store import Store

__all__ = ["PAGE", "companies", "one_order", "orders"]

PAGE = 25  # work orders at a time

_COUNTED = ("WorkOrder", "Customer", "Contact", "Location", "Employee", "Document")
_SEARCHED = ("Number", "PoNumber", "ContactName", "ShortLocation", "TaskRefinement", "Customer.Name")
_LISTED = [
    "Number",
    "StatusId",
    "TypeCategory",
    "ShortLocation",
    "TaskRefinement",
    "PoNumber",
    "CreatedDateUtc",
    "LastActionDateUtc",
    "Customer.Name",
    "Priority.DisplayAs",
]
_OPENED = [
    "*",
    "Customer.Name",
    "Priority.DisplayAs",
    "SubType.DisplayAs",
    "WorkZone.DisplayAs",
    "Employee.DisplayAs",
    "RequestorContact.DisplayAs",
    "Items.*",
    "Items.Asset.Name",
    "Items.Task.DisplayAs",
    "Notes.*",
    "Notes.CreatedBy.*",
    "Documents.*",
    "ActionLogRecords.*",
    "ActionLogRecords.Actor.*",
]


def companies(store: Store) -> list[Record]:
    """Each Company with how much it holds. The secret is not among what is shown."""
    store.refresh()
    return [
        {
            "Id": company.id,
            "Name": company.name,
            "Live": company.live,
            "ClientId": company.client_id,
            "Counts": {name: _count(store, company.id, name) for name in _COUNTED},
        }
        for company in store.companies()
    ]


def orders(context: RequestContext, state: str, text: str, page: int) -> Record:
    """A page of work orders, the newest first.

    Args:
        state: a WorkOrderStatus; empty for all.
        text: what one of the searched properties holds; empty for all.
        page: from 0.

    Raises:
        Refusal: the state is none, or the page is out of reach.
    """
    filters: list[Record] = []
    if state:
        filters.append({"Conditions": [_condition("StatusId", "Equal", state)]})
    if text:
        likes = [_condition(name, "Like", f"%{text}%") for name in _SEARCHED]
        filters.append({"Conditions": likes, "FilterOperator": "Or"})
    found = run_query(
        context,
        find_schema("WorkOrder"),
        {
            "PropertySet": {"Properties": _LISTED},
            "Criteria": {"Filters": filters},
            "Orders": [{"PropertyName": "Id", "OrderType": "Descending"}],
            "FirstResultIndex": page * PAGE,
            "Count": PAGE + 1,
        },
    )
    states = sorted(enumeration("WorkOrderStatus").by_name.values())
    return {"Orders": found[:PAGE], "More": len(found) > PAGE, "Page": page, "States": states}


def one_order(context: RequestContext, key: int) -> Record:
    """A work order with its references named, its lists and its history.

    Raises:
        Refusal: ``ERROR_CODE_1019``: there is none with this id.
    """
    data: Record = retrieve(context, find_schema("WorkOrder"), str(key), ",".join(_OPENED))["Data"]
    lists: dict[str, Any] = {name: data.pop(name, []) for name in ("Items", "Notes", "Documents")}
    return {"Fields": data, **lists, "History": data.pop("ActionLogRecords", [])}


def _condition(name: str, operator: str, value: str) -> Record:
    return {"PropertyName": name, "Operator": operator, "Values": [value]}


def _count(store: Store, company: int, entity: str) -> int:
    text = f'SELECT CAST(count(*) AS TEXT) FROM "{entity}" WHERE company = ?'  # noqa: S608 names above
    return int(json.loads(str(store.select(text, [company])[0])))
