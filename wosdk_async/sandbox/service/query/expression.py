"""A QueryExpression answered (facts 4)."""

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


def run_query(context: RequestContext, shape: EntitySchema, expression: dict[str, Any]) -> list[Record]:
    """The rows an expression selects, shown with its properties.

    Rows never repeat, so ``Distinct`` changes nothing. Without ``Orders`` rows come by Id
    (facts 4: most recorded lists did).

    Raises:
        Refusal: ``INCORRECT_MODEL`` for a malformed expression, ``ERROR_CODE_1002`` and
            ``ERROR_CODE_1003`` for a wrong path, ``ERROR_CODE_1000`` where no query is offered.
    """
    if shape.operations.get("query") is False:
        raise unsupported("Query", shape.name)  # spec 2.11: reported to fail; the code is assumed
    paths = property_paths(get_ignore_case(_object(expression, "PropertySet"), "Properties"))
    chosen = selection(shape.name, paths, context.dialect)
    criteria = QueryCriteria(shape, context.company.id, context.store.indexes.want)
    where = criteria.filter(_object(expression, "Criteria"))
    # An index gives the rows of one value in the order of ids. For a range of values the plus keeps
    # SQLite from walking all rows in that order when an index knows better
    by_id = "+t0.id" if criteria.ranged and not get_ignore_case(expression, "Orders") else "t0.id"
    order = ", ".join([*_orders(criteria, expression), by_id])
    text = (
        f'SELECT t0.body FROM "{shape.name}" t0 WHERE t0.company = ? AND {where} '  # noqa: S608 built of known names
        f"ORDER BY {order} LIMIT ? OFFSET ?"
    )
    values = [
        context.company.id,
        *criteria.values,
        _count(expression),
        _whole(expression, "FirstResultIndex"),
    ]
    return [chosen.show(context, row) for row in _rows(context, text, values)]


def _rows(context: RequestContext, text: str, values: list[object]) -> list[Record]:
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


def _count(expression: dict[str, Any]) -> int:
    """Rows to answer: 0 or none means as many as the cap lets through (facts 4, facts 7)."""
    cap = catalogue.load().row_cap
    wanted = _whole(expression, "Count")
    return min(wanted, cap) if wanted else cap


def _whole(expression: dict[str, Any], name: str) -> int:
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
