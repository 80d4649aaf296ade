"""Make, remove and restore rows with what they own (spec 4.9, facts 3.3 and 3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import REQUEST_MARKS, REQUEST_ONLY, EntitySchema
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS, relation_of
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value, reference_id
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.owner_checks import check_owner
from wosdk_async.sandbox.service.rules import ON_CREATE, ON_DELETE, ON_WRITE, REQUIRED

__all__ = ["SERVER_SET", "add_element", "assign", "create", "delete", "own", "point", "recognised", "restore"]

Members = Iterable[tuple[Field, Any]]
# IsRemoved changes by removal and restoring only (not shown; assumed).
SERVER_SET = frozenset({"Id", "ConcurrencyId", "IsRemoved"}) | REQUEST_MARKS | REQUEST_ONLY
_NAMED = frozenset({"DocumentType"})  # spec 2.9: a document names its type by DisplayAs


def create(
    context: RequestContext,
    shape: EntitySchema,
    entity: Mapping[str, Any],
    belongs: dict[str, Any] | None = None,
) -> Record:
    """A new row from the members of ``entity``, with the rows of its lists.

    Unknown members are dropped, unreadable ones left at their default, ``Id`` and
    ``ConcurrencyId`` ignored (facts 3.3).

    Args:
        belongs: members that tie the row to its parent, or its Id; they win over those sent.
    """
    members = [(field, _resolved(context, field, value)) for field, value in recognised(shape, entity)]
    wanted = REQUIRED.get(shape.name, {})
    # facts 3.3: a member that cannot be read is left out, so it counts as missing
    sent = {f.name for f, value in members if f.name in wanted and read_value(f, value) is not UNREADABLE}
    for name, shown in wanted.items():
        if name not in sent:
            raise required(shown, shape.name)
    named = belongs or {}
    row: Record = blank(shape, members) | named
    row["Id"] = named["Id"] if "Id" in named else context.next_number(shape.name)
    if belongs is None:
        check_owner(context, shape, row)
    for rules in (ON_CREATE, ON_WRITE):
        if rule := rules.get(shape.name):
            rule(context, row)
    context.insert_with_id(shape, row)
    own(context, shape, row, members)
    return row


def _resolved(context: RequestContext, field: Field, value: Any) -> Any:
    """A reference that gives the name of a row instead of its Id, where the service takes names."""
    if field.of not in _NAMED or not isinstance(value, dict) or reference_id(value) is not None:
        return value
    name = get_ignore_case(value, "DisplayAs")
    text = f"SELECT body FROM {field.of} WHERE company = ? AND json_extract(body, '$.DisplayAs') = ?"  # noqa: S608
    found = context.store.select(text, [context.company.id, name]) if isinstance(name, str) else []
    return {"Id": found[0]["Id"]} if found else None


def recognised(shape: EntitySchema, entity: Mapping[str, Any]) -> list[tuple[Field, Any]]:
    """The members of ``entity`` that the entity type knows, in the order sent."""
    found = ((shape.field(name), value) for name, value in entity.items())
    return [(field, value) for field, value in found if field is not None]


def blank(shape: EntitySchema, members: Members) -> Record:
    """A row with the scalars and references of ``members``, everything else at its default."""
    row = {**shape.blank}
    for field, value in members:
        assign(shape, row, field, value)
    return row


def assign(shape: EntitySchema, row: Record, field: Field, value: object) -> None:
    """Write one scalar or reference; null empties it, what cannot be read leaves it alone."""
    if field.is_list or field.name in SERVER_SET or field.of in OWNED_OBJECTS:
        return
    if value is None or (isinstance(value, dict) and field.type == "ref" and reference_id(value) is None):
        row.pop(field.name, None)
        if field.name in shape.blank:
            row[field.name] = shape.blank[field.name]
        return
    known = read_value(field, value)
    if known is not UNREADABLE:
        row[field.name] = known


def own(context: RequestContext, shape: EntitySchema, row: Record, members: Members) -> None:
    """Make the rows of a new row's lists and owned objects."""
    before = {**row}
    for field, value in members:
        if field.is_list and isinstance(value, list):
            for element in value:
                add_element(context, shape, row, field, element)
        elif field.of in OWNED_OBJECTS and isinstance(value, dict):
            point(context, shape, row, field, value)
    if row != before:
        context.replace_uncounted(shape, row)


def add_element(
    context: RequestContext, shape: EntitySchema, row: Record, field: Field, element: object
) -> None:
    """One more element of a list of ``row``; what is no object is dropped."""
    child = shape.target(field)
    if child is None or not isinstance(element, dict):
        return
    owned = relation_of(shape.name, field)
    if owned is not None:
        create(context, child, element, owned.fields(row["Id"]))
        return
    kept = blank(child, recognised(child, element)) | {"Id": context.next_number(child.name)}
    row[field.name] = [*row.get(field.name, ()), kept]


def point(context: RequestContext, shape: EntitySchema, row: Record, field: Field, value: Record) -> None:
    """Make an owned object's row and let ``row`` point at it."""
    owned = relation_of(shape.name, field)
    made = create(context, shape.behind(field), value, owned.fields(row["Id"]) if owned else None)
    row[field.name] = {"Id": made["Id"]}


def delete(context: RequestContext, shape: EntitySchema, row: Record) -> None:
    """Remove a row: a removable one stays readable with ``IsRemoved`` set (facts 3.4).

    Any other goes for good, and the rows that it owns with it (the latter not shown; assumed).
    """
    if not shape.removable:
        if rule := ON_DELETE.get(shape.name):
            rule(context, row)
        context.remove(shape.name, row["Id"])
        _delete_elements(context, shape, row)
    elif not row["IsRemoved"]:
        row["IsRemoved"] = True
        if "DisplayAs" in row:
            row["DisplayAs"] += " (deleted)"
        context.replace(shape, row)


def _delete_elements(context: RequestContext, shape: EntitySchema, row: Record) -> None:
    owning = (field for field in shape.fields if field.is_list or field.of in OWNED_OBJECTS)
    owners = (relation_of(shape.name, field) for field in owning)
    for owned in filter(None, owners):
        for child in context.children(owned, row["Id"]):
            delete(context, owned.child, child)


def restore(context: RequestContext, shape: EntitySchema, row: Record) -> None:
    """Undo a removal (facts 3.4, RestoreCommand).

    Raises:
        Refusal: the entity type is not removable (not shown; assumed).
    """
    if not shape.removable:
        raise broken_rule(f"{shape.name} entity cannot be restored.")
    if row["IsRemoved"]:
        row["IsRemoved"] = False
        if "DisplayAs" in row:
            row["DisplayAs"] = row["DisplayAs"].removesuffix(" (deleted)")
        context.replace(shape, row)
