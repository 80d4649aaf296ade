"""Small tables of the service (statuses, reasons, types), cached for all callers and searched by name."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import attrs

from wosdk_async.calls.sender import CallSender
from wosdk_async.errors import NameNotFoundError, NotFoundError, NotUniqueError
from wosdk_async.model import Record
from wosdk_async.protocol import calls
from wosdk_async.protocol.arguments import require_support
from wosdk_async.query.builder import Query
from wosdk_async.shared_tasks import SharedTask, SingleFlight
from wosdk_async.text.suggestions import suggestion
from wosdk_async.transport.session.manager import Place, Places

T = TypeVar("T")
E = TypeVar("E", bound=Record)

MAX_AGE = 300.0  # seconds for which a table or an id is cached

_SHOWN = 20  # maximum names shown in an error
_PAGE = 1000  # records in the first query; below the cap (facts 7), so a response with fewer is complete


def normalized(name: str) -> str:
    """Normalize a name: NFC, stripped, whitespace collapsed."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def folded(name: str) -> str:
    """Fold a name for case-insensitive comparison."""
    return normalized(name).casefold()


def text_of(value: object) -> str:
    """Return ``value`` if it is a string, else an empty string: records may hold values of the wrong type."""
    return value if isinstance(value, str) else ""


def _choose(what: str, name: str, records: Iterable[T], label: Callable[[T], object]) -> T:
    """Return the only record called ``name``. Raises NameNotFoundError or NotUniqueError."""
    labelled = [(text_of(label(record)), record) for record in records]
    found = [record for text, record in labelled if folded(text) == folded(name)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = [getattr(record, "id", None) for record in found]
        raise NotUniqueError(f"{name!r} is the name of more than one {what}: ids {_listed(ids)}; use an id")
    names = sorted({text for text, _ in labelled if text})
    near = suggestion(name.strip(), names)
    known = f"there are {_listed(names)}" if names else "there are none"
    behind = f"{near} T{known[1:]}" if near else f"; {known}"
    raise NameNotFoundError(f"no {what} is called {name!r}{behind}")


def require_one(
    entity: str, by: str, found: Mapping[str, list[int]], company: str, missing: type[NotFoundError]
) -> None:
    """Raise ``missing`` or NotUniqueError unless each name in ``found`` has exactly one id."""
    where = {"operation": f"look up {entity}", "company": company}
    if absent := [name for name, ids in found.items() if not ids]:
        raise missing(f"no {entity} has the {by} {_listed(absent)}", **where)
    for name, ids in found.items():
        if len(ids) > 1:
            text = f"several {entity} records have the {by} {name!r}: ids {_listed(ids)}; use an id"
            raise NotUniqueError(text, **where)


def _listed(values: Sequence[Any]) -> str:
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(repr(value) for value in values[:_SHOWN]) + more


@attrs.frozen
class _Table:
    records: list[Any]
    started_at: float


_TABLES: Place[dict[type[Record], _Table]] = Place(lambda _: {})
_TASKS = Place(lambda _: SingleFlight())


class LookupTables:
    """Lookup tables of a Company, shared by all its callers."""

    def __init__(self, sender: CallSender) -> None:
        self.sender = sender

    def now(self) -> float:
        """Return the time of the transport's clock."""
        return self.sender.sessions.clock.now()

    @property
    def places(self) -> Places:
        """The Company's cached values."""
        # GIL: loops in other threads share the cache, and set each value atomically.
        return self.sender.sessions.places

    @property
    def shared_tasks(self) -> SingleFlight:
        """Running tasks shared by callers of the Company."""
        return self.places[_TASKS]

    async def find(
        self,
        entity: type[E],
        what: str,
        name: str,
        *,
        label: Callable[[E], object],
        fits: Callable[[E], bool],
    ) -> E:
        """Return the record called ``name`` that satisfies ``fits``; reread the table on a miss."""
        started_at = self.now()
        cached = self._cached(entity, started_at - MAX_AGE)
        if cached is not None:
            with suppress(NameNotFoundError, NotUniqueError):
                return _choose(what, name, filter(fits, cached), label)
        # Even if the clock stands still, the cached table, which lacks the name, must not be used again.
        records = await self._read_shared(entity, started_at)
        try:
            return _choose(what, name, filter(fits, records), label)
        except (NameNotFoundError, NotUniqueError) as error:
            error.add(company=self.sender.company, operation=f"look up {entity.wire_name}")
            raise

    async def all_of(self, entity: type[E], query: Query[E]) -> list[E]:
        """Return all records of a query; one request is enough unless they fill a page."""
        require_support(entity, "query")
        expression = query.expression | {"Count": _PAGE}
        page: list[E] = await self.sender.send(calls.query(entity, expression, check=True))
        return page if len(page) < _PAGE else await query.all()

    async def records(self, entity: type[E], not_before: float) -> list[E]:
        """Return a small table, read at ``not_before`` or later; concurrent callers share one query."""
        cached = self._cached(entity, not_before)
        return await self._read_shared(entity, not_before) if cached is None else cached

    def _cached(self, entity: type[E], not_before: float) -> list[E] | None:
        table = self.places[_TABLES].get(entity)
        return table.records if table is not None and table.started_at >= not_before else None

    async def _read_shared(self, entity: type[E], not_before: float) -> list[E]:
        key = (entity, *self.sender.scope)
        reading = self.shared_tasks.find(key, not_before)
        if reading is None:
            reading = SharedTask(lambda: self._read(entity), self.now)
            self.shared_tasks.add(key, reading)
        records: list[E] = await reading.result()
        return records

    async def _read(self, entity: type[E]) -> list[E]:
        started_at = self.now()
        records = await self.all_of(entity, Query(entity, self.sender.send))
        self.places[_TABLES][entity] = _Table(records, started_at)
        return records
