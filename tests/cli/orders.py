"""Work orders for the tests of the verbs, made with the command line itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.cli.conftest import Wosdk
from tests.support.service import Answer, Request

FIELDS = (
    "Customer=512",
    "SubType=259",
    "TypeCategory=Request",
    'Items:=[{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}]',
)

OPTIONS = {
    "hold": ("--reason", "2205"),
    "cancel": ("--reason", "1841"),
    "assign": ("--to", "208"),
    "note": ("--text", "Gate code"),
    "attach": (__file__,),
}
"""Options of the verbs that need some."""


def orders(wosdk: Wosdk, count: int) -> list[str]:
    """Create work orders, and return their numbers."""
    return [
        json.loads(wosdk("create", "WorkOrder", *FIELDS, "--json").stdout)["number"] for _ in range(count)
    ]


def order(wosdk: Wosdk, number: str, *paths: str) -> Any:
    """Return a work order as the service has it."""
    named = [part for path in ("StatusId", *paths) for part in ("-p", path)]
    return json.loads(wosdk("get", "WorkOrder", number, "--json", *named).stdout)


def state(wosdk: Wosdk, number: str) -> str:
    """Return the state of a work order."""
    return str(order(wosdk, number)["StatusId"])


def responses(change: Answer, record: dict[str, Any] | None = None) -> Callable[[Request], Answer]:
    """Return a handler that responds to reads with ``record``, and to everything else with ``change``."""
    shown = record if record is not None else {"Id": 7, "Number": "RSC000007", "StatusId": "New"}

    def respond(request: Request) -> Answer:
        if request.method == "GET":
            id = int(request.path.partition("?")[0].rpartition("/")[2])
            return Answer(body={"Data": {**shown, "Id": id}})
        if "/query/" in request.path:
            return Answer(body={"Entities": [{"Data": shown}]})
        return change

    return respond
