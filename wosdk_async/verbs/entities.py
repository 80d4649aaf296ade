"""The verbs for entities: read, create, update, delete, query."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, TypeVar, overload

from wosdk_async import calls
from wosdk_async.calls import Id
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import EntitySpecifier, QueryExpression, Record
from wosdk_async.query.builder import Query
from wosdk_async.verbs.commands import Commands

__all__ = ["Verbs"]

E = TypeVar("E", bound=Record)

Expression = QueryExpression | Mapping[str, Any]


class Verbs(Commands):
    """Entities, queries and commands; :class:`~wosdk_async.company.Company` adds what users ask for most.

    What an entity is documented not to support is refused before it is sent, with what to do instead, and so
    are names, values and gaps that the service would refuse or drop; ``check=False`` sends them anyway.
    Every verb raises a :class:`~wosdk_async.errors.WosdkError`.
    """

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
                sends scalars and references cut to their id, and no lists.

        Raises NotFoundError when no record has that id.
        """
        # facts 3.4
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
        A change between that read and the write is still overwritten: a PUT checks no version.
        Raises InvalidCallError for what an update cannot say.
        """
        # facts 3.7
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
        """Delete a record; removable ones are only marked.

        With ``missing_ok`` a record that is already gone is no error, which makes it safe to repeat.
        """
        # facts 3.4
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
        4,000 at the most.
        """
        # facts 7
        self._require(entity, "query", check)
        return Query(entity, self._send) if expression is None else self._rows(entity, expression, check)

    async def restore(self, entity: type[Record] | str, id: int) -> EntitySpecifier:
        """Undo the removal of a record."""
        # facts 3.4
        name = entity if isinstance(entity, str) else entity.wire_name
        done = await self.run("RestoreCommand", {"EntitySpecifier": {"EntityType": name, "Id": id}})
        return calls.specifier_of(done)

    @staticmethod
    def _require(entity: type[Record] | str, operation: str, check: bool) -> None:
        if check:
            calls.require_support(entity, operation)

    async def _rows(self, entity: type[Record] | str, expression: Expression, check: bool) -> Any:
        return await self._send(calls.query(entity, expression, check=check))
