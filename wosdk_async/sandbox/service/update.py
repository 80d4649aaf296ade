"""The update grammar: ``Properties`` says what a PUT writes (facts 3.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import broken_rule, missing_record, unfinished_path, unknown_property
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import (
    MONEY_PARTS,
    SCALARS,
    EntitySchema,
    check_supported,
    is_read_only,
)
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS, relation_of
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value, reference_id
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import MAX_STEPS
from wosdk_async.sandbox.service.references import check_references
from wosdk_async.sandbox.service.rules import ON_CHANGE, ON_WRITE
from wosdk_async.sandbox.service.write import (
    SERVER_SET,
    add_element,
    assign,
    create_owned_object,
    delete,
    known_members,
)

__all__ = ["COMMAND_ONLY", "plan_update", "update"]

# facts 10 row 4: changing StatusId by PUT fails. The others follow from actions, or are computed when the
# order is made (spec 2.3, facts 5); that a creation and a PUT cannot write them, and the code, are not
# shown; assumed.
COMMAND_ONLY = {
    "WorkOrder": frozenset(
        {"StatusId", "Number", "Flag", "FlagId", "WonId", "DtCreated", "CreatedDateUtc"}
        | {"Employee", "LastActionDate", "LastActionDateUtc"}
    ),
    "WorkOrderCost": frozenset({"ApStateId", "ApStatusId", "CostState", "CostStatusId"}),
}

_REFERENCE_MEMBERS = {"Actor": frozenset({"TypeId"})}  # a reference to an actor shows it (facts 3.4)


@attrs.define
class UpdatePlan:
    """Members of one object that an update writes.

    Args:
        whole: whether all scalars and references are written.
        names: members written by name.
        inside: plans for what is written inside lists and references.
    """

    whole: bool = False
    names: set[str] = attrs.field(factory=set)
    inside: dict[str, UpdatePlan] = attrs.field(factory=dict)

    def covers(self, field: Field) -> bool:
        """Return whether the update writes this member itself."""
        return self.whole or field.name in self.names


def plan_update(schema: EntitySchema, paths: Iterable[str]) -> UpdatePlan:
    """Return the plan that property paths describe."""
    made = UpdatePlan()
    for path in paths:
        steps = path.strip().split(".")
        if len(steps) > MAX_STEPS:
            raise unknown_property(schema.name, steps[0])
        _add_path(schema, made, steps)
    return made


def update(
    context: RequestContext, schema: EntitySchema, record: Record, entity: Mapping[str, Any], plan: UpdatePlan
) -> bool:
    """Write the planned members of ``entity`` into ``record``; return whether anything changed.

    A member that is planned but not sent keeps its value, and an element that is not sent stays
    (facts 3.6). The counter advances if something changed, also in an owned record (facts 3.7;
    the latter assumed).
    """
    before = {**record}
    changed = False
    for field, value in known_members(schema, entity):
        inner = plan.inside.get(field.name)
        if inner is not None and not (field.type == "money" and plan.covers(field)):
            changed |= _write_inside(context, schema, record, field, value, inner)
        elif plan.covers(field):
            _write(schema, record, field, value)
    if rule := ON_WRITE.get(schema.name):
        rule(context, record)
    changed |= record != before
    if record != before:
        if check := ON_CHANGE.get(schema.name):
            check(before, record)
        check_references(context, schema, record, before)
    if changed:
        context.replace(schema, record)
    return changed


def _add_path(schema: EntitySchema, plan: UpdatePlan, steps: list[str]) -> None:
    if steps == ["*"]:
        plan.whole = True
        return
    field = schema.field(steps[0])
    if field is None or (len(steps) > 1 and field.type in SCALARS - {"money"}):
        raise unknown_property(schema.name, steps[0])
    if len(steps) == 1:
        if field.type in ("ref", "list"):  # as in a read (facts 3.4); not shown for a PUT, assumed
            raise unfinished_path(field.name)
        plan.names.add(field.name)
        return
    target = schema.target(field)
    if field.type == "money":
        _add_part(schema, plan.inside.setdefault(field.name, UpdatePlan()), steps)
    elif target is None:
        plan.names.add(field.name)
    else:
        _add_path(target, plan.inside.setdefault(field.name, UpdatePlan()), steps[1:])


def _add_part(schema: EntitySchema, plan: UpdatePlan, steps: list[str]) -> None:
    part = MONEY_PARTS.get(steps[1].lower())
    if len(steps) > 2 or (part is None and steps[1] != "*"):
        raise unknown_property(schema.name, steps[0])
    plan.whole |= part is None
    plan.names |= {part.name} if part else set()


def _write(schema: EntitySchema, record: Record, field: Field, value: object) -> None:
    if field.name == "IsRemoved" and read_value(field, value) not in (UNREADABLE, record["IsRemoved"]):
        raise broken_rule(f"IsRemoved of {schema.name} is changed by DELETE and RestoreCommand only.")
    old = record.get(field.name)
    assign(schema, record, field, value)
    guarded = not field.updatable or field.name in COMMAND_ONLY.get(schema.name, ())
    if guarded and record.get(field.name) != old:
        raise broken_rule(f"{field.name} of {schema.name} is changed by commands only.")


def _write_inside(
    context: RequestContext,
    schema: EntitySchema,
    record: Record,
    field: Field,
    value: object,
    plan: UpdatePlan,
) -> bool:
    """Write inside a list, a reference or an amount, and return whether a record behind it changed."""
    if field.type == "money":
        parts = [part.name for part in MONEY_PARTS.values() if plan.covers(part)]
        if isinstance(value, dict):
            _write(schema, record, field, {name: get_ignore_case(value, name) for name in parts})
        return False
    if field.is_list:
        elements = value if isinstance(value, list) else []
        if elements and (not field.updatable or is_read_only(schema.behind(field))):
            raise broken_rule(f"{field.name} of {schema.name} is changed by commands only.")
        changes = [_write_element(context, schema, record, field, element, plan) for element in elements]
        return any(changes)
    if field.of not in OWNED_OBJECTS:
        _write_reference(context, schema, record, field, value, plan)
        return False  # every record counts for itself (facts 3.7)
    if not isinstance(value, dict):
        return False
    if field.name not in record:
        create_owned_object(context, schema, record, field, value)
        return True
    child = schema.behind(field)
    return update(context, child, context.get(child.name, record[field.name]["Id"]), value, plan)


def _write_reference(
    context: RequestContext,
    schema: EntitySchema,
    record: Record,
    field: Field,
    value: object,
    plan: UpdatePlan,
) -> None:
    """Write inside the record that a reference names (facts 3.6: ``TaxCode.*``).

    ``Child.Id`` points the reference elsewhere, as facts 3.4 has it for a read; ``Child.*`` does so too
    when another Id is sent, and writes the other members into the record of that Id (both assumed).
    """
    key = reference_id(value)
    if "Id" in plan.names or (plan.whole and (value is None or key is not None)):
        _write(schema, record, field, value)
    if not isinstance(value, dict) or field.name not in record:
        return
    child = schema.behind(field)
    members = {
        known.name: sent
        for known, sent in known_members(child, value)
        if known.name not in SERVER_SET | _REFERENCE_MEMBERS.get(child.name, frozenset())
        and (plan.covers(known) or known.name in plan.inside)
    }
    if members:
        check_supported(child, "Update")
        update(context, child, context.get(child.name, record[field.name]["Id"]), members, plan)


def _write_element(
    context: RequestContext,
    schema: EntitySchema,
    record: Record,
    field: Field,
    element: object,
    plan: UpdatePlan,
) -> bool:
    """Add, change or delete one element of a list, by its Id and ``PerformDeletion`` (facts 3.6)."""
    if not isinstance(element, dict):
        return False
    key = reference_id(element)
    if key is None:
        return add_element(context, schema, record, field, element)
    if relation_of(schema.name, field) is None:
        return _write_kept_element(schema, record, field, element, plan, key)
    child = schema.behind(field)
    found = _get_child(context, schema, record, field, key)
    if get_ignore_case(element, "PerformDeletion") is True:
        delete(context, child, found)
        return True
    return update(context, child, found, element, plan)


def _get_child(
    context: RequestContext, schema: EntitySchema, record: Record, field: Field, key: int
) -> Record:
    """Return an element of this record's list, and of no other's."""
    relation = relation_of(schema.name, field)
    child = context.get(field.of or "", key)
    if relation is not None and relation.fields(record["Id"]).items() <= child.items():
        return child
    raise missing_record(field.of or "", key)


def _write_kept_element(
    schema: EntitySchema, record: Record, field: Field, element: Record, plan: UpdatePlan, key: int
) -> bool:
    kept = [dict(item) for item in record.get(field.name, ())]
    target = next((item for item in kept if item["Id"] == key), None)
    if target is None:
        raise missing_record(field.of or schema.name, key)
    if get_ignore_case(element, "PerformDeletion") is True:
        kept.remove(target)
    else:
        child = schema.behind(field)
        for member, value in known_members(child, element):
            if plan.covers(member):
                assign(child, target, member, value)
    changed = kept != record.get(field.name)
    record[field.name] = kept
    return changed
