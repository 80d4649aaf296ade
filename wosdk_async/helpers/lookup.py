"""Names to references: ``resolve``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar, overload

from wosdk_async import check
from wosdk_async.check.arguments import require_class
from wosdk_async.errors import InvalidCallError
from wosdk_async.helpers.names import Names
from wosdk_async.helpers.tables import MAX_AGE
from wosdk_async.model._base import Referable
from wosdk_async.query.places import root
from wosdk_async.transport.options import check_number

__all__ = ["Lookup"]

E = TypeVar("E", bound=Referable)

_REMEMBERED = 10_000  # names


class Lookup(Names):
    """Records by their name."""

    @overload
    async def resolve(
        self,
        entity: type[E],
        *,
        names: Iterable[str],
        by: str = "name",
        max_age: float = MAX_AGE,
        remember: int = _REMEMBERED,
    ) -> dict[str, E]: ...
    @overload
    async def resolve(
        self, entity: type[E], *, max_age: float = MAX_AGE, remember: int = _REMEMBERED, **name: str
    ) -> E: ...
    async def resolve(
        self,
        entity: type[E],
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


def _checked(entity: type[E], key: str, names: list[str]) -> str:
    """``key``, which is a text property of ``entity``, for names that can be asked for."""
    meta = root(entity).by_python(key).meta
    if meta is None or meta["type"] != "string" or meta.get("many"):
        raise InvalidCallError(f"{entity.__name__}.{key} holds no text; name a property that does")
    for name in names:
        if found := check.RULES["string"](name, {**meta, "max_length": None}):
            raise InvalidCallError(f"{entity.__name__}.{key} {found[0]}")
        if not name.strip():
            raise InvalidCallError(f"{entity.__name__}.{key} is blank; give the name to look for")
    return key
