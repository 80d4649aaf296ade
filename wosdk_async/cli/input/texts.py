"""Parsers for conditions, sort orders, values, and names of entities and commands.

A ``--where`` condition is PROPERTY OPERATOR VALUE. A value extends to the end of the condition; in a list, to
the next comma; in ``between``, to ``and``. A quoted value can contain anything; double the quotes inside.
"""

from __future__ import annotations

import re
from typing import Any

import click

from wosdk_async.catalogue import load
from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.codec.text_values import parse_value
from wosdk_async.model import Command, Record, command_class, entity_class, index, registry
from wosdk_async.model.metadata import Wire
from wosdk_async.query.paths import find, root
from wosdk_async.query.plan import Condition
from wosdk_async.query.properties import (
    FOR_REFERENCES,
    Nested,
    Path,
    TextProperty,
    Unchecked,
    compared,
    property_at,
    resolved,
)
from wosdk_async.text.suggestions import suggestion

_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
_START = (
    r"(?P<path>[^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*"
    r"(?P<operator>==|=|!=|<>|>=|<=|>|<"
    r"|(?:is\s+not\s+null|is\s+null|not\s+like|like|not\s+in|in|not\s+between|between)\b)"
)
_CONDITION = re.compile(rf"\s*{_START}\s*(?P<rest>.*?)\s*", re.IGNORECASE | re.DOTALL)
_SECOND_CONDITION = re.compile(rf"\b(?P<word>and|or)\s+{_START}", re.IGNORECASE)
_BETWEEN = re.compile(rf"({_QUOTED}|.+?)\s+and\s+({_QUOTED}|.+)", re.IGNORECASE | re.DOTALL)
_ITEM = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(,|$)")

_SPELLINGS = {"==": "=", "<>": "!="}  # operators as Python and SQL write them


def condition(entity: type[Record] | str, text: str) -> Condition:
    """Parse a condition. Raises CliError or InvalidCallError with a remedy."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise _error(text, "a condition is PROPERTY OPERATOR VALUE, such as 'StatusId = New'")
    operator = " ".join(found["operator"].lower().split())
    operator = _SPELLINGS.get(operator, operator)
    field = property_at(find(root(entity), found["path"]))
    if isinstance(field, Nested) and operator not in FOR_REFERENCES:
        raise _error(
            text, f"{operator} does not work on references; compare ids with =, != or 'in', or use 'is null'"
        )
    if operator.endswith("like") and not isinstance(field, TextProperty | Unchecked):
        raise _error(text, f"{operator} needs a text property")
    values = [_value(raw, field, text) for raw in _raw_values(operator, found["rest"], text)]
    return compared(field, operator, values)


def order(text: str) -> str:
    """Normalize a sort order such as ``DtDue desc`` for the query builder."""
    path, *rest = text.split() or [""]
    direction = " ".join(rest).lower() or "asc"
    if not path or direction not in ("asc", "desc"):
        raise CliError(f"--order {text!r}: write a property, followed by asc or desc, such as 'DtDue desc'")
    return f"-{path}" if direction == "desc" else path


def _raw_values(operator: str, rest: str, text: str) -> list[str]:
    if operator.startswith("is"):
        if rest:
            raise _error(text, f"{operator!r} takes no value; remove the text after it")
        return []
    if operator.endswith("between"):
        ends = _BETWEEN.fullmatch(rest)
        if ends is None:
            raise _error(text, f"write {operator} LOW and HIGH")
        return [_unquoted(ends[1], text), _unquoted(ends[2], text)]
    if operator.endswith("in"):
        return _list(operator, rest, text)
    if rest.lower() == "null":
        raise _error(text, "use the operator 'is null' or 'is not null'; for the string null, write \"null\"")
    return [_unquoted(rest, text)]


def _list(operator: str, rest: str, text: str) -> list[str]:
    inner = rest[1:-1]
    if not (rest.startswith("(") and rest.endswith(")") and inner.strip()):
        raise _error(text, f"write {operator} (A, B)")
    values, offset, more = [], 0, True
    while more:
        item = _ITEM.match(inner, offset)
        if item is None:
            raise _error(text, "a quote is not closed, or a comma is missing after a quoted value")
        values.append(_unquoted(item[1].strip(), text))
        offset, more = item.end(), item[2] == ","
    return values


def _unquoted(raw: str, text: str) -> str:
    if re.fullmatch(_QUOTED, raw, re.DOTALL):
        return raw[1:-1].replace(raw[0] * 2, raw[0])
    if another := _SECOND_CONDITION.search(re.sub(_QUOTED, "''", raw)):
        word = another["word"].lower()
        rule = ", so give --where twice" if word == "and" else "; 'or' is not supported"
        raise _error(text, f"each --where takes one condition{rule}; quote values that contain {word!r}")
    if not raw:
        raise _error(text, "a value is missing; write '' for an empty string")
    if raw[0] in "'\"":
        raise _error(text, "a quote is not closed; to write a quote within quotes, write it twice")
    return raw


def _value(raw: str, field: Path, text: str) -> Any:
    place = resolved(field)
    if isinstance(field, Nested):
        try:
            return typed_value(raw, {"type": "integer"}, f"--where {text!r}: {place.path}, compared by id,")
        except CliError as error:
            hint = f"; to compare its name, use {place.name_path}" if place.name_path else ""
            raise CliError(f"{error.message}{hint}") from None
    meta = place.meta
    return raw if meta is None else typed_value(raw, meta, f"--where {text!r}: {place.path}")


def _error(text: str, remedy: str) -> CliError:
    return CliError(f"--where {text!r}: {remedy}")


# --- names and values, checked against the catalogue -----------------------------------------


def has_unchecked() -> bool:
    """Return whether the current command has an ``--unchecked`` option."""
    context = click.get_current_context(silent=True)
    return context is None or any(each.name == "unchecked" for each in context.command.params)


def unchecked_hint() -> str:
    """Return a hint on how to send an unknown name or value."""
    return f"{'--unchecked' if has_unchecked() else '`wosdk query --unchecked`'} sends it unchanged"


def entity_named(name: str, unchecked: bool) -> type[Record] | str:
    """Return an entity's class, or ``name`` if it is unknown or ``unchecked`` is true.

    Raises CliError for likely typos.
    """
    found = None if unchecked else entity_class(name)
    return found or _unknown_name("entity", name, (*index.ENTITIES, *index.ALIASES), unchecked)


def command_named(name: str, unchecked: bool) -> type[Command[Any]] | str:
    """Return a command's class, or ``name`` if it is unknown or ``unchecked`` is true.

    Raises CliError for likely typos.
    """
    found = None if unchecked else command_class(name)
    return found or _unknown_name("command", name, index.COMMANDS, unchecked)


def _unknown_name(kind: str, name: str, names: Any, unchecked: bool) -> str:
    if unchecked:
        return name
    if enum := next((each for each in load().enums if each.lower() == name.lower()), None):
        article = "an" if kind == "entity" else "a"
        raise CliError(f"{enum} is an enum, not {article} {kind}; `wosdk describe {enum}` lists its values")
    if hint := suggestion(name, names):
        raise CliError(f"the catalogue has no {kind} {name!r}{hint} {unchecked_hint()}")
    if has_unchecked():  # if there is no --unchecked, the command refuses the name later
        say(f"the catalogue has no {kind} {name!r}: sending it unchecked")
    return name


def typed_value(text: str, meta: Wire, place: str) -> Any:
    """Parse a property value. Raises CliError, whose message starts with ``place``."""
    if meta["type"] == "enum":
        return _member(text, meta["of"], place)
    try:
        return parse_value(text, meta)
    except ValueError as error:
        raise CliError(f"{place} {error}") from None


def _member(text: str, enum: str, place: str) -> str:
    names = [str(member) for member in registry.resolve(enum)]
    if text in names:
        return text
    hint = suggestion(text, names) or f"; wosdk describe {enum} lists its values."
    raise CliError(f"{place}: {enum} has no value {text!r}{hint} {unchecked_hint()}")
