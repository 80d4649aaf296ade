"""Translation of a QueryExpression (facts 4) to one SQL statement: filters, paths, orders."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import attrs

from wosdk_async import catalogue
from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import incorrect_model, unfinished_path, unknown_property, unsupported
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case, object_list
from wosdk_async.sandbox.schema.entities import MONEY_PARTS, SCALARS, EntitySchema, enumeration
from wosdk_async.sandbox.schema.relations import SAME_ID, relation_of
from wosdk_async.sandbox.schema.values import read_integer
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.operators import NOCASE, condition_sql, sort_expression
from wosdk_async.sandbox.service.query.selection import MAX_STEPS, property_paths, selection
from wosdk_async.sandbox.storage.database import REPEATED_IDS, column

_MAX_DEPTH = 32  # nested filters. Not shown; assumed: a limit (facts 4 states none)
# Operators that can use an index; others scan all records.
_INDEXABLE = frozenset(
    {"Equal", "In", "Between", "GreaterThan", "GreaterOrEqual", "LessThan", "LessOrEqual", "Null"}
)
_REFUSED = {("WoLastAction", "Reason")}  # facts 4: refused by the service; error code assumed

Finish = Callable[[str, Field], str]
"""Function that takes a path's last property, as SQL and as Field, and returns a condition or sort term."""


@attrs.define
class QueryCriteria:
    """Builder of a query's SQL conditions on table alias ``t0``, with the bound values."""

    schema: EntitySchema
    company: int
    ensure_index: Callable[[str, str, str], None] = lambda _entity, _path, _kind: None
    values: list[object] = attrs.field(factory=list)
    ranged: bool = False  # whether a property other than the id may match several values
    _indexable: bool = False  # whether an index helps for the current condition or order
    _aliases: count[int] = attrs.field(factory=lambda: count(1))
    # How to follow a reference. True: for each record, fetch the value from the referenced record, or null if
    # there is none. False: first select the referenced records that match. This is faster, but wrong if the
    # condition matches null.
    _fetching: bool = False

    def filter(self, expression: object, depth: int = 0) -> str:
        """Return a FilterExpression as an SQL predicate."""
        if not isinstance(expression, dict) or depth > _MAX_DEPTH:
            raise incorrect_model(f"A filter must be an object, nested at most {_MAX_DEPTH} levels deep.")
        parts = [self._condition(condition) for condition in object_list(expression, "Conditions")]
        parts += [self.filter(inner, depth + 1) for inner in object_list(expression, "Filters")]
        joiner = _joiner(get_ignore_case(expression, "FilterOperator"))
        self.ranged |= joiner == "OR" and len(parts) > 1
        return _joined(parts, joiner)

    def order(self, path: object) -> str:
        """Return an SQL sort expression."""
        if not isinstance(path, str):
            raise incorrect_model("A sort order needs a PropertyName.")
        if _has_list(self.schema, path.strip().split(".")):
            raise incorrect_model(f"Records cannot be ordered by {path}: it goes through a list.")
        self._indexable = True
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
        self._indexable = name in _INDEXABLE
        self.ranged |= self._indexable and name != "Equal" and path.strip().lower() != "id"

        def finish(sql: str, field: Field) -> str:
            predicate, bound = condition_sql(sql, field, name, values or [])
            self.values += bound
            return predicate

        return self._follow(path, finish, fetching=name == "Null" or values == [None])

    def _follow(self, path: str, finish: Finish, *, fetching: bool) -> str:
        steps = path.strip().split(".")
        if len(steps) > MAX_STEPS:
            raise unknown_property(self.schema.name, steps[0])
        self._fetching = fetching
        return self._walk(self.schema, "t0.", steps, finish)

    def _walk(self, schema: EntitySchema, alias: str, steps: list[str], finish: Finish) -> str:
        """Follow a path from the record of a table alias; ``alias`` ends with a dot."""
        field, rest = schema.field(steps[0]), steps[1:]
        if field is None or (schema.name, field.name) in _REFUSED:
            raise unknown_property(schema.name, steps[0])
        if rest and field.is_list:
            return self._any_element(schema, field, alias, rest, finish)
        if rest and field.type == "ref":
            return self._through(schema, field, alias, rest, finish)
        if field.type == "money" and len(rest) == 1 and rest[0].lower() in MONEY_PARTS:
            part = MONEY_PARTS[rest[0].lower()]
            return finish(self._column(schema, f"{field.name}.{part.name}", part.type, alias), part)
        if rest:
            raise unknown_property(schema.name, steps[0])
        if field.type not in SCALARS:
            raise unfinished_path(field.name)
        if field.name == "Id" and schema.name not in REPEATED_IDS:
            return finish(f"{alias}id", field)
        return finish(self._column(schema, field.name, field.type, alias), field)

    def _column(self, schema: EntitySchema, path: str, kind: str, alias: str) -> str:
        if (schema.name, path) in self.schema.dialect.zero_is_null:
            return f"nullif({column(path, kind, alias)}, 0)"
        if self._indexable:
            self.ensure_index(schema.name, path, kind)
        return column(path, kind, alias)

    def _through(
        self, schema: EntitySchema, field: Field, alias: str, rest: list[str], finish: Finish
    ) -> str:
        """Follow a path through a reference; every property except ``Id`` needs the referenced record."""
        target = schema.required_target(field)
        own_id = (schema.name, field.name) in SAME_ID
        key = f"{alias}id" if own_id else self._column(schema, f"{field.name}.Id", "integer", alias)
        if [step.lower() for step in rest] == ["id"]:
            return finish(key, target.by_name["id"])
        inner_alias = f"t{next(self._aliases)}"
        source = f'FROM "{target.name}" {inner_alias} WHERE {inner_alias}.company = {self.company}'
        if target.name == "Actor":  # actors of different kinds may have the same id
            kind = column(f"{field.name}.TypeId", "enum", alias)
            source += f" AND {column('TypeId', 'enum', f'{inner_alias}.')} = {kind}"
        if not self._fetching or _has_list(target, rest):
            inner = self._walk(target, f"{inner_alias}.", rest, finish)
            # Without the plus, the column's affinity would keep SQLite from using the index
            return f"{key} IN (SELECT +{inner_alias}.id {source} AND {inner})"

        def fetched(sql: str, last: Field) -> str:
            collation = NOCASE if last.type == "string" else ""
            return finish(f"(SELECT {sql} {source} AND {inner_alias}.id = {key}){collation}", last)

        return self._walk(target, f"{inner_alias}.", rest, fetched)

    def _any_element(
        self, schema: EntitySchema, field: Field, alias: str, rest: list[str], finish: Finish
    ) -> str:
        """Follow a path through a list, where one matching element is enough (facts 4)."""
        relation, target = relation_of(schema.name, field), schema.target(field)
        if relation is None or target is None:
            raise unknown_property(schema.name, field.name)
        inner_alias = f"t{next(self._aliases)}"
        source = f'FROM "{relation.child.name}" {inner_alias} WHERE {inner_alias}.company = {self.company}'
        if relation.kind:
            source += f" AND {column(relation.kind, 'enum', f'{inner_alias}.')} = '{relation.actor}'"
        pointer = column(relation.key, "integer", f"{inner_alias}.")
        inner = self._walk(target, f"{inner_alias}.", rest, finish)
        return f"{alias}id IN (SELECT {pointer} {source} AND {inner})"


def _has_list(schema: EntitySchema, steps: list[str]) -> bool:
    """Return whether a path goes through a list; `_walk` refuses unknown steps."""
    field = schema.field(steps[0])
    if field is None:
        return False
    if field.is_list:
        return True
    return field.type == "ref" and len(steps) > 1 and _has_list(schema.required_target(field), steps[1:])


def _joiner(operator: object) -> str:
    if operator is None:
        return "AND"  # a missing enum is read as 0 (facts 5, UpdateInvoiceState), here And
    name = enumeration("LogicalOperator").name_of(operator)
    if name is None:
        raise incorrect_model("FilterOperator must be And or Or.")
    return name.upper()


def _joined(parts: list[str], joiner: str) -> str:
    """Join the parts as a balanced tree, because SQLite limits expression depth."""
    if len(parts) < 2:
        return parts[0] if parts else "1"
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], joiner)} {joiner} {_joined(parts[middle:], joiner)})"


# --- the whole statement ---------------------------------------------------------------------

_DIRECTIONS = {"Ascending": "ASC", "Descending": "DESC"}


def run_query(context: RequestContext, schema: EntitySchema, expression: dict[str, Any]) -> list[Record]:
    """Return the selected records; without Orders, sorted by Id, as most recorded lists are (facts 4)."""
    if schema.operations.get("query") is False:
        raise unsupported("Query", schema.name)  # spec 2.11. Not shown; assumed: the code
    # ``Distinct`` has no effect, because records never repeat.
    paths = property_paths(get_ignore_case(_object(expression, "PropertySet"), "Properties"))
    chosen = selection(schema.name, paths, context.dialect)
    criteria = QueryCriteria(schema, context.company.id, context.store.indexes.ensure)
    where = criteria.filter(_object(expression, "Criteria"))
    # For one value, an index already returns the records in order of id. For several values, SQLite would
    # scan the whole table in order of id; the plus makes it use the index and sort.
    by_id = "+t0.id" if criteria.ranged and not get_ignore_case(expression, "Orders") else "t0.id"
    order = ", ".join([*_orders(criteria, expression), by_id])
    text = (
        f'SELECT t0.body FROM "{schema.name}" t0 WHERE t0.company = ? AND {where} '  # noqa: S608 built of known names
        f"ORDER BY {order} LIMIT ? OFFSET ?"
    )
    cap = catalogue.load().row_cap
    count = min(_whole_number(expression, "Count") or cap, cap)  # Count 0 or no Count: facts 4, facts 7
    page = [count, _whole_number(expression, "FirstResultIndex")]
    try:
        found = context.store.select(text, [context.company.id, *criteria.values, *page])
    except (sqlite3.OperationalError, sqlite3.DataError) as error:
        raise incorrect_model(f"The query is too complex: {error}.") from error
    return [chosen.show(context, record) for record in found]


def _orders(criteria: QueryCriteria, expression: dict[str, Any]) -> Iterator[str]:
    for order in object_list(expression, "Orders"):
        direction = get_ignore_case(order, "OrderType")
        name = "Ascending" if direction is None else enumeration("OrderType").name_of(direction)
        if name is None:
            raise incorrect_model("OrderType must be Ascending or Descending.")
        yield f"{criteria.order(get_ignore_case(order, 'PropertyName'))} {_DIRECTIONS[name]}"


def _whole_number(expression: dict[str, Any], name: str) -> int:
    sent = get_ignore_case(expression, name)
    value = 0 if sent is None else read_integer(sent)
    if not isinstance(value, int) or not 0 <= value < 2**31:
        raise incorrect_model(f"{name} must be a whole number, 0 or more.")
    return value


def _object(expression: dict[str, Any], name: str) -> dict[str, Any]:
    value = get_ignore_case(expression, name)
    if value is not None and not isinstance(value, dict):
        raise incorrect_model(f"{name} must be an object.")
    return value or {}
