"""QueryCriteria and orders of a query as SQL (facts 4): filters, conditions and dotted paths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import incorrect_model, unfinished_path, unknown_property
from wosdk_async.sandbox.schema.bodies import get_ignore_case, object_list
from wosdk_async.sandbox.schema.entities import SCALARS, EntitySchema, enumeration
from wosdk_async.sandbox.schema.relations import SAME_ID, relation_of
from wosdk_async.sandbox.service.query.operators import NOCASE, condition_sql, sort_expression
from wosdk_async.sandbox.service.query.selection import MAX_STEPS
from wosdk_async.sandbox.storage.tables import REPEATED_IDS, column

__all__ = ["QueryCriteria"]

_MAX_DEPTH = 32  # of nested filters; facts 4 states none (not shown; assumed)
# Operators whose rows an index finds; the others have to look at every row.
_SEEKING = frozenset(
    {"Equal", "In", "Between", "GreaterThan", "GreaterOrEqual", "LessThan", "LessOrEqual", "Null"}
)
_AMOUNT = {
    "value": Field(name="Value", type="number"),
    "currencytypeid": Field(name="CurrencyTypeId", type="enum", of="CurrencyType"),
}

_NOT_ASKED = {("WoLastAction", "Reason")}  # facts 4: a path seen refused; its code is assumed

Finish = Callable[[str, Field], str]


@attrs.define
class QueryCriteria:
    """Writes the conditions of one query over the row ``t0`` and collects the values they bind.

    Args:
        want: told of every property that rows are looked for by: entity type, path and kind.
    """

    shape: EntitySchema
    company: int
    want: Callable[[str, str, str], None] = lambda _entity, _path, _kind: None
    values: list[object] = attrs.field(factory=list)
    ranged: bool = False  # whether rows are looked for by more than single values, or by id
    _seeking: bool = False  # whether an index on the property would find the rows
    _aliases: count[int] = attrs.field(factory=lambda: count(1))
    # Whether a value behind a reference is fetched, so that a missing row counts as a null, or the
    # rows that match are collected first, which is faster and right for whatever null does not match.
    _fetching: bool = False

    def filter(self, expression: object, depth: int = 0) -> str:
        """A FilterExpression as a predicate.

        Raises:
            Refusal: ``INCORRECT_MODEL`` for a wrong shape or operator, ``ERROR_CODE_1002`` for an
                unknown property.
        """
        if not isinstance(expression, dict) or depth > _MAX_DEPTH:
            raise incorrect_model(f"A filter is an object, nested at most {_MAX_DEPTH} deep.")
        parts = [self._condition(condition) for condition in object_list(expression, "Conditions")]
        parts += [self.filter(inner, depth + 1) for inner in object_list(expression, "Filters")]
        joiner = joiner_of(get_ignore_case(expression, "FilterOperator"))
        self.ranged |= joiner == "OR" and len(parts) > 1
        return joined(parts, joiner)

    def order(self, path: object) -> str:
        """The SQL a row sorts by."""
        if not isinstance(path, str):
            raise incorrect_model("An order needs a PropertyName.")
        if _meets_list(self.shape, path.strip().split(".")):
            raise incorrect_model(f"Rows cannot be ordered by the list in {path}.")
        self._seeking = True
        return self._follow(path, sort_expression, fetching=True)

    def _condition(self, condition: dict[str, Any]) -> str:
        path, operator = get_ignore_case(condition, "PropertyName"), get_ignore_case(condition, "Operator")
        values = get_ignore_case(condition, "Values")
        if not isinstance(path, str):
            raise incorrect_model("A condition needs a PropertyName.")
        if not isinstance(values, list | None):
            raise incorrect_model("Values must be a list.")

        name = enumeration("ConditionOperator").name_of(operator)
        if name is None:
            raise incorrect_model(f"There is no operator {str(operator)[:40]!r}.")
        self._seeking = name in _SEEKING
        self.ranged |= self._seeking and name != "Equal" and path.strip().lower() != "id"

        def finish(sql: str, field: Field) -> str:
            predicate, bound = condition_sql(sql, field, name, values or [])
            self.values += bound
            return predicate

        return self._follow(path, finish, fetching=name == "Null" or values == [None])

    def _follow(self, path: str, finish: Finish, *, fetching: bool) -> str:
        steps = path.strip().split(".")
        if len(steps) > MAX_STEPS:
            raise unknown_property(self.shape.name, steps[0])
        self._fetching = fetching
        return self._walk(self.shape, "t0.", steps, finish)

    def _walk(self, shape: EntitySchema, row: str, steps: list[str], finish: Finish) -> str:
        """Follow a path from the row behind an alias, which ends with a point."""
        field, rest = shape.field(steps[0]), steps[1:]
        if field is None or (shape.name, field.name) in _NOT_ASKED:
            raise unknown_property(shape.name, steps[0])
        if rest and field.is_list:
            return self._any_element(shape, field, row, rest, finish)
        if rest and field.type == "ref":
            return self._through(shape, field, row, rest, finish)
        if field.type == "money" and len(rest) == 1 and rest[0].lower() in _AMOUNT:
            part = _AMOUNT[rest[0].lower()]
            return finish(self._column(shape, f"{field.name}.{part.name}", part.type, row), part)
        if rest:
            raise unknown_property(shape.name, steps[0])
        if field.type not in SCALARS:
            raise unfinished_path(field.name)
        if field.name == "Id" and shape.name not in REPEATED_IDS:
            return finish(f"{row}id", field)
        return finish(self._column(shape, field.name, field.type, row), field)

    def _column(self, shape: EntitySchema, path: str, kind: str, row: str) -> str:
        if self._seeking:
            self.want(shape.name, path, kind)
        return column(path, kind, row)

    def _through(self, shape: EntitySchema, field: Field, row: str, rest: list[str], finish: Finish) -> str:
        """A reference: its Id is at hand, anything else is in the row it names."""
        target = shape.behind(field)
        own_id = (shape.name, field.name) in SAME_ID
        key = f"{row}id" if own_id else self._column(shape, f"{field.name}.Id", "integer", row)
        if [step.lower() for step in rest] == ["id"]:
            return finish(key, target.by_name["id"])
        alias = f"t{next(self._aliases)}"
        source = f'FROM "{target.name}" {alias} WHERE {alias}.company = {self.company}'
        if target.name == "Actor":  # ids repeat between the kinds of actors
            kind = column(f"{field.name}.TypeId", "enum", row)
            source += f" AND {column('TypeId', 'enum', f'{alias}.')} = {kind}"
        if not self._fetching or _meets_list(target, rest):
            inner = self._walk(target, f"{alias}.", rest, finish)
            # The plus takes the column's affinity away, which would keep an index from being used
            return f"{key} IN (SELECT +{alias}.id {source} AND {inner})"

        def fetched(sql: str, last: Field) -> str:
            collation = NOCASE if last.type == "string" else ""
            return finish(f"(SELECT {sql} {source} AND {alias}.id = {key}){collation}", last)

        return self._walk(target, f"{alias}.", rest, fetched)

    def _any_element(
        self, shape: EntitySchema, field: Field, row: str, rest: list[str], finish: Finish
    ) -> str:
        """A list: any of its elements will do (facts 4: ``ContactAddresses.Address``)."""
        owned, target = relation_of(shape.name, field), shape.target(field)
        if owned is None or target is None:
            raise unknown_property(shape.name, field.name)
        alias = f"t{next(self._aliases)}"
        source = f'FROM "{owned.child.name}" {alias} WHERE {alias}.company = {self.company}'
        if owned.kind:
            source += f" AND {column(owned.kind, 'enum', f'{alias}.')} = '{owned.actor}'"
        pointer = column(owned.key, "integer", f"{alias}.")
        inner = self._walk(target, f"{alias}.", rest, finish)
        return f"{row}id IN (SELECT {pointer} {source} AND {inner})"


def _meets_list(shape: EntitySchema, steps: list[str]) -> bool:
    """Whether a path goes through a list; an unknown step is told elsewhere."""
    field = shape.field(steps[0])
    if field is None or field.is_list:
        return field is not None
    return field.type == "ref" and len(steps) > 1 and _meets_list(shape.behind(field), steps[1:])


def joiner_of(operator: object) -> str:
    """The word of SQL for a ``FilterOperator``.

    Raises:
        Refusal: ``INCORRECT_MODEL``.
    """
    if operator is None:
        return "AND"  # the enum's first: a missing enum is read as 0 (facts 5, UpdateInvoiceState)
    name = enumeration("LogicalOperator").name_of(operator)
    if name is None:
        raise incorrect_model("FilterOperator is And or Or.")
    return name.upper()


def joined(parts: list[str], joiner: str) -> str:
    """The parts joined as a balanced tree: SQLite bounds the depth of an expression."""
    if len(parts) < 2:
        return parts[0] if parts else "1"
    middle = len(parts) // 2
    return f"({joined(parts[:middle], joiner)} {joiner} {joined(parts[middle:], joiner)})"
