"""A whole QueryExpression as one SQL statement (facts 4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from wosdk_async import catalogue
from wosdk_async.sandbox.errors import incorrect_model, unsupported
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case, object_list
from wosdk_async.sandbox.schema.entities import EntitySchema, enumeration
from wosdk_async.sandbox.schema.values import read_integer
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.conditions import QueryCriteria
from wosdk_async.sandbox.service.query.selection import property_paths, selection

__all__ = ["run_query"]

_DIRECTIONS = {"Ascending": "ASC", "Descending": "DESC"}


def run_query(context: RequestContext, schema: EntitySchema, expression: dict[str, Any]) -> list[Record]:
    """Return the records that an expression selects, with the properties that it names.

    Records never repeat, so ``Distinct`` changes nothing. Without ``Orders`` they come by Id
    (facts 4: most recorded lists did).

    Raises:
        Refusal: ``INCORRECT_MODEL`` for a malformed expression, ``ERROR_CODE_1002`` and
            ``ERROR_CODE_1003`` for a wrong path, ``ERROR_CODE_1000`` where no query is offered.
    """
    if schema.operations.get("query") is False:
        raise unsupported("Query", schema.name)  # spec 2.11: reported to fail; the code is assumed
    paths = property_paths(get_ignore_case(_object(expression, "PropertySet"), "Properties"))
    chosen = selection(schema.name, paths, context.dialect)
    criteria = QueryCriteria(schema, context.company.id, context.store.indexes.want)
    where = criteria.filter(_object(expression, "Criteria"))
    # An index gives the records of one value in the order of ids. For a range of values the plus keeps
    # SQLite from walking the whole table in that order when an index knows better
    by_id = "+t0.id" if criteria.ranged and not get_ignore_case(expression, "Orders") else "t0.id"
    order = ", ".join([*_orders(criteria, expression), by_id])
    text = (
        f'SELECT t0.body FROM "{schema.name}" t0 WHERE t0.company = ? AND {where} '  # noqa: S608 built of known names
        f"ORDER BY {order} LIMIT ? OFFSET ?"
    )
    page = [_limit(expression), _whole_number(expression, "FirstResultIndex")]
    found = _select(context, text, [context.company.id, *criteria.values, *page])
    return [chosen.show(context, record) for record in found]


def _select(context: RequestContext, text: str, values: list[object]) -> list[Record]:
    try:
        return context.store.select(text, values)
    except (sqlite3.OperationalError, sqlite3.DataError) as error:
        raise incorrect_model(f"The query is too complex: {error}.") from error


def _orders(criteria: QueryCriteria, expression: dict[str, Any]) -> Iterator[str]:
    for order in object_list(expression, "Orders"):
        direction = get_ignore_case(order, "OrderType")
        name = "Ascending" if direction is None else enumeration("OrderType").name_of(direction)
        if name is None:
            raise incorrect_model("OrderType is Ascending or Descending.")
        yield f"{criteria.order(get_ignore_case(order, 'PropertyName'))} {_DIRECTIONS[name]}"


def _limit(expression: dict[str, Any]) -> int:
    """Return how many records to return: 0 or none means up to the cap (facts 4, facts 7)."""
    cap = catalogue.load().row_cap
    wanted = _whole_number(expression, "Count")
    return min(wanted, cap) if wanted else cap


def _whole_number(expression: dict[str, Any], name: str) -> int:
    sent = get_ignore_case(expression, name)
    value = 0 if sent is None else read_integer(sent)
    if not isinstance(value, int) or not 0 <= value < 2**31:
        raise incorrect_model(f"{name} must be a whole number from 0.")
    return value


def _object(expression: dict[str, Any], name: str) -> dict[str, Any]:
    value = get_ignore_case(expression, name)
    if value is not None and not isinstance(value, dict):
        raise incorrect_model(f"{name} must be an object.")
    return value or {}
