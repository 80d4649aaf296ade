"""What the operations of one request share: the store, the Company and the moment."""

from __future__ import annotations

from datetime import tzinfo

import attrs

from wosdk_async.sandbox.errors import missing_row
from wosdk_async.sandbox.service.dialect import SPEC, Dialect, NumberFormat
from wosdk_async.sandbox.service.entity_schema import EntitySchema
from wosdk_async.sandbox.service.query.expressions import Row
from wosdk_async.sandbox.service.relations import Relation
from wosdk_async.sandbox.service.times import Now, zone_of
from wosdk_async.sandbox.storage.store import Company, Store

__all__ = ["RequestContext"]

_CENTRAL = 20  # the zone of the Company itself (not shown; assumed)


@attrs.frozen
class RequestContext:
    """One request's view of a Company: all its times come from ``now``, and it reads a row once."""

    store: Store
    company: Company
    now: Now
    root: str = ""  # the address the request came to, with its last slash
    dialect: Dialect = SPEC
    _rows: dict[tuple[str, int], Row] = attrs.field(factory=dict, init=False, repr=False)
    _made: set[tuple[str, int]] = attrs.field(factory=set, init=False, repr=False)
    _kept: set[tuple[str, int]] = attrs.field(factory=set, init=False, repr=False)

    @property
    def account(self) -> Row:
        """The service account as an actor: commands run as it (facts 1, Effective identity)."""
        return {"Id": self.company.id, "TypeId": "CorrigoNet"}

    @property
    def zone(self) -> tzinfo:
        return zone_of(_CENTRAL)

    def next_number(self, name: str) -> int:
        """The next number of a counter of the Company, from 1."""
        return self.store.next_number(self.company.id, name)

    def find(self, entity: str, key: int) -> Row | None:
        """The row with this id, or None; the same object each time it is asked for."""
        known = self._rows.get((entity, key))
        if known is None:
            known = self.store.get(self.company.id, entity, key)
            if known is not None:
                self._rows[entity, key] = known
        return known

    def find_actor(self, reference: Row) -> Row | None:
        """An actor's row: ids repeat between the kinds of actors."""
        statement = "SELECT body FROM Actor WHERE id = ? AND company = ?"
        rows = self.store.select(statement, [reference["Id"], self.company.id])
        return next((row for row in rows if row["TypeId"] == reference["TypeId"]), None)

    def row(self, entity: str, key: int) -> Row:
        """The row with this id.

        Raises:
            Refusal: ``ERROR_CODE_1019``.
        """
        found = self.find(entity, key)
        if found is None:
            raise missing_row(entity, key)
        return found

    def form(self, entity: str, row: Row, value: object) -> NumberFormat:
        """How a time or an amount of a row is written: another way when this request set it.

        facts 3.5: all times of a row that was just made, and of another row the time just set. Zones
        differ by whole minutes, so that one is known by its second.
        """
        key = (entity, row.get("Id", 0))
        just_set = key in self._kept and isinstance(value, str) and value[17:] == self.now.utc[17:]
        return self.dialect.fresh if just_set or key in self._made else self.dialect.stored

    def children(self, link: Relation, parent: int) -> list[Row]:
        return self.store.children(self.company.id, link, parent)

    def insert(self, shape: EntitySchema, row: Row) -> Row:
        """Keep a new row under the next id of its entity type; its counter starts at 1 (facts 3.3)."""
        row["Id"] = self.next_number(shape.name)
        return self.place(shape, row)

    def place(self, shape: EntitySchema, row: Row) -> Row:
        """Keep a new row under the id it carries."""
        if shape.locked:
            row["ConcurrencyId"] = 1
        self.store.insert(self.company.id, shape.name, row)
        self._made.add((shape.name, row["Id"]))
        self._rows[shape.name, row["Id"]] = row
        return row

    def replace(self, shape: EntitySchema, row: Row) -> None:
        """Keep a changed row and advance its counter (facts 3.7)."""
        if shape.locked:
            row["ConcurrencyId"] = int(row["ConcurrencyId"]) + 1
        self.keep(shape, row)

    def keep(self, shape: EntitySchema, row: Row) -> None:
        """Keep a changed row without counting the change: it is part of making the row."""
        self.store.replace(self.company.id, shape.name, row)
        self._kept.add((shape.name, row["Id"]))
        self._rows[shape.name, row["Id"]] = row

    def remove(self, entity: str, key: int) -> None:
        """Take a row away for good."""
        self.store.remove(self.company.id, entity, key)
        self._rows.pop((entity, key), None)
