"""A sandbox with a working day behind it, for the browser to look at."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import httpx

from tests.sandbox.company import Caller
from wosdk_async.sandbox import LocalCompany
from wosdk_async.sandbox.storage.companies import StoredCompany

CANCEL = 1841  # of the seed: a reason to cancel
ASSETS = (20440, 20441, 20530)
PEOPLE = ("Ana Ruiz", "Jonas Berg", "Priya Nair", "Tom Okoro")
PAYLOAD = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


@attrs.frozen
class Served:
    """A running sandbox, its address, and a caller."""

    local: LocalCompany
    root: str
    acme: Caller

    def page(self, path: str) -> str:
        return f"{self.root}/console#/{path}"


@contextmanager
def served() -> Iterator[Served]:
    with LocalCompany(log=True) as local, httpx.Client() as http:
        names = local.variables
        root = names["WOSDK_LOCATOR_URL"]
        company = StoredCompany(
            46, names["WOSDK_COMPANY"], names["WOSDK_CLIENT_ID"], names["WOSDK_CLIENT_SECRET"]
        )
        yield Served(local, root, Caller(http, company, root))


def working_day(acme: Caller) -> list[dict[str, Any]]:
    """Create work orders in several states, one with a history, notes and a document."""
    made = [
        acme.order(
            Items=[{"Asset": {"Id": ASSETS[number % 3]}, "Task": {"Id": 14211}}],
            ContactName=PEOPLE[number % 4],
        )
        for number in range(32)
    ]
    for number, order in enumerate(made[::2]):
        entity = {
            "Id": order["Id"],
            "PoNumber": f"PO-{4100 + number}",
            "Notes": [{"Body": "Seen by the night shift."}],
        }
        acme.ok("PUT", "base/WorkOrder", {"Entity": entity, "Properties": ["PoNumber", "Notes.*"]})
    for order in (made[0], *made[1::3]):
        acme.run("WoPickUpCommand", WorkOrderId=order["Id"], Comment="On the way")
    for order in (made[0], made[-2], made[-4], made[-9]):
        acme.run("WoCancelCommand", WorkOrderId=order["Id"], ActionReasonId=CANCEL, Comment="Asked for twice")
    acme.send("GET", "base/WorkOrder/999999?RequestId=nightly-7")
    acme.query("WorkOrder", ("StatusId", "Equal", "New"), Count=2)
    return made


def document(acme: Caller, order: int, title: str, body: bytes, mime: str) -> None:
    """Create a document with a file at a work order."""
    entity = {
        "Title": title,
        "DocType": {"Id": 9},
        "StorageTypeId": "Cloud",
        "ActorId": order,
        "ActorTypeId": "WO",
        "MimeType": mime,
        "Blob": {"FileName": "file.html", "Body": base64.b64encode(body).decode()},
    }
    acme.ok("POST", "base/Document", {"Entity": entity})
