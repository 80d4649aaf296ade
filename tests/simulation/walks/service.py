"""Service of a walk, which refuses rows, loses requests and responses, and delays requests."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from typing import Any

import attrs
import orjson

from tests.simulation.import_service import FaultyService
from wosdk_async.protocol.wire import Response

ENTITY = "Contact"
BAD = "bad"
"""Start of a note that the service refuses."""
_FAULTS = ("lost", "late", "cut")
_REFUSAL = {"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "not such a note"}


@attrs.frozen
class Contact:
    id: int
    tag: str
    """Row of the user for which the record was made, regardless of the row's key and cells."""
    code: str
    note: str
    grade: str
    removed: bool
    customer: int = 0
    constant: str = ""
    """Text that the map adds to the row."""


class WalkService(FaultyService):
    """Sandbox that is never killed, with faults that a walk draws."""

    def __init__(self, loop: asyncio.AbstractEventLoop, rng: random.Random) -> None:
        super().__init__(loop)
        self.faults = 0.0
        """Share of writes whose request or response is lost, or that arrive late."""
        self.closed: set[str] = set()
        """Rows that the service refuses for now, regardless of their cells."""
        self.writes = 0
        """Number of write requests that arrived."""
        self.written: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        """Updates by record id: planned, requested and written values."""
        self._rng = rng

    def _may_fail(self, scope: Any) -> bool:
        return "/base/" in scope["path"]

    def _fault(self, _: bytes) -> str:
        self.writes += 1
        return self._rng.choice(_FAULTS) if self._rng.random() < self.faults else ""

    def _arrived(self, scope: Any, body: bytes) -> None:
        self._note(scope, body, "asked")

    async def _perform(self, scope: Any, body: bytes) -> Response:
        """Carry out a request, unless the service refuses its content."""
        entity = (orjson.loads(body) if body else {}).get("Entity") or {}
        note = str(entity.get("Comment", ""))
        if note.startswith(BAD) or entity.get("LastName") in self.closed:
            return Response(400, {"content-type": "application/json"}, orjson.dumps(_REFUSAL))
        response = await self.carry_out(scope, body)
        if response.status == 200:
            self._note(scope, body, "written")
        return response

    def _note(self, scope: Any, body: bytes, what: str) -> None:
        """Note an update, to detect an update that is written twice in a row."""
        if scope["method"] == "PUT":
            entity = orjson.loads(body)["Entity"]
            self.note_update(entity["Id"], what, (entity.get("Comment"), entity.get("FirstName")))

    def note_update(self, id: int, what: str, value: tuple[Any, Any]) -> None:
        """Note values that are requested, written, or planned by a killed run."""
        notes = self.written[str(id)]
        if what == "written" or not notes or notes[-1][1] != value:
            notes.append((what, value))

    def contacts(self) -> list[Contact]:
        found = self.store.select(f'SELECT body FROM "{ENTITY}" ORDER BY id', [])
        return [
            Contact(
                row["Id"],
                row.get("LastName") or "",
                row.get("Number") or "",
                row.get("Comment") or "",
                (row.get("FirstName") or "")[1:],
                bool(row.get("IsRemoved")),
                row.get("CustomerId") or 0,
                (row.get("FirstName") or "")[:1],
            )
            for row in found
            if str(row.get("LastName") or "").startswith("R")
        ]

    def customers(self) -> set[int]:
        found = self.store.select('SELECT body FROM "Customer"', [])
        return {row["Id"] for row in found if not row["IsRemoved"]}

    def there(self) -> Counter[str]:
        """Return the number of records, without removed ones, of each row of the user."""
        return Counter(each.tag for each in self.contacts() if not each.removed)
