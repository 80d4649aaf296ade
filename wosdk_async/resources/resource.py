"""Owner types, the base class of a Company's resources, and the verbs that resources use."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol, TypeVar

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, CommandResult, EntitySpecifier, OpenEnum, Record
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.calls import require_own
from wosdk_async.protocol.records import Id
from wosdk_async.query.builder import Query
from wosdk_async.query.properties import Path
from wosdk_async.resources.lookup_tables import LookupTables

E = TypeVar("E", bound=Record)
R = TypeVar("R", bound=CommandResult)
M = TypeVar("M", bound=OpenEnum)


class Verbs(Protocol):
    """Part of :class:`~wosdk_async.company.Company` that resources use; Company documents each verb."""

    @property
    def name(self) -> str:
        """Name of the Company."""

    @property
    def host(self) -> str | None:
        """Origin that served the last session."""

    async def get(
        self, entity: type[E], id: Id, *, properties: Iterable[str | Path] = (), check: bool = True
    ) -> E:
        """Read one record."""

    async def create(self, entity: Record, *, check: bool = True) -> EntitySpecifier:
        """Create a record."""

    async def update(
        self,
        record: E,
        read: E | None = None,
        /,
        *,
        check: bool = True,
        if_unchanged: bool = False,
        **changes: Any,
    ) -> E:
        """Write fields of a record."""

    def query(self, entity: type[E], *, check: bool = True) -> Query[E]:
        """Return a query of an entity."""

    async def run(self, command: Command[R], *, marker: str | None = None, check: bool = True) -> R:
        """Run a command."""


class Resource:
    """Base class whose public coroutines refuse other Companies' records and redact errors."""

    def __init__(self, company: Verbs, tables: LookupTables) -> None:
        self._company = company
        self._tables = tables
        self._sender = tables.sender

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            if inspect.iscoroutinefunction(method) and not name.startswith("_"):
                setattr(cls, name, _guarded(method))


def _guarded(method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def guarded(self: Resource, *args: Any, **kwargs: Any) -> Any:
        with self._sender.redaction:
            for value in (*args, *kwargs.values()):
                for each in value if isinstance(value, list | tuple) else (value,):
                    require_own(each, self._sender.origin)
            return await method(self, *args, **kwargs)

    return guarded


def known_member(name: str, value: object, kind: type[M]) -> M:
    """Return ``value`` as a member of an enum. Raises InvalidCallError for other values of ``name``."""
    if not isinstance(value, str) or not kind(value).is_known:
        raise InvalidCallError(f"{name} is {described(value)}; it must be one of {', '.join(map(str, kind))}")
    return kind(value)


ACTOR_TYPES = {
    "WorkOrder": "WO",  # spec 2.3; facts 9
    "Customer": "CommLease",  # facts 9: probable
    "Contact": "LeaseUser",  # facts 9
    "Employee": "Employee",  # facts 9
    "Space": "CommLeaseSpace",  # spec 2.10
    "Location": "Asset",  # not shown; assumed from the name
}
"""Entity type -> ``ActorTypeId``, the service's name for a document owner's type."""

CUSTOM_FIELD_TYPES = {name: ACTOR_TYPES[name] for name in ("WorkOrder", "Contact", "Customer")}
"""Entity type -> type of a custom field's owner.

Employee is missing: each record states whether it is an Employee or a Provider (facts 9). For other
entities, the type is unknown, and the caller passes it.
"""
