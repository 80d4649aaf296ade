"""The update grammar: ``Properties`` says what a PUT writes (facts 3.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import broken_rule, missing_record, unfinished_path, unknown_property
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import SCALARS, EntitySchema, check_supported, is_read_only
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS, relation_of
from wosdk_async.sandbox.schema.values import reference_id
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.owner_checks import check_owner
from wosdk_async.sandbox.service.query.selection import MAX_STEPS
from wosdk_async.sandbox.service.rules import ON_CHANGE, ON_WRITE
from wosdk_async.sandbox.service.write import SERVER_SET, add_element, assign, delete, point, recognised

__all__ = ["UpdatePlan", "plan", "update"]

# facts 10 row 4: changing StatusId by PUT fails. The others follow from actions, or are worked out when the
# order is made (spec 2.3, facts 5); that a PUT cannot write them, and the code, are not shown; assumed.
_COMMAND_ONLY = {
    "WorkOrder": frozenset(
        {"StatusId", "Number", "FlagId", "WonId", "DtCreated", "CreatedDateUtc"}
        | {"LastActionDate", "LastActionDateUtc"}
    ),
    "WorkOrderCost": frozenset({"ApStateId", "ApStatusId", "CostState", "CostStatusId"}),
}

_REFERENCE_MEMBERS = {"Actor": frozenset({"TypeId"})}  # a reference to an actor shows it (facts 3.4)


@attrs.define
class UpdatePlan:
    """What to write of one object: all scalars and references, some by name, and inside others."""

    whole: bool = False
    names: set[str] = attrs.field(factory=set)
    inside: dict[str, UpdatePlan] = attrs.field(factory=dict)

    def covers(self, field: Field) -> bool:
        return self.whole or field.name in self.names


def plan(shape: EntitySchema, paths: Iterable[str]) -> UpdatePlan:
    """The plan that property paths describe.

    Raises:
        Refusal: ``ERROR_CODE_1002`` for an unknown property, ``ERROR_CODE_1003`` for a path that
            ends in a reference or a list.
    """
    made = UpdatePlan()
    for path in paths:
        steps = path.strip().split(".")
        if len(steps) > MAX_STEPS:
            raise unknown_property(shape.name, steps[0])
        _note(shape, made, steps)
    return made


def update(
    context: RequestContext, shape: EntitySchema, row: Record, entity: Mapping[str, Any], wanted: UpdatePlan
) -> bool:
    """Write the planned members of ``entity`` into ``row``; whether anything changed.

    A member that is planned but not sent keeps its value, and an element that is not sent stays
    (facts 3.6). The counter advances when something changed, also in an owned row (facts 3.7;
    the latter assumed).
    """
    before = {**row}
    changed = False
    for field, value in recognised(shape, entity):
        inner = wanted.inside.get(field.name)
        if inner is not None:
            changed |= _inside(context, shape, row, field, value, inner)
        elif wanted.covers(field):
            _write(shape, row, field, value)
    if rule := ON_WRITE.get(shape.name):
        rule(context, row)
    changed |= row != before
    if row != before:
        if check := ON_CHANGE.get(shape.name):
            check(before, row)
        check_owner(context, shape, row, before)
    if changed:
        context.replace(shape, row)
    return changed


def _note(shape: EntitySchema, made: UpdatePlan, steps: list[str]) -> None:
    if steps == ["*"]:
        made.whole = True
        return
    field = shape.field(steps[0])
    if field is None or (len(steps) > 1 and field.type in SCALARS - {"money"}):
        raise unknown_property(shape.name, steps[0])
    if len(steps) == 1 or field.type == "money":
        if field.type in ("ref", "list"):  # as in a read (facts 3.4); not shown for a PUT, assumed
            raise unfinished_path(field.name)
        made.names.add(field.name)
        return
    target = shape.target(field)
    if target is None:
        made.names.add(field.name)
    else:
        _note(target, made.inside.setdefault(field.name, UpdatePlan()), steps[1:])


def _write(shape: EntitySchema, row: Record, field: Field, value: object) -> None:
    old = row.get(field.name)
    assign(shape, row, field, value)
    guarded = not field.updatable or field.name in _COMMAND_ONLY.get(shape.name, ())
    if guarded and row.get(field.name) != old:
        raise broken_rule(f"{field.name} of {shape.name} is changed by commands only.")


def _inside(
    context: RequestContext, shape: EntitySchema, row: Record, field: Field, value: object, inner: UpdatePlan
) -> bool:
    """Write inside a list or a reference; whether a row of it changed."""
    if field.is_list:
        elements = value if isinstance(value, list) else []
        if elements and (not field.updatable or is_read_only(shape.behind(field))):
            raise broken_rule(f"{field.name} of {shape.name} is changed by commands only.")
        changes = [_element(context, shape, row, field, element, inner) for element in elements]
        return any(changes)
    if field.of not in OWNED_OBJECTS:
        _reference(context, shape, row, field, value, inner)
        return False  # every record counts for itself (facts 3.7)
    if not isinstance(value, dict):
        return False
    if field.name not in row:
        point(context, shape, row, field, value)
        return True
    child = shape.behind(field)
    return update(context, child, context.get(child.name, row[field.name]["Id"]), value, inner)


def _reference(
    context: RequestContext, shape: EntitySchema, row: Record, field: Field, value: object, inner: UpdatePlan
) -> None:
    """Write inside the record that a reference names (facts 3.6: ``TaxCode.*``).

    ``Child.Id`` points the reference elsewhere, as facts 3.4 has it for a read; ``Child.*`` does so too
    when another Id is sent, and writes the other members into the record of that Id (both assumed).

    Raises:
        Refusal: ``ERROR_CODE_1000``: the record is one that no update writes.
    """
    key = reference_id(value)
    if "Id" in inner.names or (inner.whole and (value is None or key is not None)):
        _write(shape, row, field, value)
    if not isinstance(value, dict) or field.name not in row:
        return
    child = shape.behind(field)
    members = {
        known.name: sent
        for known, sent in recognised(child, value)
        if known.name not in SERVER_SET | _REFERENCE_MEMBERS.get(child.name, frozenset())
        and (inner.covers(known) or known.name in inner.inside)
    }
    if members:
        check_supported(child, "Update")
        update(context, child, context.get(child.name, row[field.name]["Id"]), members, inner)


def _element(
    context: RequestContext,
    shape: EntitySchema,
    row: Record,
    field: Field,
    element: object,
    inner: UpdatePlan,
) -> bool:
    """Add, change or remove one element, by its Id and ``PerformDeletion`` (facts 3.6)."""
    if not isinstance(element, dict):
        return False
    key = reference_id(element)
    if key is None:
        add_element(context, shape, row, field, element)
        return True
    if relation_of(shape.name, field) is None:
        return _kept_element(shape, row, field, element, inner, key)
    child = shape.behind(field)
    found = _child(context, shape, row, field, key)
    if get_ignore_case(element, "PerformDeletion") is True:
        delete(context, child, found)
        return True
    return update(context, child, found, element, inner)


def _child(context: RequestContext, shape: EntitySchema, row: Record, field: Field, key: int) -> Record:
    """An element of the list of this row and no other's."""
    owned = relation_of(shape.name, field)
    child = context.get(field.of or "", key)
    if owned is not None and owned.fields(row["Id"]).items() <= child.items():
        return child
    raise missing_record(field.of or "", key)


def _kept_element(
    shape: EntitySchema, row: Record, field: Field, element: Record, inner: UpdatePlan, key: int
) -> bool:
    """The same for an element that is kept inside its parent."""
    kept = [dict(item) for item in row.get(field.name, ())]
    target = next((item for item in kept if item["Id"] == key), None)
    if target is None:
        raise missing_record(field.of or shape.name, key)
    if get_ignore_case(element, "PerformDeletion") is True:
        kept.remove(target)
    else:
        child = shape.behind(field)
        for member, value in recognised(child, element):
            if inner.covers(member):
                assign(child, target, member, value)
    changed = kept != row.get(field.name)
    row[field.name] = kept
    return changed
