"""The generic verbs of one Company: coroutines over every entity and command."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar, overload

from wosdk_async import calls
from wosdk_async.calls import Id
from wosdk_async.connected import Connected
from wosdk_async.errors import InvalidCallError
from wosdk_async.fanout import Run
from wosdk_async.model import Command, CommandResult, EntitySpecifier, QueryExpression, Record
from wosdk_async.query.builder import Query
from wosdk_async.transport.trace import Trace

__all__ = ["Verbs"]

E = TypeVar("E", bound=Record)
I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R", bound=CommandResult)

Expression = QueryExpression | Mapping[str, Any]


class Verbs(Connected):
    """Entities, queries and commands; :class:`~wosdk_async.company.Company` adds what users ask for most.

    What an entity is documented not to support is refused before it is sent, with what to do instead, and so
    are names, values and gaps that the service would refuse or drop; ``check=False`` sends them anyway.
    Every verb raises a :class:`~wosdk_async.errors.WosdkError`.
    """

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
        return await self._send(calls.create(entity, fields, check=check))

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
        """Write fields of a record and nothing else; returns a copy with the changes and the new version.

        ``update(order, po_number="PO-77")`` writes the named fields, None as null. ``update(edited, order)``
        writes what differs between a copy and the record that was read; nothing differs, nothing is sent.
        Elements of a list are added without an id and removed by ``perform_deletion=True`` (docs/updates.md).

        With ``if_unchanged`` the version is read first; ConflictError when it is not that of the record held.
        A change between that read and the write is still overwritten: a PUT checks no version (facts 3.7).
        Raises InvalidCallError for what an update cannot say.
        """
        held = read or record
        self._require(type(held), "update", check)
        if read is not None and changes:
            raise InvalidCallError("give an edited copy and the record read, or named fields, not both")
        call, after = calls.change(record, changes) if read is None else calls.change_to(record, read)
        if call is None:
            return after
        if if_unchanged:
            calls.require_unchanged(held, await self._send(calls.version(held)))
        return calls.versioned(after, await self._send(call))

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
        return Query(entity, self._send) if expression is None else self._rows(entity, expression, check)

    async def restore(self, entity: type[Record] | str, id: int) -> EntitySpecifier:
        """Undo the removal of a record (facts 3.4)."""
        name = entity if isinstance(entity, str) else entity.wire_name
        done = await self.run("RestoreCommand", {"EntitySpecifier": {"EntityType": name, "Id": id}})
        return calls.specifier_of(done)

    # --- commands ---------------------------------------------------------------------------

    @overload
    async def run(self, command: Command[R], *, marker: str | None = None, check: bool = True) -> R: ...
    @overload
    async def run(self, command: str, fields: Mapping[str, Any], *, check: bool = True) -> dict[str, Any]: ...
    async def run(
        self,
        command: Command[Any] | str,
        fields: Mapping[str, Any] | None = None,
        *,
        marker: str | None = None,
        check: bool = True,
    ) -> Any:
        """Run a command and return its result; ``run("AnyName", {...})`` for one the catalogue does not know.

        Args:
            command: the command, or its name.
            fields: what a command that is named carries.
            marker: where a command carries a key of your own that can be queried, as in
                ``run(WoCreateCommand(work_order=order), marker="work_order.po_number")``. When the outcome
                is in doubt the record with this key is looked for until the ``settle`` time of the options
                has passed since the last attempt. If it is there the result holds it; else the command is
                sent again. See ``docs/failures.md`` for the window that remains.
            check: refuse what the service would refuse or drop before it is sent.

        Raises InvalidCallError for what is refused here, and InDoubtError when the command may have been
        carried out though no answer says so. With a marker, NotUniqueError when several records have the
        key, and InDoubtError only when they could not be queried.
        """
        if marker is not None:
            return await self._run_marked(command, marker, check=check)
        return await self._run(command, fields, check=check)

    @overload
    def run_many(
        self,
        inputs: Iterable[Command[R]] | AsyncIterable[Command[R]],
        *,
        marker: str | None = None,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[Command[R], R]: ...
    @overload
    def run_many(
        self,
        inputs: Iterable[I] | AsyncIterable[I],
        *,
        command: Callable[[I], Command[R]],
        marker: str | None = None,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[I, R]: ...
    def run_many(
        self,
        inputs: Iterable[Any] | AsyncIterable[Any],
        *,
        command: Callable[[Any], Command[Any]] | None = None,
        marker: str | None = None,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
    ) -> Run[Any, Any]:
        """Run many commands at once: one outcome for each input, in the order in which they end.

        Args:
            inputs: commands, or anything from which ``command`` makes one; sync or async, of any length.
            command: makes the command of an input when its turn comes; what it raises fails that input only.
            marker: where each command carries a key of its own, as for :meth:`run`.
            limit: calls under way at the most, and outcomes that wait to be read.
            grace: seconds that calls under way get when the block is cancelled or left by an exception.
            keep_replies: put the raw answer of each call into its outcome, as ``reply``.

        See :class:`~wosdk_async.fanout.Run` for what leaving the block early means.
        """

        async def call(item: Any, trace: Trace) -> Any:
            made = command(item) if command is not None else item
            if marker is not None:
                return await self._run_marked(made, marker, trace)
            return await self._run(made, None, trace)

        return Run(inputs, call, limit=limit, grace=grace, keep_replies=keep_replies)

    async def post(self, path: str, body: Any, *, repeat_safe: bool = False) -> Any:
        """POST ``body`` to a path below ``api/v1/`` that no verb covers, and return the JSON of the answer.

        For what is documented without its answers, such as the batch endpoints (facts 3.2)::

            await acme.post("batch/Get", [BatchEntityRequestItem(entity_type="Customer", id=512)])

        Args:
            path: names joined by ``/``.
            body: JSON values and objects of the model; nothing in it is checked.
            repeat_safe: whether sending it twice does no harm, so that it may be sent again.
        """
        return await self._send(calls.post(path, body, repeat_safe=repeat_safe))

    @staticmethod
    def _require(entity: type[Record] | str, operation: str, check: bool) -> None:
        if check:
            calls.require_support(entity, operation)

    async def _rows(self, entity: type[Record] | str, expression: Expression, check: bool) -> Any:
        return await self._send(calls.query(entity, expression, check=check))
