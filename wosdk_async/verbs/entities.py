"""The verbs for entities: read, create, update, delete, query."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, TypeVar, overload

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import EntitySpecifier, QueryExpression, Record
from wosdk_async.protocol import calls
from wosdk_async.protocol.calls import Id
from wosdk_async.protocol.validation.arguments import (
    NOT_GIVEN,
    entity_name,
    refuse_keywords,
    refuse_values,
    require_id,
    require_pair,
    require_record,
)
from wosdk_async.query.builder import Query
from wosdk_async.query.plan import selection
from wosdk_async.query.properties import Path
from wosdk_async.verbs.commands import Commands

__all__ = ["Verbs"]

E = TypeVar("E", bound=Record)

Expression = QueryExpression | Mapping[str, Any]

_PAIR = "an entity and an id"


class Verbs(Commands):
    """Entities, queries and commands; :class:`~wosdk_async.company.Company` adds what users ask for most.

    What an entity is documented not to support is refused before it is sent, with what to do instead, and so
    are names, values and gaps that the service would refuse or drop; ``check=False`` sends them anyway.
    Every verb raises a :class:`~wosdk_async.errors.WosdkError`.
    """

    @overload
    async def get(
        self, entity: type[E], id: Id, *, properties: Iterable[str | Path] = (), check: bool = True
    ) -> E: ...
    @overload
    async def get(
        self, entity: str, id: Id, *, properties: Iterable[str | Path] = (), check: bool = True
    ) -> dict[str, Any]: ...
    async def get(
        self,
        entity: type[Record] | str,
        id: Id = NOT_GIVEN,
        *more: Any,
        properties: Iterable[str | Path] = (),
        check: bool = True,
        **unknown: Any,
    ) -> Any:
        """Read one record.

        Args:
            entity: a class of the model, or the name of an entity type that the catalogue does not know.
            id: the record's id, or ``{"ParentId": 1, "ChildId": 2}`` for a compound key.
            properties: property paths (``"*"``, ``"Customer.Name"``, ``"Items.*"``), as for ``Query.select``.
                Without any, the service sends scalars and references cut to their id, and no lists.
            check: refuse a property that the class does not have before it is sent.

        Raises NotFoundError when no record has that id, and InvalidCallError for an id that cannot be one.
        """
        if unknown:
            refuse_keywords("get", unknown, ("properties", "check"))
        if more:
            refuse_values("get", _PAIR, more, "properties")
        require_pair("get", entity, id)
        call = calls.retrieve(entity, id, selection(entity, properties, check))
        return await self._send(call)

    @overload
    async def create(self, entity: Record, *, check: bool = True) -> EntitySpecifier: ...
    @overload
    async def create(
        self, entity: str, fields: Mapping[str, Any], *, check: bool = True
    ) -> EntitySpecifier: ...
    async def create(
        self,
        entity: Record | str,
        fields: Mapping[str, Any] | None = None,
        *,
        check: bool = True,
        **unknown: Any,
    ) -> EntitySpecifier:
        """Create a record and return its type, id and version; work orders are made by WoCreateCommand.

        Raises InDoubtError when the record may have been created though no answer says so.
        """
        if unknown:
            refuse_keywords("create", unknown, ("check",), _where_fields_go(entity))
        if not isinstance(entity, str):
            require_record("create", entity)
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
        held = record if read is None else read
        require_record("update", held)
        self._require(type(held), "update", check)
        if read is not None and changes:
            raise InvalidCallError("give an edited copy and the record read, or named fields, not both")
        call, after = calls.change(record, changes) if read is None else calls.change_to(record, read)
        if call is None:
            return after
        if if_unchanged:
            calls.require_unchanged(held, await self._send(calls.version(held)))
        return calls.versioned(after, await self._send(call))

    async def put(
        self,
        entity: type[Record] | str,
        content: Record | Mapping[str, Any],
        /,
        *,
        properties: Iterable[str],
    ) -> EntitySpecifier:
        """Send a PUT as it stands, for what :meth:`update` does not say; return type, id and version.

        ::

            await acme.put("Customer", {"Id": 512, "Name": "Acme", "Dba": "Acme Mall"}, properties=["*"])

        Nothing is checked, and the service does what it is told: ``"*"`` writes every scalar that is sent,
        over what somebody changed since it was read; ``"WorkZone.*"`` writes into that other record; a field
        it does not know is dropped without an error. Prefer :meth:`update`. See ``docs/updates.md``.

        Args:
            entity: a class of the model, or a name.
            content: the id and the fields, by the service's names; or a record.
            properties: the ``Properties`` of the request, as they are sent.

        Raises InDoubtError when it may have been written though no response says so: it is not sent again.
        """
        return await self._send(calls.put(entity, content, selection(entity, properties, check=False)))

    @overload
    async def delete(
        self, entity: type[Record], id: Id, *, missing_ok: bool = False, check: bool = True
    ) -> EntitySpecifier: ...
    @overload
    async def delete(
        self, entity: str, id: Id, *, missing_ok: bool = False, check: bool = True
    ) -> EntitySpecifier: ...
    async def delete(
        self,
        entity: type[Record] | str,
        id: Id = NOT_GIVEN,
        *more: Any,
        missing_ok: bool = False,
        check: bool = True,
        **unknown: Any,
    ) -> EntitySpecifier:
        """Delete a record; removable ones are only marked.

        With ``missing_ok`` a record that is already gone is no error, which makes it safe to repeat.
        """
        if unknown:
            refuse_keywords("delete", unknown, ("missing_ok", "check"))
        if more:
            refuse_values("delete", _PAIR, more, "missing_ok")
        require_pair("delete", entity, id)
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
        self,
        entity: type[Record] | str,
        expression: Expression | None = None,
        *,
        check: bool = True,
        **unknown: Any,
    ) -> Any:
        """A :class:`~wosdk_async.query.builder.Query` of an entity: ``query(WorkOrder).where(...)``.

        With a QueryExpression it is sent as it is, and ``await query(WorkOrder, expression)`` gives its rows,
        4,000 at the most.
        """
        if unknown:
            remedy = "; narrow the query itself: query(...).where(...).select(...).order_by(...).limit(n)"
            refuse_keywords("query", unknown, ("check",), remedy)
        entity_name(entity)
        self._require(entity, "query", check)
        return Query(entity, self._send) if expression is None else self._rows(entity, expression, check)

    async def restore(self, entity: type[Record] | str, id: int) -> EntitySpecifier:
        """Undo the removal of a record."""
        # facts 3.4
        name = entity_name(entity)
        require_id(entity, id)
        done = await self.run("RestoreCommand", {"EntitySpecifier": {"EntityType": name, "Id": id}})
        return calls.specifier_of(done)

    @staticmethod
    def _require(entity: type[Record] | str, operation: str, check: bool) -> None:
        if check:
            calls.require_support(entity, operation)

    async def _rows(self, entity: type[Record] | str, expression: Expression, check: bool) -> Any:
        return await self._send(calls.query(entity, expression, check=check))


def _where_fields_go(entity: object) -> str:
    """Return the remedy for fields of a record that are keywords of ``create``."""
    if isinstance(entity, type):
        return f"; fields go into the record: create({entity.__name__}(name=...))"
    if isinstance(entity, str):
        return f"; fields go into a dict: create({entity!r:.80}, {{...}})"
    return "; set the field in the record"
