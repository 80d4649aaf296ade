"""The verbs of one Company: generic coroutines over entities and commands."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar, overload

import attrs

from wosdk_async import calls
from wosdk_async.calls import Id
from wosdk_async.errors import UnknownNameError
from wosdk_async.fanout import Run
from wosdk_async.model import Command, CommandResult, EntitySpecifier, QueryExpression, Record
from wosdk_async.query.builder import Query
from wosdk_async.transport.dispatch import CallOptions
from wosdk_async.transport.trace import Trace
from wosdk_async.transport.transport import Tenant, Transport
from wosdk_async.wire import Call

__all__ = ["Company"]

E = TypeVar("E", bound=Record)
I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R", bound=CommandResult)
T = TypeVar("T")

Expression = QueryExpression | Mapping[str, Any]


class Company:
    """One Company of a client; made by :meth:`Client.company <wosdk_async.client.Client.company>`.

    What an entity is documented not to support is refused before it is sent, with what to do instead;
    ``check=False`` sends it anyway.

    Light: it can be made anew for every request, the session and the connections are the client's. Every verb
    raises a :class:`~wosdk_async.errors.WosdkError`.
    """

    def __init__(
        self, transport: Transport, tenant: Tenant, options: CallOptions, trace: Trace | None = None
    ) -> None:
        self._transport = transport
        self._tenant = tenant
        self._options = options
        self._trace = trace
        self._sessions = transport.sessions(tenant)

    def __repr__(self) -> str:
        return f"<Company {self.name!r} region={self._tenant.region.name} {self._sessions!r}>"

    @property
    def name(self) -> str:
        """The Company's name, as every request carries it."""
        return self._tenant.company

    @property
    def version(self) -> str | None:
        """The release of the Company's installation (spec 9); None before its first call."""
        session = self._sessions.session
        return session.grant.company_version if session else None

    @property
    def id(self) -> int | None:
        """The Company's number (spec 4.1); None before its first call."""
        session = self._sessions.session
        return session.grant.company_id if session else None

    @property
    def host(self) -> str | None:
        """The origin that served the last session; None before the first call."""
        session = self._sessions.session
        return session.base_url if session else None

    def with_options(self, **changes: Any) -> Company:
        """The same Company with other :class:`CallOptions`: ``with_options(deadline=5)``."""
        return Company(self._transport, self._tenant, attrs.evolve(self._options, **changes), self._trace)

    def traced(self, trace: Trace) -> Company:
        """The same Company, which notes the course of each call in ``trace``: attempts and the raw answer.

        ::

            trace = Trace()
            order = await acme.traced(trace).get(WorkOrder, 1)
            trace.attempts, trace.reply.status, trace.reply.headers, trace.reply.body
        """
        return Company(self._transport, self._tenant, self._options, trace)

    async def connect(self) -> None:
        """Open the session now instead of with the first call: tells whether the credentials are good."""
        await self._transport.connect(self._sessions, self._options)

    # --- entities ---------------------------------------------------------------------------

    @overload
    async def get(self, entity: type[E], id: Id, *, properties: Iterable[str] = ()) -> E: ...
    @overload
    async def get(self, entity: str, id: Id, *, properties: Iterable[str] = ()) -> dict[str, Any]: ...
    async def get(self, entity: type[Record] | str, id: Id, *, properties: Iterable[str] = ()) -> Any:
        """Read one record.

        Args:
            entity: a class of the model, or the name of an entity type that the catalogue does not know.
            id: the record's id, or ``{"ParentId": 1, "ChildId": 2}`` for a compound key.
            properties: property paths (``"*"``, ``"Customer.Name"``, ``"Items.*"``). Without any, the service
                sends scalars and references cut to their id, and no lists (facts 3.4).

        Raises NotFoundError when no record has that id.
        """
        return await self._send(calls.retrieve(entity, id, properties))

    @overload
    async def create(self, entity: Record, *, check: bool = True) -> EntitySpecifier: ...
    @overload
    async def create(
        self, entity: str, fields: Mapping[str, Any], *, check: bool = True
    ) -> EntitySpecifier: ...
    async def create(
        self, entity: Record | str, fields: Mapping[str, Any] | None = None, *, check: bool = True
    ) -> EntitySpecifier:
        """Create a record and return its type, id and version; work orders are made by WoCreateCommand.

        Raises InDoubtError when the record may have been created though no answer says so.
        """
        self._require(entity if isinstance(entity, str) else type(entity), "create", check)
        return await self._send(calls.create(entity, fields))

    async def update(self, record: E, *, check: bool = True, **changes: Any) -> E:
        """Write the named fields of ``record`` and nothing else; None sends null.

        Returns a copy with the changes and the new version. Fields are named as in Python:
        ``update(order, po_number="PO-77")``.
        """
        self._require(type(record), "update", check)
        made = await self._send(calls.change(record, changes))
        return calls.changed(record, changes, made)

    async def delete(
        self, entity: type[Record] | str, id: Id, *, missing_ok: bool = False, check: bool = True
    ) -> EntitySpecifier:
        """Delete a record; removable ones are only marked (facts 3.4).

        With ``missing_ok`` a record that is already gone is no error, which makes it safe to repeat.
        """
        self._require(entity, "delete", check)
        return await self._send(calls.delete(entity, id, missing_ok=missing_ok))

    @overload
    def query(self, entity: type[E], *, check: bool = True) -> Query[E]: ...
    @overload
    def query(self, entity: str, *, check: bool = True) -> Query[dict[str, Any]]: ...
    @overload
    def query(
        self, entity: type[E], expression: Expression, *, check: bool = True
    ) -> Coroutine[Any, Any, list[E]]: ...
    @overload
    def query(
        self, entity: str, expression: Expression, *, check: bool = True
    ) -> Coroutine[Any, Any, list[dict[str, Any]]]: ...
    def query(
        self, entity: type[Record] | str, expression: Expression | None = None, *, check: bool = True
    ) -> Any:
        """A :class:`~wosdk_async.query.builder.Query` of an entity: ``query(WorkOrder).where(...)``.

        With a QueryExpression it is sent as it is, and ``await query(WorkOrder, expression)`` gives its rows,
        4,000 at the most (facts 7).
        """
        self._require(entity, "query", check)
        return Query(entity, self._send) if expression is None else self._rows(entity, expression)

    async def restore(self, entity: type[Record] | str, id: int) -> EntitySpecifier:
        """Undo the removal of a record (facts 3.4)."""
        name = entity if isinstance(entity, str) else entity.wire_name
        done = await self.run("RestoreCommand", {"EntitySpecifier": {"EntityType": name, "Id": id}})
        return calls.specifier_of(done)

    # --- commands ---------------------------------------------------------------------------

    @overload
    async def run(self, command: Command[R]) -> R: ...
    @overload
    async def run(self, command: str, fields: Mapping[str, Any]) -> dict[str, Any]: ...
    async def run(self, command: Command[Any] | str, fields: Mapping[str, Any] | None = None) -> Any:
        """Run a command and return its result; ``run("AnyName", {...})`` for one the catalogue does not know.

        Raises InDoubtError when it may have been carried out though no answer says so.
        """
        return await self._run(command, fields)

    @overload
    def run_many(
        self,
        inputs: Iterable[Command[R]] | AsyncIterable[Command[R]],
        *,
        limit: int = 32,
        grace: float = 30.0,
    ) -> Run[Command[R], R]: ...
    @overload
    def run_many(
        self,
        inputs: Iterable[I] | AsyncIterable[I],
        *,
        command: Callable[[I], Command[R]],
        limit: int = 32,
        grace: float = 30.0,
    ) -> Run[I, R]: ...
    def run_many(
        self,
        inputs: Iterable[Any] | AsyncIterable[Any],
        *,
        command: Callable[[Any], Command[Any]] | None = None,
        limit: int = 32,
        grace: float = 30.0,
    ) -> Run[Any, Any]:
        """Run many commands at once: one outcome for each input, in the order in which they end.

        Args:
            inputs: commands, or anything from which ``command`` makes one; sync or async, of any length.
            command: makes the command of an input when its turn comes; what it raises fails that input only.
            limit: calls under way at the most, and outcomes that wait to be read.
            grace: seconds that calls under way get when the block is cancelled or left by an exception.

        See :class:`~wosdk_async.fanout.Run` for what leaving the block early means.
        """

        async def call(item: Any, trace: Trace) -> Any:
            made = command(item) if command is not None else item
            return await self._run(made, None, trace)

        return Run(inputs, call, limit=limit, grace=grace)

    async def _run(
        self, command: Command[Any] | str, fields: Mapping[str, Any] | None, trace: Trace | None = None
    ) -> Any:
        ways = calls.command_by_every_path(command, fields)
        known = self._sessions.paths.get(ways[0].operation)
        return await self._run_by([way for way in ways if way.path == known] or ways, trace)

    async def _run_by(self, ways: list[Call[T]], trace: Trace | None) -> T:
        """Try one path after the other, and remember for the Company which one it knows."""
        way, *others = ways
        try:
            result = await self._send(way, trace)
        except UnknownNameError as error:
            if error.code != "COMMAND_NOT_FOUND" or not others:
                raise
            return await self._run_by(others, trace)
        self._sessions.paths[way.operation] = way.path
        return result

    @staticmethod
    def _require(entity: type[Record] | str, operation: str, check: bool) -> None:
        if check:
            calls.require_support(entity, operation)

    async def _rows(self, entity: type[Record] | str, expression: Expression) -> Any:
        return await self._send(calls.query(entity, expression))

    async def _send(self, call: Call[T], trace: Trace | None = None) -> T:
        return await self._transport.send(call, self._sessions, self._options, trace or self._trace)
