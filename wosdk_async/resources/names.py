"""Find the id of a record by its name, and remember it."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar, overload

from wosdk_async.errors import InvalidCallError, NotFoundError, NotUniqueError
from wosdk_async.model import Record
from wosdk_async.model.base import Referable
from wosdk_async.protocol.validation import problems
from wosdk_async.protocol.validation.arguments import require_class
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import root
from wosdk_async.resources.lookup_tables import MAX_AGE, LookupTables, folded, listed
from wosdk_async.resources.single_flight import SharedTask
from wosdk_async.transport.options import check_number

__all__ = ["BATCH", "Lookup", "Names", "batches", "spellings"]

E = TypeVar("E", bound=Record)
T = TypeVar("T")

BATCH = 200
"""Values in one condition."""

Ids = dict[str, list[int]]
"""The ids of the records that have a name, by the folded name."""


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """The values, as many at a time as go into one condition."""
    rest = iter(values)
    while batch := list(islice(rest, BATCH)):
        yield batch


def spellings(names: Iterable[str]) -> Iterator[list[str]]:
    """The texts to ask for, in batches.

    How the service compares is not shown; most likely it ignores case. The sandbox does so for ASCII only, so
    a name with other letters is asked for in every usual way to write it.
    """
    texts: dict[str, None] = {}
    for name in names:
        texts[name] = None
        if not name.isascii():
            texts.update(dict.fromkeys((name.lower(), name.upper(), name.title(), name.capitalize())))
    return batches(texts)


class _Found:
    """The latest used names with their ids, and when they were asked for."""

    def __init__(self) -> None:
        self._ids: OrderedDict[object, tuple[int, float]] = OrderedDict()

    def recall(self, name: object, not_before: float) -> int | None:
        id, asked_at = self._ids.get(name, (None, 0.0))
        if id is None or asked_at < not_before:
            return None
        self._ids.move_to_end(name)
        return id

    def keep(self, name: object, id: int, asked_at: float, most: int) -> None:
        self._ids[name] = id, asked_at
        self._ids.move_to_end(name)
        while len(self._ids) > max(most, 0):
            self._ids.popitem(last=False)


class _Batch(SharedTask[Ids]):
    """Names that wait for the loop's next turn, when they are asked for together."""

    texts: dict[str, None]


class Names(LookupTables):
    """The ground of ``resolve``."""

    async def _ids(
        self, entity: type[E], key: str, names: Iterable[str], max_age: float, remember: int
    ) -> dict[str, int]:
        """The id of each name, as it was spelt. Raises NotFoundError or NotUniqueError."""
        found: _Found = self._sessions.remembered.setdefault(_Found, _Found())
        not_before = self._sessions.clock.now() - max_age
        asked: dict[str, _Batch] = {}
        ids: dict[str, int] = {}
        for name in names:
            id = found.recall((entity, key, folded(name)), not_before)
            if id is None:
                asked[name] = self._batch(entity, key, name, not_before)
            else:
                ids[name] = id
        answers = await _answers(asked)
        self._require_one(entity, key, answers)
        for name, (id, *_) in answers.items():
            ids[name] = id
            found.keep((entity, key, folded(name)), id, asked[name].asked_at, remember)
        return ids

    def _batch(self, entity: type[E], key: str, name: str, not_before: float) -> _Batch:
        """What to wait for: the query that asks for the name already, or the one that is to be sent next."""
        scope = (entity, key, *self._manner)
        asking: _Batch | None = self._under_way.serving((*scope, folded(name)), not_before)
        batch: _Batch | None = self._under_way.serving(scope, 0.0)
        if asking is not None and asking is not batch:
            return asking
        if batch is None:
            texts: dict[str, None] = {}
            batch = _Batch(lambda: self._ask(entity, key, texts, scope), self._sessions.clock.now)
            batch.texts = texts
            self._under_way.enter(scope, batch)
        batch.texts[name.strip()] = None
        self._under_way.enter((*scope, folded(name)), batch)
        return batch

    async def _ask(self, entity: type[E], key: str, texts: dict[str, None], scope: object) -> Ids:
        """Ask for ``texts`` as they are by now; later names go into the next batch."""
        self._under_way.close(scope)
        removable = "is_removed" in entity.__wire__
        place = getattr(fields(entity), key)
        query = self.query(entity).select("Id", place, *(["IsRemoved"] if removable else []))
        ids: Ids = defaultdict(list)
        pages = (self._rows_of(entity, query.where(place.in_(some))) for some in spellings(texts))
        for page in await asyncio.gather(*pages):
            for row in page:
                # queries return removed rows as well (facts 3.4)
                if not getattr(row, "is_removed", None):
                    ids[folded(getattr(row, key) or "")].append(getattr(row, "id", 0))
        return ids

    def _require_one(self, entity: type[E], key: str, found: Mapping[str, list[int]]) -> None:
        what = f"{entity.wire_name} with the {entity.__wire__[key]['name']}"
        where = {"operation": f"look up {entity.wire_name}", "company": self.name}
        if missing := [name for name, ids in found.items() if not ids]:
            raise NotFoundError(f"there is no {what} {listed(missing)}", **where)
        for name, ids in found.items():
            if len(ids) > 1:
                raise NotUniqueError(
                    f"there are several {what} {name!r}: ids {listed(ids)}; use the id", **where
                )


async def _answers(asked: Mapping[str, _Batch]) -> Ids:
    """The ids of each name, as it was spelt."""
    batches = list(dict.fromkeys(asked.values()))
    with contextlib.ExitStack() as waiting:
        for batch in batches:  # counted at once: none is given up while another is awaited
            waiting.enter_context(batch)
        answers = {batch: await batch.result() for batch in batches}
    return {name: answers[batch].get(folded(name), []) for name, batch in asked.items()}


V = TypeVar("V", bound=Referable)

_REMEMBERED = 10_000  # names


class Lookup(Names):
    """Records by their name."""

    @overload
    async def resolve(
        self,
        entity: type[V],
        *,
        names: Iterable[str],
        by: str = "name",
        max_age: float = MAX_AGE,
        remember: int = _REMEMBERED,
    ) -> dict[str, V]: ...
    @overload
    async def resolve(
        self, entity: type[V], *, max_age: float = MAX_AGE, remember: int = _REMEMBERED, **name: str
    ) -> V: ...
    async def resolve(
        self,
        entity: type[V],
        *,
        names: Iterable[str] | None = None,
        by: str | None = None,
        max_age: float = MAX_AGE,
        remember: int = _REMEMBERED,
        **name: str,
    ) -> Any:
        """The reference to a record that is known by a name.

        ::

            customer = await acme.resolve(Customer, name="Acme Mall")
            zone = await acme.resolve(WorkZone, number="07")
            people = await acme.resolve(Employee, names=["ann.lee", "bo.ray"], by="username")

        Names are compared without letter case and outer blanks, and removed records are passed over. Names
        that are asked for in the same turn of the event loop, by however many tasks, go into one query for
        each 200; a name that is being asked for is waited for instead of asked again.

        Args:
            entity: the class of the record.
            name: a text property of it, as in Python, and the name to find there.
            names: several names, which gives a dict with one reference for each; ``by`` is the property then.
            max_age: seconds for which a found name is remembered with the Company; 0 asks again.
            remember: names of the Company that are remembered at the most, those used last. A name that was
                not found, or found several times, is not remembered.

        Returns the record with its id and nothing else, to be used wherever a reference goes.
        Raises NotFoundError (status 0) or NotUniqueError that names the value, UnknownPropertyError or
        InvalidCallError for what is no text property of the entity.
        """
        require_class("resolve", entity)
        check_number(
            "max_age", max_age, "a number of seconds, 0 or more", high=math.inf, error=InvalidCallError
        )
        check_number("remember", remember, "a number of names, 0 or more", whole=True, error=InvalidCallError)
        if names is None and by is None and len(name) == 1:
            ((key, one),) = name.items()
            found = await self._ids(entity, _checked(entity, key, [one]), [one], max_age, remember)
            return entity.ref(found[one])
        if isinstance(names, str | bytes) or not isinstance(names, Iterable) or name:
            raise InvalidCallError(
                f"resolve({entity.__name__}) takes one property with its name, such as name='Acme Mall', or"
                " names=[...] with by='name'"
            )
        wanted = list(names)
        found = await self._ids(entity, _checked(entity, by or "name", wanted), wanted, max_age, remember)
        return {each: entity.ref(found[each]) for each in wanted}


def _checked(entity: type[V], key: str, names: list[str]) -> str:
    """``key``, which is a text property of ``entity``, for names that can be asked for."""
    meta = root(entity).by_python(key).meta
    if meta is None or meta["type"] != "string" or meta.get("many"):
        raise InvalidCallError(f"{entity.__name__}.{key} holds no text; name a property that does")
    for name in names:
        if found := problems.RULES["string"](name, {**meta, "max_length": None}):
            raise InvalidCallError(f"{entity.__name__}.{key} {found[0]}")
        if not name.strip():
            raise InvalidCallError(f"{entity.__name__}.{key} is blank; give the name to look for")
    return key
