"""Rows of one entity that answer queries for them without a socket: the sending half of a Query."""

from __future__ import annotations

import asyncio
import json
import operator
from collections.abc import Callable, Iterable
from typing import Any

from wosdk_async import WoNote, WorkOrder
from wosdk_async.protocol.wire import Call
from wosdk_async.query.builder import Query

OPERATORS = {
    "GreaterThan": operator.gt,
    "LessThan": operator.lt,
    "LessOrEqual": operator.le,
    "NotEqual": operator.ne,
}
Json = dict[str, Any]


class Table:
    """Notes by id, with a body; understands conditions on ``Id``, orders and pages.

    ``cap`` is the most rows it answers, ``turns`` how often an answer, or giving it up, lets other tasks run,
    and ``repeated`` how often each row comes; a ``greedy`` one ignores ``Count``, and one that is ``deaf_to``
    an operator its conditions, to ``Descending`` that order. A page has up to so many ``more`` rows than were
    asked for. ``before`` is called with the number of a request before it is answered.
    """

    def __init__(
        self,
        ids: Iterable[int],
        *,
        cap: int = 4000,
        turns: int = 0,
        repeated: int = 1,
        greedy: bool = False,
        deaf_to: str = "",
        more: int = 0,
    ) -> None:
        self.rows = {id: f"note {-id}" for id in ids}
        self.cap, self.turns, self.repeated, self.greedy = cap, turns, repeated, greedy
        self.deaf_to, self.more = deaf_to, more
        self.asked: list[Json] = []
        self.headers: list[tuple[tuple[str, str], ...]] = []
        self.before: Callable[[int], None] = lambda _: None
        self.in_flight = self.most_in_flight = 0

    def query(self) -> Query[WoNote]:
        return Query(WoNote, self.send)

    def insert(self, ids: Iterable[int]) -> None:
        self.rows |= {id: f"note {-id}" for id in ids}

    async def send(self, call: Call[list[Any]]) -> list[Any]:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            for _ in range(self.turns):
                await asyncio.sleep(0)
            return call.decode(self.respond(json.loads(call.body or b"")["QueryExpression"], call))
        except asyncio.CancelledError:
            for _ in range(min(self.turns, 3)):
                await asyncio.sleep(0)
            raise
        finally:
            self.in_flight -= 1

    def respond(self, expression: Json, call: Call[list[Any]]) -> bytes:
        self.before(len(self.asked))
        self.asked.append(expression)
        self.headers.append(call.headers)
        conditions = expression.get("Criteria", {}).get("Conditions", [])
        conditions = [each for each in conditions if each["Operator"] != self.deaf_to]
        found = [id for id in self.rows if all(_fits(id, condition) for condition in conditions)]
        for order in reversed(expression["Orders"]):
            key = (lambda id: id) if order["PropertyName"] == "Id" else self.rows.__getitem__
            found.sort(key=key, reverse=order["OrderType"] == "Descending" != self.deaf_to)
        first = expression.get("FirstResultIndex", 0)
        rows = [id for id in found for _ in range(self.repeated)][first:]
        rows = rows[: self.cap if self.greedy else min(expression["Count"] + self.more, self.cap)]
        return json.dumps({"Entities": [{"Data": {"Id": id, "Body": self.rows[id]}} for id in rows]}).encode()


def _fits(id: int, condition: Json) -> bool:
    assert condition["PropertyName"] == "Id"
    (value,) = condition["Values"]
    assert isinstance(value, str)
    return bool(OPERATORS[condition["Operator"]](id, int(value)))


async def unsent(call: Any) -> Any:
    raise AssertionError(f"{call} was sent")


def query() -> Query[WorkOrder]:
    return Query(WorkOrder, unsent)
