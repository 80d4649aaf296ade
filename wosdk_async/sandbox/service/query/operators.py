"""The fourteen condition operators as SQL, with their values (facts 4)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import did_you_mean, incorrect_model
from wosdk_async.sandbox.schema.bodies import dump
from wosdk_async.sandbox.schema.entities import enumeration
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value

NOCASE = " COLLATE NOCASE"
_MAX_INTEGER = 19  # digits; SQLite compares integers of 64 bits exactly
_MAX_FLOAT = sys.float_info.max
_SHOWN_NAMES = 20  # names of an enum that a refusal lists
_MAX_PATTERN = 4000  # SQLite refuses very long patterns. Not shown; assumed: the service's limit

Values = list[object]


def condition_sql(sql: str, field: Field, operator: str, values: Values) -> tuple[str, Values]:
    """Return a condition's SQL and its bound values, parsed from ``values`` (facts 4)."""
    if field.type == "money":
        raise incorrect_model(f"Use {field.name}.Value to compare an amount.")
    sql_operator, write = _OPERATORS[operator]
    return write(sql, field, sql_operator, values)


def sort_expression(sql: str, field: Field) -> str:
    """Return an SQL sort expression. Not shown; assumed: the service stores and sorts enums as numbers."""
    if field.type != "enum":
        return sql
    numbers = enumeration(field.of or "").numbers
    whens = " ".join(f"WHEN '{name}' THEN {number}" for name, number in numbers.items())
    return f"CASE {sql} {whens} END"


def _compare(sql: str, field: Field, sql_operator: str, values: Values) -> tuple[str, Values]:
    (value,) = _exactly(1, field, values)
    if sql_operator not in ("=", "<>"):
        return f"{sort_expression(sql, field)} {sql_operator} ?", [_sort_value(field, value)]
    if value is None:  # not shown; assumed
        return f"{sql} {'IS NULL' if sql_operator == '=' else 'IS NOT NULL'}", []
    return f"{sql} {sql_operator} ?", [_comparable(field, value)]


def _between(sql: str, field: Field, sql_operator: str, values: Values) -> tuple[str, Values]:
    low, high = _exactly(2, field, values)
    bounds = [_sort_value(field, low), _sort_value(field, high)]
    return f"{sort_expression(sql, field)} {sql_operator} ? AND ?", bounds


def _membership(sql: str, field: Field, sql_operator: str, values: Values) -> tuple[str, Values]:
    if not values:
        raise incorrect_model(f"{field.name}: {sql_operator} takes at least one value.")
    # Bind all values as one JSON list, because SQLite limits the number of parameters
    wanted = dump([_comparable(field, value) for value in values]).decode()
    return f"{sql} {sql_operator} (SELECT value FROM json_each(?))", [wanted]  # noqa: S608 built of known names


def _pattern(sql: str, field: Field, sql_operator: str, values: Values) -> tuple[str, Values]:
    """Match SQL wildcards (facts 4). Not shown; assumed: ``[set]`` works as in SQL Server."""
    (pattern,) = _exactly(1, field, values)
    if not isinstance(pattern, str) or len(pattern) > _MAX_PATTERN:
        raise incorrect_model(
            f"{field.name}: {sql_operator} takes one string of at most {_MAX_PATTERN} characters."
        )
    text = sql.removesuffix(NOCASE)  # LIKE ignores ASCII case even without NOCASE
    if "[" not in pattern:
        return f"{text} {sql_operator} ?", [pattern]
    negation = "NOT " if sql_operator.startswith("NOT") else ""
    return f"{negation}({text} REGEXP ?)", [_pattern_regex(pattern)]


def _null(sql: str, _field: Field, sql_operator: str, _values: Values) -> tuple[str, Values]:
    return f"{sql} {sql_operator}", []


_OPERATORS: dict[str, tuple[str, Callable[[str, Field, str, Values], tuple[str, Values]]]] = {
    "Equal": ("=", _compare),
    "NotEqual": ("<>", _compare),
    "GreaterThan": (">", _compare),
    "GreaterOrEqual": (">=", _compare),
    "LessThan": ("<", _compare),
    "LessOrEqual": ("<=", _compare),
    "Between": ("BETWEEN", _between),
    "NotBetween": ("NOT BETWEEN", _between),
    "In": ("IN", _membership),
    "NotIn": ("NOT IN", _membership),
    "Like": ("LIKE", _pattern),
    "NotLike": ("NOT LIKE", _pattern),
    "Null": ("IS NULL", _null),
    "NotNull": ("IS NOT NULL", _null),
}


def _exactly(wanted: int, field: Field, values: Values) -> Values:
    if len(values) != wanted:
        raise incorrect_model(f"{field.name}: the operator takes {wanted} value(s), not {len(values)}.")
    return values


def _sort_value(field: Field, value: object) -> object:
    """Convert a condition value for `sort_expression`; enums become their numbers."""
    parsed = _comparable(field, value)
    return enumeration(field.of or "").numbers[str(parsed)] if field.type == "enum" else parsed


def _comparable(field: Field, value: object) -> object:
    if field.type in ("integer", "number"):
        parsed: object = _numeric(value)
    elif field.type == "boolean" and isinstance(value, str | int):
        parsed = {"true": 1, "1": 1, "false": 0, "0": 0}.get(str(value).strip().lower(), UNREADABLE)
    elif field.type == "string":
        text = value if isinstance(value, str) else UNREADABLE if value is None else str(value)
        parsed = text.rstrip(" ") if isinstance(text, str) else UNREADABLE
    else:
        parsed = read_value(field, value)
    if parsed is UNREADABLE or isinstance(parsed, dict | list):
        raise incorrect_model(f"{field.name} cannot be compared with {value!r:.60}{_remedy(field, value)}")
    return parsed


def _remedy(field: Field, value: object) -> str:
    names = list(enumeration(field.of or "").numbers) if field.type == "enum" else []
    near = did_you_mean(value, names) if isinstance(value, str) else ""
    if near or not names:
        return f"{near}."
    more = ", ..." if len(names) > _SHOWN_NAMES else "."
    return f": use one of {', '.join(names[:_SHOWN_NAMES])}{more}"


def _numeric(value: object) -> object:
    """Return an int if possible, otherwise a float: the value is never stored, so rounding is acceptable."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        return UNREADABLE
    try:
        number = Decimal(value)
    except InvalidOperation:
        return UNREADABLE
    if not number.is_finite():
        return UNREADABLE
    if number.adjusted() < _MAX_INTEGER and number == number.to_integral_value() and abs(number) < 2**63:
        return int(number)
    return max(-_MAX_FLOAT, min(float(number), _MAX_FLOAT))  # JSON cannot write infinity


def _pattern_regex(pattern: str) -> str:
    """Convert a pattern with sets to a linear-time regular expression.

    Only the first match of each part between two ``%`` must be tried: if the rest of the pattern fails after
    the first match, it also fails after any later match. Atomic groups prevent further attempts.
    """
    first, *others = ("".join(map(_element_regex, part)) for part in _pieces(pattern))
    if not others:
        return first
    *middle, last = others
    return "".join([first, *(f"(?>.*?{part})" for part in middle), f".*{last}"])


def _pieces(pattern: str) -> list[list[str]]:
    """Split a pattern at each ``%`` into lists of characters and sets."""
    pieces: list[list[str]] = [[]]
    for part in re.findall(r"\[\^?[^\]]+\]|.", pattern, re.DOTALL):
        if part == "%":
            pieces.append([])
        else:
            pieces[-1].append(part)
    return pieces


def _element_regex(part: str) -> str:
    if len(part) == 1:
        return "." if part == "_" else re.escape(part)
    inverted = part.startswith("[^") and len(part) > 3
    members = re.findall("(.)-(.)|(.)", part[2 if inverted else 1 : -1], re.DOTALL)
    inside = "".join(_set_regex(*found) for found in members)
    if not inside:  # the set only has reversed ranges
        return "." if inverted else "(?!)"
    return f"[{'^' if inverted else ''}{inside}]"


def _set_regex(low: str, high: str, single: str) -> str:
    if single:
        return re.escape(single)
    # Not shown; assumed: reversed ranges match nothing
    return f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
