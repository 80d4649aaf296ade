"""Record ids by name: concurrent look-ups share a query, and results are cached."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from wosdk_async.codec.field_types import FIELD_TYPES
from wosdk_async.errors import InvalidCallError, NameNotFoundError
from wosdk_async.model import Record
from wosdk_async.model.base import Referable
from wosdk_async.options.checks import check_number
from wosdk_async.protocol.arguments import described, require_class
from wosdk_async.query.builder import Query
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import root
from wosdk_async.resources.lookup_tables import LookupTables, folded, require_one, text_of
from wosdk_async.shared_tasks import SharedTask
from wosdk_async.transport.session.manager import Place

E = TypeVar("E", bound=Record)
V = TypeVar("V", bound=Referable)
T = TypeVar("T")

_BATCH = 200  # values per condition

REMEMBERED = 10_000  # maximum cached names per Company

Ids = dict[str, list[int]]  # ids of matching records by folded name


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """Split the values into lists, each for one condition."""
    rest = iter(values)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def spellings(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield the strings to query, in batches.

    The service probably ignores case, but no source confirms this. The sandbox ignores case only for ASCII,
    so names with other letters are queried in every common spelling.
    """
    texts: dict[str, None] = {}
    for name in names:
        texts[name] = None
        if not name.isascii():
            texts.update(dict.fromkeys((name.lower(), name.upper(), name.title(), name.capitalize())))
    return batches(texts)


class _NameCache:
    def __init__(self) -> None:
        self._ids: OrderedDict[object, tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, name: object, not_before: float) -> int | None:
        with self._lock:
            id, started_at = self._ids.get(name, (None, 0.0))
            if id is None or started_at < not_before:
                return None
            self._ids.move_to_end(name)
            return id

    def keep(self, name: object, id: int, started_at: float, most: int) -> None:
        with self._lock:
            self._ids[name] = id, started_at
            self._ids.move_to_end(name)
            while len(self._ids) > max(most, 0):
                self._ids.popitem(last=False)


_NAMES = Place(lambda _: _NameCache())


class _Batch(SharedTask[Ids]):
    """Query for all names that tasks look up in one iteration of the event loop."""

    texts: dict[str, None]


class NameResolver:
    """One call of :meth:`Company.resolve <wosdk_async.company.Company.resolve>`."""

    def __init__(self, tables: LookupTables, *, max_age: float, remember: int) -> None:
        self._tables = tables
        self._sender = tables.sender
        self._max_age = max_age
        self._remember = remember

    async def resolve(
        self, entity: type[V], names: Iterable[str] | None, by: str | None, name: Mapping[str, str]
    ) -> Any:
        """Return one reference for ``name``, or a dict of references for ``names``."""
        require_class("resolve", entity)
        check_number(
            "max_age", self._max_age, "a number of seconds, 0 or more", high=math.inf, error=InvalidCallError
        )
        check_number(
            "remember", self._remember, "a number of names, 0 or more", whole=True, error=InvalidCallError
        )
        if names is None and by is None and len(name) == 1:
            ((key, one),) = name.items()
            found = await self._ids(entity, _checked(entity, key, [one]), [one])
            return self._reference(entity, found[one])
        if isinstance(names, str | bytes) or not isinstance(names, Iterable) or name:
            raise InvalidCallError(
                f"resolve({entity.__name__}) takes one property and its value, such as name='Acme Mall', or"
                " names=[...] with by='name'"
            )
        wanted = list(names)
        found = await self._ids(entity, _checked(entity, by or "name", wanted), wanted)
        return {each: self._reference(entity, found[each]) for each in wanted}

    def _reference(self, entity: type[V], id: int) -> V:
        reference = entity.ref(id)
        reference.origin = self._sender.origin
        return reference

    async def _ids(self, entity: type[E], key: str, names: Iterable[str]) -> dict[str, int]:
        known = self._tables.places[_NAMES]
        not_before = self._tables.now() - self._max_age
        asked: dict[str, _Batch] = {}
        ids: dict[str, int] = {}
        for name in names:
            id = known.recall((entity, key, folded(name)), not_before)
            if id is None:
                asked[name] = self._batch(entity, key, name, not_before)
            else:
                ids[name] = id
        found = await _results(asked)
        wire = entity.__wire__[key]["name"]
        require_one(entity.wire_name, wire, found, self._sender.company, NameNotFoundError)
        for name, (id, *_) in found.items():
            ids[name] = id
            known.keep((entity, key, folded(name)), id, asked[name].started_at, self._remember)
        return ids

    def _batch(self, entity: type[E], key: str, name: str, not_before: float) -> _Batch:
        """Return the name's batch; if it has none, add the name to the next batch and return that."""
        scope = (entity, key, *self._sender.scope)
        shared_tasks = self._tables.shared_tasks
        asking: _Batch | None = shared_tasks.find((*scope, folded(name)), not_before)
        batch: _Batch | None = shared_tasks.find(scope, 0.0)
        if asking is not None and asking is not batch:
            return asking
        if batch is None:
            texts: dict[str, None] = {}
            batch = _Batch(lambda: self._ask(entity, key, texts, scope), self._tables.now)
            batch.texts = texts
            shared_tasks.add(scope, batch)
        batch.texts[name.strip()] = None
        shared_tasks.add((*scope, folded(name)), batch)
        return batch

    async def _ask(self, entity: type[E], key: str, texts: dict[str, None], scope: object) -> Ids:
        """Query all ``texts``; later names go into the next batch."""
        self._tables.shared_tasks.hide(scope)
        is_removable = "is_removed" in entity.__wire__
        path = getattr(fields(entity), key)
        query: Query[E] = Query(entity, self._sender.send)
        query = query.select("Id", path, *(["IsRemoved"] if is_removable else []))
        ids: Ids = defaultdict(list)
        pages = (self._tables.all_of(entity, query.where(path.in_(some))) for some in spellings(texts))
        for page in await asyncio.gather(*pages):
            for record in page:
                # facts 3.4: queries also return removed records
                if not getattr(record, "is_removed", None):
                    ids[folded(text_of(getattr(record, key)))].append(getattr(record, "id", 0))
        return ids


async def _results(asked: Mapping[str, _Batch]) -> Ids:
    """Return a mapping from each name, as the caller spelled it, to its ids."""
    batches = list(dict.fromkeys(asked.values()))
    with contextlib.ExitStack() as waiting:
        for batch in batches:  # wait for all at once, so that none is cancelled while another is awaited
            waiting.enter_context(batch)
        results = {batch: await batch.result() for batch in batches}
    return {name: results[batch].get(folded(name), []) for name, batch in asked.items()}


def _checked(entity: type[V], key: str, names: list[str]) -> str:
    """Return ``key`` after checking that it is a text property of ``entity`` and can hold the ``names``."""
    if not isinstance(key, str):
        raise InvalidCallError(f"by= is {described(key)}; pass the name of a text property, such as 'name'")
    meta = root(entity).by_python(key).meta
    if meta is None or meta["type"] != "string" or meta.get("many"):
        raise InvalidCallError(f"{entity.__name__}.{key} is not text; name a text property")
    for name in names:
        if found := FIELD_TYPES["string"].check(name, {**meta, "max_length": None}):
            raise InvalidCallError(f"{entity.__name__}.{key} {found[0]}")
        if not name.strip():
            raise InvalidCallError(f"{entity.__name__}.{key} is blank; pass the name to look for")
    return key
