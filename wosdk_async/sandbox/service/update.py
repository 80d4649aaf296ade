"""Update grammar: ``Properties`` selects what a PUT writes (facts 3.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import Refusal, broken_rule, missing_record, unfinished_path, unknown_property
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import (
    MONEY_PARTS,
    SCALARS,
    EntitySchema,
    check_supported,
    is_read_only,
    removal_of,
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

# facts 10 row 4: changing StatusId by PUT fails. The other fields are set by actions or when a record is
# created (spec 2.3, facts 5). Not shown; assumed: a PUT of these fails with the same error code.
COMMAND_ONLY = {
    "WorkOrder": frozenset(
        {"StatusId", "Number", "Flag", "FlagId", "WonId", "DtCreated", "CreatedDateUtc"}
        | {"Employee", "LastActionDate", "LastActionDateUtc"}
    ),
    "WorkOrderCost": frozenset({"ApStateId", "ApStatusId", "CostState", "CostStatusId"}),
}

_NOT_WRITTEN_INSIDE = SERVER_SET - {"IsRemoved"}  # `write` refuses a changed IsRemoved, as in a direct PUT
_REFERENCE_MEMBERS = {"Actor": frozenset({"TypeId"})}  # facts 3.4: a reference to an actor includes its type


@attrs.define
class UpdatePlan:
    """Members to write in one object."""

    whole: bool = False  # whether to write all scalars and references
    names: set[str] = attrs.field(factory=set)
    inside: dict[str, UpdatePlan] = attrs.field(factory=dict)  # by list, reference or amount

    def covers(self, field: Field) -> bool:
        """Return whether the update writes the whole member, not only properties inside it."""
        return self.whole or field.name in self.names


def plan_update(schema: EntitySchema, paths: Iterable[str]) -> UpdatePlan:
    """Return the update plan for property paths."""
    plan = UpdatePlan()
    for path in paths:
        steps = path.strip().split(".")
        if len(steps) > MAX_STEPS:
            raise unknown_property(schema.name, steps[0])
        _add_path(schema, plan, steps)
    return plan


def _add_path(schema: EntitySchema, plan: UpdatePlan, steps: list[str]) -> None:
    if steps == ["*"]:
        plan.whole = True
        return
    field = schema.field(steps[0])
    if field is None or (len(steps) > 1 and field.type in SCALARS - {"money"}):
        raise unknown_property(schema.name, steps[0])
    if len(steps) == 1:
        if field.type in ("ref", "list"):  # facts 3.4 for reads. Not shown; assumed: the same holds for PUT
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


def update(
    context: RequestContext, schema: EntitySchema, record: Record, entity: Mapping[str, Any], plan: UpdatePlan
) -> bool:
    """Write the planned members of ``entity`` into ``record``; return whether anything changed.

    Members and list elements that the request leaves out are not changed (facts 3.6). The version counter
    advances if something changed (facts 3.7). Not shown; assumed: a change in an owned record also counts.
    """
    before = {**record}
    changed = False
    writer = _Update(context, schema, record)
    for field, value in known_members(schema, entity):
        inner = plan.inside.get(field.name)
        if inner is not None and not (field.type == "money" and plan.covers(field)):
            changed |= writer.write_inside(field, value, inner)
        elif plan.covers(field):
            writer.write(field, value)
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


@attrs.frozen
class _Update:
    context: RequestContext
    schema: EntitySchema
    record: Record

    def write(self, field: Field, value: object) -> None:
        schema, record = self.schema, self.record
        if field.name == "IsRemoved" and read_value(field, value) not in (UNREADABLE, record["IsRemoved"]):
            ways = f"{removal_of(schema)} and RestoreCommand"
            raise broken_rule(f"IsRemoved of {schema.name} can only be changed by {ways}.")
        old = record.get(field.name)
        assign(schema, record, field, value)
        guarded = not field.updatable or field.name in COMMAND_ONLY.get(schema.name, ())
        if guarded and record.get(field.name) != old:
            raise self._by_commands_only(field)

    def write_inside(self, field: Field, value: object, plan: UpdatePlan) -> bool:
        """Write inside a list, reference or amount, and return whether an owned record changed."""
        if field.type == "money":
            parts = [part.name for part in MONEY_PARTS.values() if plan.covers(part)]
            if isinstance(value, dict):
                self.write(field, {name: get_ignore_case(value, name) for name in parts})
            return False
        if field.is_list:
            elements = value if isinstance(value, list) else []
            if elements and (not field.updatable or is_read_only(self.schema.required_target(field))):
                raise self._by_commands_only(field)
            changes = [self._write_element(field, each, plan) for each in elements if isinstance(each, dict)]
            return any(changes)
        if field.of not in OWNED_OBJECTS:
            self._write_reference(field, value, plan)
            return False  # only the referenced record's counter advances (facts 3.7)
        if not isinstance(value, dict):
            return False
        if field.name not in self.record:
            create_owned_object(self.context, self.schema, self.record, field, value)
            return True
        return self._update_referenced(field, value, plan)

    def _by_commands_only(self, field: Field) -> Refusal:
        return broken_rule(f"{field.name} of {self.schema.name} can only be changed by commands.")

    def _update_referenced(self, field: Field, members: Mapping[str, Any], plan: UpdatePlan) -> bool:
        child = self.schema.required_target(field)
        found = self.context.get(child.name, self.record[field.name]["Id"])
        return update(self.context, child, found, members, plan)

    def _write_reference(self, field: Field, value: object, plan: UpdatePlan) -> None:
        """Write inside a referenced record (facts 3.6: ``TaxCode.*``).

        ``Child.Id`` writes the reference itself; reads use the same path (facts 3.4). Not shown; assumed: if
        another Id is sent, ``Child.*`` first changes the reference, then writes the other members into the
        newly referenced record.
        """
        key = reference_id(value)
        if "Id" in plan.names or (plan.whole and (value is None or key is not None)):
            self.write(field, value)
        if not isinstance(value, dict) or field.name not in self.record:
            return
        child = self.schema.required_target(field)
        members = {
            known.name: sent
            for known, sent in known_members(child, value)
            if known.name not in _NOT_WRITTEN_INSIDE | _REFERENCE_MEMBERS.get(child.name, frozenset())
            and (plan.covers(known) or known.name in plan.inside)
        }
        if members:
            check_supported(child, "Update")
            self._update_referenced(field, members, plan)

    def _write_element(self, field: Field, element: Record, plan: UpdatePlan) -> bool:
        """Add, change or delete one list element, by its Id and ``PerformDeletion`` (facts 3.6)."""
        key = reference_id(element)
        if key is None:
            return add_element(self.context, self.schema, self.record, field, element)
        relation, child = relation_of(self.schema.name, field), self.schema.required_target(field)
        if relation is None:
            return self._write_embedded_element(field, element, plan, key)
        found = self.context.get(child.name, key)
        # The element must belong to this list.
        if not relation.fields(self.record["Id"]).items() <= found.items():
            raise missing_record(child.name, key)
        if get_ignore_case(element, "PerformDeletion") is True:
            delete(self.context, child, found)
            return True
        return update(self.context, child, found, element, plan)

    def _write_embedded_element(self, field: Field, element: Record, plan: UpdatePlan, key: int) -> bool:
        child, before = self.schema.required_target(field), self.record.get(field.name, ())
        embedded = [dict(item) for item in before]
        target = next((item for item in embedded if item["Id"] == key), None)
        if target is None:
            raise missing_record(child.name, key)
        if get_ignore_case(element, "PerformDeletion") is True:
            embedded.remove(target)
        else:
            for member, value in known_members(child, element):
                if plan.covers(member):
                    assign(child, target, member, value)
        self.record[field.name] = embedded
        return bool(embedded != before)
