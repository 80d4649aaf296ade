"""Creation, removal and restoration of records and owned records (spec 4.9, facts 3.3, 3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import REQUEST_MARKS, REQUEST_ONLY, EntitySchema
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS, relation_of
from wosdk_async.sandbox.schema.values import UNREADABLE, changed_money, read_value, reference_id
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.references import check_references, check_unreferenced, owned_relations
from wosdk_async.sandbox.service.rules import ON_CREATE, ON_DELETE, ON_WRITE, REQUIRED

Members = Iterable[tuple[Field, Any]]
# Not shown; assumed: only removal and restoration change IsRemoved.
SERVER_SET = frozenset({"Id", "ConcurrencyId", "IsRemoved"}) | REQUEST_MARKS | REQUEST_ONLY
_REFERRED_BY_NAME = frozenset({"DocumentType"})  # spec 2.9: a document names its type by DisplayAs
_INHERITED = ("WorkOrderId",)  # members that the elements of a list copy from their parent
_REMOVED = " (deleted)"  # facts 3.4: suffix of a removed record's name


def create(
    context: RequestContext,
    schema: EntitySchema,
    entity: Mapping[str, Any],
    parent_fields: dict[str, Any] | None = None,
) -> Record:
    """Create a record and its list records from the members of ``entity``.

    Unknown members are dropped, invalid ones replaced with defaults, and ``Id`` and ``ConcurrencyId`` ignored
    (facts 3.3). ``parent_fields`` (the reference to the parent, or a given ``Id``) override ``entity``.
    """
    members = [
        (field, _resolve_name(context, field, value)) for field, value in known_members(schema, entity)
    ]
    _check_required(schema, members)
    fixed = parent_fields or {}
    record: Record = blank_record(schema, members) | fixed
    record["Id"] = fixed["Id"] if "Id" in fixed else context.next_number(schema.name)
    check_references(context, schema, record)
    for rules in (ON_CREATE, ON_WRITE):
        if rule := rules.get(schema.name):
            rule(context, record)
    context.insert_with_id(schema, record)
    create_owned(context, schema, record, members)
    return record


def _check_required(schema: EntitySchema, members: Members) -> None:
    wanted = REQUIRED.get(schema.name, {})
    # facts 3.3: invalid members are dropped, so they count as missing
    sent = {f.name for f, value in members if f.name in wanted and read_value(f, value) is not UNREADABLE}
    for name, shown in wanted.items():
        if name not in sent:
            raise required(shown, schema.name)


def _resolve_name(context: RequestContext, field: Field, value: Any) -> Any:
    """Convert a reference by name to one by Id, where names are accepted. Return None for an unknown name."""
    if field.of not in _REFERRED_BY_NAME or not isinstance(value, dict) or reference_id(value) is not None:
        return value
    name = get_ignore_case(value, "DisplayAs")
    if not isinstance(name, str):
        return None
    found = context.named(field.of, "DisplayAs", name)
    return {"Id": found[0]["Id"]} if found else None


def known_members(schema: EntitySchema, entity: Mapping[str, Any]) -> list[tuple[Field, Any]]:
    """Return the members of ``entity`` that its entity type has, in the order sent."""
    found = ((schema.field(name), value) for name, value in entity.items())
    return [(field, value) for field, value in found if field is not None]


def blank_record(schema: EntitySchema, members: Members) -> Record:
    """Return a record with the scalars and references of ``members``, and defaults for the rest."""
    record = {**schema.blank}
    for field, value in members:
        assign(schema, record, field, value)
    return record


def assign(schema: EntitySchema, record: Record, field: Field, value: object) -> None:
    """Write one scalar or reference. An invalid value changes nothing.

    Null, or a reference without an Id, sets the default.
    """
    if field.is_list or field.name in SERVER_SET or field.of in OWNED_OBJECTS:
        return
    if value is None or (isinstance(value, dict) and field.type == "ref" and reference_id(value) is None):
        record.pop(field.name, None)
        if field.name in schema.blank:
            record[field.name] = schema.blank[field.name]
        return
    known = read_value(field, value)
    if known is UNREADABLE:
        return
    if field.type == "money" and isinstance(value, dict) and field.name in record:
        known = changed_money(record[field.name], value)  # facts 3.6: keeps parts that were not sent
    record[field.name] = known


def create_owned(context: RequestContext, schema: EntitySchema, record: Record, members: Members) -> None:
    """Create records for a new record's lists and owned objects."""
    before = {**record}
    for field, value in members:
        if field.is_list and isinstance(value, list):
            for element in value:
                add_element(context, schema, record, field, element)
        elif field.of in OWNED_OBJECTS and isinstance(value, dict):
            create_owned_object(context, schema, record, field, value)
    if record != before:
        context.replace_uncounted(schema, record)


def add_element(
    context: RequestContext, schema: EntitySchema, record: Record, field: Field, element: object
) -> bool:
    """Add an element to a list; return whether it was added.

    Not shown; assumed: an element that is not an object, or has ``PerformDeletion``, is dropped.
    """
    child = schema.target(field)
    if child is None or not isinstance(element, dict) or get_ignore_case(element, "PerformDeletion") is True:
        return False
    relation = relation_of(schema.name, field)
    if relation is not None:
        inherited = {
            name: record[name] for name in _INHERITED if name in record and name.lower() in child.by_name
        }
        create(context, child, element, inherited | relation.fields(record["Id"]))
        return True
    embedded = blank_record(child, known_members(child, element)) | {"Id": context.next_number(child.name)}
    check_references(context, child, embedded)
    record[field.name] = [*record.get(field.name, ()), embedded]
    return True


def create_owned_object(
    context: RequestContext, schema: EntitySchema, record: Record, field: Field, value: Record
) -> None:
    """Create an owned object's record and a reference to it in ``record``."""
    relation = relation_of(schema.name, field)
    parent_fields = relation.fields(record["Id"]) if relation else None
    created = create(context, schema.required_target(field), value, parent_fields)
    record[field.name] = {"Id": created["Id"]}


def delete(
    context: RequestContext, schema: EntitySchema, record: Record, *, with_owner: bool = False
) -> None:
    """Mark a record as removed if its type allows this; otherwise delete the record (facts 3.4).

    Not shown; assumed: records owned by a deleted record are deleted with it.
    """
    if not schema.soft_deleted:
        if rule := ON_DELETE.get(schema.name):
            rule(context, record)
        if not with_owner:
            check_unreferenced(context, schema, record)
        context.remove(schema.name, record["Id"])
        for relation in owned_relations(schema):
            for child in context.children(relation, record["Id"]):
                delete(context, relation.child, child, with_owner=True)
    elif not record.get("IsRemoved"):
        record["IsRemoved"] = True
        if "DisplayAs" in record:
            record["DisplayAs"] += _REMOVED
        context.replace(schema, record)


def restore(context: RequestContext, schema: EntitySchema, record: Record) -> None:
    """Undo a removal (facts 3.4). Not shown; assumed: types without ``IsRemoved`` are refused."""
    if not schema.soft_deleted:
        raise broken_rule(f"{schema.name} entity cannot be restored.")
    if record.get("IsRemoved"):
        record["IsRemoved"] = False
        if "DisplayAs" in record:
            record["DisplayAs"] = record["DisplayAs"].removesuffix(_REMOVED)
        context.replace(schema, record)
