"""Small tables of the service (statuses, reasons, types), read once for all who ask, and choice by name."""

from __future__ import annotations

import asyncio
import copy
import math
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Generic, Self, TypeVar

import attrs

from wosdk_async.errors import NotFoundError, NotUniqueError, WosdkError
from wosdk_async.model import Record
from wosdk_async.protocol import calls
from wosdk_async.protocol.arguments import require_support
from wosdk_async.query.builder import Query
from wosdk_async.sender import CallSender
from wosdk_async.suggestions import suggestion

__all__ = ["MAX_AGE", "LookupTables", "SharedTask", "SingleFlight", "choose", "folded", "listed"]

T = TypeVar("T")
E = TypeVar("E", bound=Record)

MAX_AGE = 300.0
"""Seconds after which what was looked up is asked for again."""

_SHOWN = 20  # names in an error
_PAGE = 1000  # records asked for at first; below the cap, so a shorter response is complete (facts 7)

# --- choice by name -----------------------------------------------------------------------------


def folded(name: str) -> str:
    """Return the text that names are compared by: without letter case and outer blanks."""
    return name.strip().casefold()


def choose(what: str, name: str, records: Iterable[T], label: Callable[[T], str | None]) -> T:
    """Return the one of ``records`` that is called ``name``; ``what`` is their kind, such as "hold reason".

    Raises:
        NotFoundError: none is; the message suggests near names and lists the names there are.
        NotUniqueError: several are; the message has their ids.
    """
    labelled = [(label(record) or "", record) for record in records]
    found = [record for text, record in labelled if folded(text) == folded(name)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = [getattr(record, "id", None) for record in found]
        raise NotUniqueError(
            f"{name!r} is the name of more than one {what}: ids {listed(ids)}; name one by its id"
        )
    names = sorted({text for text, _ in labelled if text})
    known = f"there are {listed(names)}" if names else "there are none"
    raise NotFoundError(f"no {what} is called {name!r}{suggestion(name.strip(), names)}; {known}")


def listed(values: Sequence[Any]) -> str:
    """Return the values as text, no more than fit in a message."""
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(repr(value) for value in values[:_SHOWN]) + more


# --- tables -------------------------------------------------------------------------------------


@attrs.frozen
class _Table:
    """Records of an entity as they were at ``asked_at``."""

    records: list[Any]
    asked_at: float


class LookupTables:
    """Tables of a Company, which remembers them for all of its callers."""

    def __init__(self, sender: CallSender) -> None:
        self.sender = sender

    def now(self) -> float:
        """Return the time of the transport's clock."""
        return self.sender.sessions.clock.now()

    @property
    def remembered(self) -> dict[object, Any]:
        """What the Company remembers, by a key of the one who asked."""
        return self.sender.sessions.remembered

    @property
    def under_way(self) -> SingleFlight:
        """Shared work of the Company."""
        works: SingleFlight = self.remembered.setdefault(SingleFlight, SingleFlight())
        return works

    async def find(
        self,
        entity: type[E],
        what: str,
        name: str,
        *,
        label: Callable[[E], str | None],
        fits: Callable[[E], bool],
    ) -> E:
        """Return the record called ``name`` of those that fit; a miss reads the table again once."""
        asked_at = self.now()
        for not_before in (asked_at - MAX_AGE, asked_at):
            records = await self._table(entity, not_before)
            try:
                return choose(what, name, filter(fits, records), label)
            except (NotFoundError, NotUniqueError) as error:
                missed = error
        missed.add(company=self.sender.company, operation=f"look up {entity.wire_name}")
        raise missed

    async def all_of(self, entity: type[E], query: Query[E]) -> list[E]:
        """Return all records of a query that finds few: one request unless they fill a page."""
        require_support(entity, "query")
        expression = query.expression | {"Count": _PAGE}
        page: list[E] = await self.sender.send(calls.query(entity, expression, check=True))
        return page if len(page) < _PAGE else await query.all()

    async def _table(self, entity: type[E], not_before: float) -> list[E]:
        """Return all records of ``entity``, read once for all who ask meanwhile."""
        table: _Table | None = self.remembered.get((_Table, entity))
        if table is not None and table.asked_at >= not_before:
            return table.records
        key = (entity, *self.sender.scope)
        reading = self.under_way.serving(key, not_before)
        if reading is None:
            reading = SharedTask(lambda: self._read(entity), self.now)
            self.under_way.enter(key, reading)
        records: list[E] = await reading.result()
        return records

    async def _read(self, entity: type[E]) -> list[E]:
        asked_at = self.now()
        records = await self.all_of(entity, Query(entity, self.sender.send))
        self.remembered[_Table, entity] = _Table(records, asked_at)
        return records


# --- work that many callers wait for ------------------------------------------------------------


class SharedTask(Generic[T]):
    """Task that begins in the loop's next turn, and goes on as long as one caller waits for it.

    ``with shared:`` counts as waiting; the task is cancelled when the last one leaves. ``asked_at`` is the
    time when the work began, by ``now``: its result is not older. Before that it is infinity.
    """

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], now: Callable[[], float]) -> None:
        self.asked_at = math.inf
        self._now = now
        self._task = asyncio.get_running_loop().create_task(self._begin(work), name="wosdk lookup")
        self._task.add_done_callback(_retrieve)
        self._waiting = 0
        self._abandoned = False

    def __enter__(self) -> Self:
        self._waiting += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting -= 1
        if not self._waiting:
            self._abandoned = True
            self._task.cancel()

    async def _begin(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        self.asked_at = self._now()
        return await work()

    async def result(self) -> T:
        """Return the result of the work. Each caller gets its own copy of an error, to add details to."""
        with self:
            try:
                return await asyncio.shield(self._task)
            except WosdkError as error:
                raise copy.copy(error) from error

    def serves(self, not_before: float) -> bool:
        """Return whether it is under way, and its result will not be older than ``not_before``."""
        return not (self._abandoned or self._task.done()) and self.asked_at >= not_before

    def when_ended(self, act: Callable[[], None]) -> None:
        """Call ``act`` once the work is done, has failed or was given up."""
        self._task.add_done_callback(lambda _: act())


class SingleFlight:
    """Shared work of a Company that has not ended, by a key that says what it is about."""

    def __init__(self) -> None:
        self._works: dict[object, SharedTask[Any]] = {}

    def serving(self, key: object, not_before: float) -> Any:
        """Return the work for ``key`` if its result will not be older than ``not_before``; else None."""
        work = self._works.get(key)
        return work if work is not None and work.serves(not_before) else None

    def enter(self, key: object, work: SharedTask[Any]) -> None:
        """Let others find ``work`` until it has ended."""
        self._works[key] = work
        work.when_ended(lambda: self._leave(key, work))

    def close(self, key: object) -> None:
        """Hide the work for ``key``: nobody can join it any more."""
        self._works.pop(key, None)

    def _leave(self, key: object, work: SharedTask[Any]) -> None:
        if self._works.get(key) is work:  # not one that was begun after this one was given up
            del self._works[key]


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Read the error of the task: nobody may be left to read it, and asyncio would log that."""
    if not task.cancelled():
        task.exception()
