"""Small tables of the service (statuses, reasons, types) and how a name chooses a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import attrs

from wosdk_async.errors import NotFoundError, NotUniqueError
from wosdk_async.model import Record
from wosdk_async.query.builder import Query
from wosdk_async.resources.single_flight import SharedTask, SingleFlight
from wosdk_async.suggestions import suggestion
from wosdk_async.verbs import Verbs

__all__ = ["MAX_AGE", "LookupTables", "chosen", "folded", "listed"]

T = TypeVar("T")

_SHOWN = 20  # names in an error


def folded(name: str) -> str:
    """What names are compared by: their text without case and outer blanks."""
    return name.strip().casefold()


def chosen(what: str, name: str, rows: Iterable[T], label: Callable[[T], str | None]) -> T:
    """The one of ``rows`` that is called ``name``; ``what`` says what they are, as "hold reason".

    Raises NotFoundError that says what is near and lists the names there are, NotUniqueError with the ids.
    """
    called = [(label(row) or "", row) for row in rows]
    found = [row for text, row in called if folded(text) == folded(name)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = [getattr(row, "id", None) for row in found]
        raise NotUniqueError(
            f"{name!r} is the name of more than one {what}: ids {listed(ids)}; name one by its id"
        )
    names = sorted({text for text, _ in called if text})
    known = f"there are {listed(names)}" if names else "there are none"
    raise NotFoundError(f"no {what} is called {name!r}{suggestion(name.strip(), names)}; {known}")


def listed(values: Sequence[Any]) -> str:
    """The values, no more than fit in a message."""
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(repr(value) for value in values[:_SHOWN]) + more


E = TypeVar("E", bound=Record)

MAX_AGE = 300.0
"""Seconds after which what was looked up is asked for again."""

_PAGE = 1000  # rows asked for at first; below the cap, so that a shorter answer is all there is (facts 7)


@attrs.frozen
class _Kept:
    """The rows of a table as they were at ``asked_at``."""

    rows: list[Any]
    asked_at: float


class LookupTables(Verbs):
    """The ground of the helpers that take names."""

    async def _named(
        self,
        entity: type[E],
        what: str,
        name: str,
        *,
        label: Callable[[E], str | None],
        fits: Callable[[E], bool],
    ) -> E:
        """The row called ``name`` of those that fit; a miss reads the table again before it is an error."""
        asked_at = self._sessions.clock.now()
        for not_before in (asked_at - MAX_AGE, asked_at):
            rows = await self._table(entity, not_before)
            try:
                return chosen(what, name, filter(fits, rows), label)
            except (NotFoundError, NotUniqueError) as error:
                missed = error
        missed.add(company=self.name, operation=f"look up {entity.wire_name}")
        raise missed

    async def _table(self, entity: type[E], not_before: float) -> list[E]:
        """All rows of ``entity``, read once for all who ask meanwhile."""
        kept: _Kept | None = self._sessions.remembered.get((_Kept, entity))
        if kept is not None and kept.asked_at >= not_before:
            return kept.rows
        place = (entity, *self._manner)
        reading = self._under_way.serving(place, not_before)
        if reading is None:
            reading = SharedTask(lambda: self._read(entity), self._sessions.clock.now)
            self._under_way.enter(place, reading)
        rows: list[E] = await reading.result()
        return rows

    async def _read(self, entity: type[E]) -> list[E]:
        asked_at = self._sessions.clock.now()
        rows = await self._rows_of(entity, self.query(entity))
        self._sessions.remembered[_Kept, entity] = _Kept(rows, asked_at)
        return rows

    @property
    def _under_way(self) -> SingleFlight:
        works: SingleFlight = self._sessions.remembered.setdefault(SingleFlight, SingleFlight())
        return works

    @property
    def _manner(self) -> tuple[object, ...]:
        """How calls are sent: nobody waits for what was asked with less time, or under another's trace."""
        return self._options, id(self._trace)

    async def _rows_of(self, entity: type[E], query: Query[E]) -> list[E]:
        """All rows of a query that gives few: one request unless they fill a page."""
        rows = await self.query(entity, query.expression | {"Count": _PAGE})
        return rows if len(rows) < _PAGE else await query.all()
