"""A table of work orders that move while they are read: the sending half of a change feed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import attrs

from tests.support.service import Answer, Request
from wosdk_async import WorkOrder

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
Json = dict[str, Any]


@attrs.define
class Order:
    """A row; ``at`` in seconds after START, None for one that never moved."""

    at: float | None
    version: int = 1


class Moving:
    """Answers queries for work orders on ``Id`` and ``LastActionDateUtc`` from what is committed.

    ``before`` is called before each query is answered: there the others write. ``clock_behind`` is by how
    many seconds the ``Date`` of its answers is late; None sends none.
    """

    def __init__(self, *, page: int = 3, clock_behind: float | None = 0) -> None:
        self.now = 0.0
        self.rows: dict[int, Order] = {}
        self.before: Callable[[], None] = lambda: None
        self.page = page
        self.clock_behind = clock_behind
        self.asked: list[Json] = []
        self.ignores_descending = False
        self.show: Callable[[Json], Json] = lambda row: row  # called with each row that is answered

    # --- writing ------------------------------------------------------------------------

    def create(self, at: float | None = None) -> int:
        id = len(self.rows) + 1
        self.rows[id] = Order(self._tick() if at is None else at)
        return id

    def move(self, id: int) -> None:
        self.commit(id, self._tick())

    def commit(self, id: int, at: float) -> None:
        """Show a move that got the time ``at`` from now on."""
        self.rows[id] = Order(at, self.rows[id].version + 1)

    def _tick(self) -> float:
        self.now += 1
        return self.now

    # --- answering ----------------------------------------------------------------------

    def __call__(self, request: Request) -> Answer:
        self.before()
        expression = request.json["QueryExpression"]
        self.asked.append(expression)
        conditions = expression.get("Criteria", {}).get("Conditions", [])
        found = [id for id in self.rows if all(self._fits(id, each) for each in conditions)]
        for order in reversed(expression["Orders"]):
            is_down = order["OrderType"] == "Descending" and not self.ignores_descending
            found.sort(key=self._key(order["PropertyName"]), reverse=is_down)
        rows = [{"Data": self.show(self._shown(id))} for id in found[: min(expression["Count"], self.page)]]
        return Answer(body={"Entities": rows}, headers=self._date())

    def _date(self) -> dict[str, str]:
        if self.clock_behind is None:
            return {}
        moment = START + timedelta(seconds=self.now - self.clock_behind)
        return {"Date": format_datetime(moment, usegmt=True)}

    def _key(self, name: str) -> Callable[[int], float]:
        return (
            (lambda id: id)
            if name == "Id"
            else lambda id: -1 if self.rows[id].at is None else self.rows[id].at
        )

    def _fits(self, id: int, condition: Json) -> bool:
        at = self.rows[id].at
        match condition["PropertyName"], condition["Operator"], condition["Values"]:
            case "LastActionDateUtc", "NotNull", []:
                return at is not None
            case "LastActionDateUtc", "GreaterOrEqual", [low]:
                return at is not None and START + timedelta(seconds=at) >= datetime.fromisoformat(low + "Z")
            case "Id", "GreaterThan", [low]:
                return id > int(low)
            case "Id", "LessOrEqual", [high]:
                return id <= int(high)
        raise AssertionError(condition)

    def _shown(self, id: int) -> Json:
        row = self.rows[id]
        shown: Json = {"ConcurrencyId": row.version, "Id": id}
        if row.at is not None:
            shown["LastActionDateUtc"] = (START + timedelta(seconds=row.at)).replace(tzinfo=None).isoformat()
        return shown

    def versions(self) -> dict[int, int]:
        """Return the last version of each record that a reader must have seen."""
        return {id: row.version for id, row in self.rows.items()}


def version_of(order: WorkOrder) -> tuple[int, int]:
    assert order.id is not None
    assert order.concurrency_id is not None
    return order.id, order.concurrency_id
