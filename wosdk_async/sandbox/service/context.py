"""Context of one request, and the look-up of records that a request names."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

import attrs

from wosdk_async.sandbox.errors import Refusal, broken_rule, missing_record, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.dialect import SPEC, Dialect, NumberFormat
from wosdk_async.sandbox.schema.entities import EntitySchema
from wosdk_async.sandbox.schema.relations import Relation
from wosdk_async.sandbox.schema.values import Moment, zone_of
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.database import column
from wosdk_async.sandbox.storage.store import Store

_CENTRAL = 20  # not shown; assumed: the Company's own zone


@attrs.frozen
class RequestContext:
    """A Company during one request: all times are ``now``, and each record is read once."""

    store: Store
    company: StoredCompany
    now: Moment
    root: str = ""  # address of the request, with a trailing slash
    dialect: Dialect = SPEC
    unchecked: list[tuple[EntitySchema, Record]] | None = None
    """New records whose references are checked later, because seed rows may refer to later rows."""
    _records: dict[tuple[str, int], Record] = attrs.field(factory=dict, init=False, repr=False)
    _inserted: set[tuple[str, int]] = attrs.field(factory=set, init=False, repr=False)
    _replaced: set[tuple[str, int]] = attrs.field(factory=set, init=False, repr=False)

    @property
    def account(self) -> Record:
        """The service account, the actor that runs commands (facts 1, Effective identity)."""
        return {"Id": self.company.id, "TypeId": "CorrigoNet"}

    @property
    def zone(self) -> tzinfo:
        """The Company's time zone."""
        return zone_of(_CENTRAL)

    def next_number(self, name: str) -> int:
        """Return the next number of a Company counter, which starts at 1."""
        return self.store.counters.next(self.company.id, name)

    def find(self, entity: str, key: int) -> Record | None:
        """Return a record by id, the same object each time; None if there is none."""
        known = self._records.get((entity, key))
        if known is None:
            known = self.store.get(self.company.id, entity, key)
            if known is not None:
                self._records[entity, key] = known
        return known

    def find_actor(self, reference: Record) -> Record | None:
        """Return an actor's record; None if there is none. Actors of different kinds may have the same id."""
        found = self.select("Actor", "id = ?", reference["Id"])
        return next((actor for actor in found if actor["TypeId"] == reference["TypeId"]), None)

    def get(self, entity: str, key: int) -> Record:
        """Return a record by id; refuse the request if there is none."""
        found = self.find(entity, key)
        if found is None:
            raise missing_record(entity, key)
        return found

    def select(self, entity: str, condition: str, *values: object, limit: int = -1) -> list[Record]:
        """Return the records for an SQL condition, ordered by id.

        ``entity`` and ``condition`` never contain request text; ``values`` are bound parameters. A limit of
        -1 means no limit.
        """
        text = f'SELECT body FROM "{entity}" WHERE company = ? AND {condition} ORDER BY id LIMIT ?'  # noqa: S608
        return self.store.select(text, [self.company.id, *values, limit])

    def first(self, entity: str, condition: str, *values: object) -> Record | None:
        """Return the first record for an SQL condition; None if there is none."""
        return next(iter(self.select(entity, condition, *values, limit=1)), None)

    def named(self, entity: str, member: str, text: str) -> list[Record]:
        """Return the records with a member equal to ``text``, compared as in queries."""
        return self.select(entity, f"{column(member, 'string')} = ?", text.rstrip(" "))

    def referrer(self, entity: str, path: str, key: int) -> Record | None:
        """Return the first record whose reference at ``path`` has the id ``key``; None if there is none."""
        self.store.indexes.ensure(entity, path, "integer")
        return self.first(entity, f"{column(path, 'integer')} = ?", key)

    def children(self, relation: Relation, parent: int) -> list[Record]:
        """Return the children of record ``parent`` in a relation, ordered by id."""
        found = self.pointing(relation.child.name, relation.key, parent)
        return [each for each in found if not relation.kind or each.get(relation.kind) == relation.actor]

    def pointing(self, entity: str, key: str, parent: int) -> list[Record]:
        """Return the records whose field ``key`` is the id ``parent``, ordered by id."""
        return self.select(entity, f"{column(key, 'integer')} = ?", parent)

    def number_format(self, entity: str, record: Record, value: object) -> NumberFormat:
        """Return the format of a record's time or amount: ``fresh`` if set by this request, else ``stored``.

        facts 3.5: all times of a new record are fresh. In a changed record, only the values set by the
        request are fresh. A value is fresh if its seconds are those of ``now`` (in any zone), or if it has
        more digits than the store keeps. Not shown; assumed: a computed record, which has no id, is new.
        """
        key = (entity, record.get("Id", 0))
        just_set = (
            key in self._replaced
            and isinstance(value, str)
            and (value[17:] == self.now.utc[17:] or value != self.dialect.stored.cut(value))
        )
        is_new = key in self._inserted or not key[1]
        return self.dialect.fresh if just_set or is_new else self.dialect.stored

    def insert(self, schema: EntitySchema, record: Record) -> Record:
        """Add a record with the next id of its entity type, and version counter 1 (facts 3.3)."""
        record["Id"] = self.next_number(schema.name)
        return self.insert_with_id(schema, record)

    def insert_with_id(self, schema: EntitySchema, record: Record) -> Record:
        """Add a record that already has an id."""
        if schema.versioned:
            record["ConcurrencyId"] = 1
        self.store.insert(self.company.id, schema.name, self._stored(schema, record))
        self._inserted.add((schema.name, record["Id"]))
        self._records[schema.name, record["Id"]] = record
        return record

    def replace(self, schema: EntitySchema, record: Record) -> None:
        """Write a changed record and advance its version counter (facts 3.7)."""
        if schema.versioned:
            record["ConcurrencyId"] = int(record["ConcurrencyId"]) + 1
        self.replace_uncounted(schema, record)

    def replace_uncounted(self, schema: EntitySchema, record: Record) -> None:
        """Write a changed record without advancing its counter, as part of another change."""
        self.store.replace(self.company.id, schema.name, self._stored(schema, record))
        self._replaced.add((schema.name, record["Id"]))
        self._records[schema.name, record["Id"]] = record

    def _stored(self, schema: EntitySchema, record: Record) -> Record:
        """Return a record with its times cut for storage (facts 3.5); the response shows them in full."""
        if self.dialect.tick == 1:
            return record
        times = (each.name for each in schema.fields if each.type.startswith("datetime"))
        return record | {name: self.dialect.stored.cut(record[name]) for name in times if name in record}

    def remove(self, entity: str, key: int) -> None:
        """Delete a record permanently."""
        self.store.remove(self.company.id, entity, key)
        self._records.pop((entity, key), None)


Arguments = dict[str, Any]


def required_record(
    context: RequestContext, entity: str, key: int, name: str = "", *, removed_ok: bool = False
) -> Record:
    """Return the record with id ``key``, which a request refers to; refuse the request if there is none.

    spec 3 says so for WoCreateCommand. Not shown; assumed: the texts, the refusal of removed records,
    and the same rule for other requests.
    """
    record = context.find(entity, key)
    if record is None:
        raise broken_rule(f"{name or entity} with id {key} is not found.")
    if record.get("IsRemoved") and not removed_ok:
        raise broken_rule(f"{name or entity} with id {key} is removed.")
    return record


def named_record(
    context: RequestContext,
    arguments: Arguments,
    argument: str,
    entity: str,
    name: str = "",
    *,
    removed_ok: bool = False,
) -> Record:
    """Return a record by the id in an argument. An empty ``name`` makes errors use the argument's name."""
    key = arguments.get(argument, 0)
    if not key:
        raise required(argument)
    return required_record(context, entity, key, name or argument, removed_ok=removed_ok)


def not_modelled(name: str, why: str) -> Refusal:
    """Return the refusal for a command, or arguments, that the sandbox does not model."""
    return broken_rule(f"The local sandbox does not model {name}: {why}.")
