"""Service of a walk: it refuses, loses requests and responses, and lets requests arrive late."""

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
"""Beginning of a note that the service refuses."""
_FAULTS = ("lost", "late", "cut")
_REFUSAL = {"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "not such a note"}


@attrs.frozen
class Contact:
    """One record of the service, as the judge sees it."""

    id: int
    tag: str
    """Which row of the user it was made for, whatever its key and its cells."""
    code: str
    note: str
    grade: str
    removed: bool
    customer: int = 0
    constant: str = ""
    """What the map adds to the row."""


class WalkService(FaultyService):
    """The sandbox, which is never killed, with faults that a walk draws."""

    def __init__(self, loop: asyncio.AbstractEventLoop, rng: random.Random) -> None:
        super().__init__(loop)
        self.faults = 0.0
        """Share of the writes whose request or response is lost, or that arrive late."""
        self.closed: set[str] = set()
        """Rows that it refuses for the time being, whatever they say."""
        self.writes = 0
        """Requests to write that arrived."""
        self.written: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        """Updates of each record, by its id: what was planned, asked for and written."""
        self._rng = rng

    def _may_fail(self, scope: Any) -> bool:
        return "/base/" in scope["path"]

    def _fault(self, _: bytes) -> str:
        self.writes += 1
        return self._rng.choice(_FAULTS) if self._rng.random() < self.faults else ""

    def _arrived(self, scope: Any, body: bytes) -> None:
        self._note(scope, body, "asked")

    async def _perform(self, scope: Any, body: bytes) -> Response:
        """Carry a request out, unless the service refuses what it says."""
        entity = (orjson.loads(body) if body else {}).get("Entity") or {}
        note = str(entity.get("Comment", ""))
        if note.startswith(BAD) or entity.get("LastName") in self.closed:
            return Response(400, {"content-type": "application/json"}, orjson.dumps(_REFUSAL))
        response = await self.carry_out(scope, body)
        if response.status == 200:
            self._note(scope, body, "written")
        return response

    def _note(self, scope: Any, body: bytes, what: str) -> None:
        """Note an update: whether it is carried out twice, with no other one between, is what counts."""
        if scope["method"] == "PUT":
            entity = orjson.loads(body)["Entity"]
            self.note_update(entity["Id"], what, (entity.get("Comment"), entity.get("FirstName")))

    def note_update(self, id: int, what: str, value: tuple[Any, Any]) -> None:
        """Note values that are asked for, written, or planned by a run that was killed."""
        notes = self.written[str(id)]
        if what == "written" or not notes or notes[-1][1] != value:
            notes.append((what, value))

    def contacts(self) -> list[Contact]:
        """Return all records that walks made, removed ones too."""
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
        """Return the ids of the customers that are not removed."""
        found = self.store.select('SELECT body FROM "Customer"', [])
        return {row["Id"] for row in found if not row["IsRemoved"]}

    def there(self) -> Counter[str]:
        """Return how many records that are not removed each row of the user has."""
        return Counter(each.tag for each in self.contacts() if not each.removed)
