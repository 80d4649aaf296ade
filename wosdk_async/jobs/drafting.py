"""Draft of a map: columns of a file beside the fields of the catalogue that have similar names.

A draft is a map that :meth:`ImportMap.load` accepts. What nobody can guess stands as the column ``{ADAPT}``,
which no file has, so that an import says what is left to fill in.
"""

from __future__ import annotations

import difflib
import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from wosdk_async.jobs.mapping.template import OPEN
from wosdk_async.jobs.row_operation import RowOperation
from wosdk_async.model import Command, Record, entity_class, registry
from wosdk_async.model.metadata import Wire
from wosdk_async.safe_text import one_line

__all__ = ["ADAPT", "draft_map"]

ADAPT = f"{{{OPEN}}}"

_SIMILAR = 0.82  # of two names, from which a column is proposed
_WIDTH = 110
_SHOWN_VALUES = 8  # of an enumeration
_SKIPPED = {"id", "perform_deletion", "is_new", "concurrency_id", "is_removed"}
_NAMES = ("display_as", "name", "number")  # fields by which records are found, the first that there is
_UNUSABLE = re.compile("[{}|\x00-\x1f\x7f\ud800-\udfff]|^'|^\\s*$")


@attrs.define(eq=False)
class _Field:
    """One field that the map may fill, with the column that is proposed for it."""

    table: str
    name: str
    meta: Wire
    required: bool
    note: str = ""
    """What it is for, where that is not to be seen from its name."""
    target: type[Record] | None = None
    """The entity that a reference leads to."""
    reference: str = ""
    """The name of that reference in the map."""
    column: str | None = None
    shown: bool = False
    """Whether the draft has it though it is not required and no column fits."""

    @property
    def spellings(self) -> set[str]:
        """The names that a column for it may have, without marks and letter case."""
        name = _plain(self.name)
        return {name, f"{name}name"} if self.target is not None else {name}


def draft_map(columns: Sequence[str], operation: RowOperation, file: str) -> str:
    """Return the text of a map that fills the fields of an operation from the columns of a file.

    Args:
        columns: the header of the file.
        operation: what is done with each row.
        file: the name of the file, for the first line.
    """
    found = list(_fields(operation.kind, operation.table))
    if operation.by is not None:
        found = _of_changes(operation, found)
    usable = [column for column in columns if not _UNUSABLE.search(column)]
    _assign(found, usable)
    if operation.by is not None and operation.compares and not any(each.column for each in found[1:]):
        example = found[min(1, len(found) - 1)]  # an update needs something to write
        example.shown, example.note = True, "for example, or another field to write; "
    shown = [each for each in found if each.column or each.required or each.shown]
    _name_references(shown)
    lines = [
        *_comment(
            f"Draft of a map for {file}. Fill in each {ADAPT}: with a {{column}}, or with a fixed value."
        ),
        *_comment("Look through all lines: they were proposed because names are similar."),
        *_columns_left(columns, found),
        "",
        f"operation = {_quoted(operation.name)}",
        *_marker(operation, shown),
        *_tables(operation, shown),
        *_references(shown),
        "",
        *_more(operation, found, shown),
    ]
    return "\n".join(lines).rstrip() + "\n"


# --- fields ---------------------------------------------------------------------------------


def _fields(kind: type[Record], table: str, *, nested: bool = False) -> Iterator[_Field]:
    """Yield the fields of a class, and those of the objects that a command cannot do without."""
    inner = issubclass(kind, Command) or nested
    for name, meta in kind.__wire__.items():
        required, many = bool(meta.get("required")), bool(meta.get("many"))
        # status_id of a command is the state that the order is expected to have (facts 3.7)
        expected = name == "status_id" and issubclass(kind, Command)
        if name in _SKIPPED or expected or meta.get("secret"):
            continue
        if meta["type"] == "ref" and inner and required and (many or issubclass(kind, Command)):
            below = f"[{table}.{name}]" if many else f"{table}.{name}"
            yield from _fields(registry.resolve(meta["of"] or ""), below, nested=True)
        elif many:
            continue
        elif meta["type"] == "ref":
            target = entity_class(meta["of"] or "")
            if target is not None and "id" in target.__wire__ and _name_field(target):
                yield _Field(table, name, meta, required, target=target)
        elif meta["type"] not in ("object", "money", "any"):
            yield _Field(table, name, meta, required)


def _of_changes(operation: RowOperation, found: list[_Field]) -> list[_Field]:
    """Return the fields of an update or a delete: the key first, and nothing else is required."""
    by = operation.by or ""
    note = "tells which record; "
    key = _Field(operation.table, by, operation.kind.__wire__[by], required=False, note=note, shown=True)
    for each in found:
        each.required = False
    return [key, *(each for each in found if each.name != by and operation.compares)]


def _name_field(entity: type[Record]) -> str | None:
    """Return the text field by which records of an entity are found."""
    table = entity.__wire__
    return next((name for name in _NAMES if name in table and table[name]["type"] == "string"), None)


# --- columns --------------------------------------------------------------------------------


def _assign(found: Sequence[_Field], columns: Sequence[str]) -> None:
    """Give each column to the field with the most similar name, each field once."""
    pairs = [
        (score, -place, -order)
        for place, column in enumerate(columns)
        for order, each in enumerate(found)
        if (score := _similarity(_plain(column), each.spellings)) >= _SIMILAR
    ]
    taken = set()
    for _, place, order in sorted(pairs, reverse=True):
        column, field = columns[-place], found[-order]
        if field.column is None and column not in taken:
            field.column = column
            taken.add(column)


def _name_references(shown: Sequence[_Field]) -> None:
    """Name each reference after its field; the second of one name is numbered."""
    used: Counter[str] = Counter()
    for each in shown:
        if each.target is not None:
            used[each.name] += 1
            count = used[each.name]
            each.reference = each.name if count == 1 else f"{each.name}_{count}"


def _similarity(column: str, names: set[str]) -> float:
    return max(difflib.SequenceMatcher(None, column, name).ratio() for name in names) if column else 0.0


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


# --- lines ----------------------------------------------------------------------------------


def _columns_left(columns: Sequence[str], found: Sequence[_Field]) -> list[str]:
    used = {each.column for each in found}
    left = [column for column in columns if column not in used and not _UNUSABLE.search(column)]
    bad = [column for column in columns if column.strip() and _UNUSABLE.search(column)]
    return [
        *(_comment(f"Columns without a proposal: {', '.join(left)}") if left else []),
        *(
            _comment(f"Columns that a map cannot name, rename them: {', '.join(map(repr, bad))}")
            if bad
            else []
        ),
    ]


def _marker(operation: RowOperation, shown: Sequence[_Field]) -> list[str]:
    if operation.by is not None or (operation.table == "command" and operation.label != "created"):
        return []
    path = "work_order.po_number" if operation.table == "command" else None
    for each in shown if path is None else ():
        if each.meta["type"] == "string" and each.target is None:
            path = each.name
            break
    example = f"marker = {_quoted(path)}" if path else "marker"
    return [
        "",
        *_comment(
            "The field that carries a key that is unique in the file: with it no row is created twice. "
            "Remove the # when the field gets such a column."
        ),
        f"# {example}",
    ]


def _tables(operation: RowOperation, shown: Sequence[_Field]) -> Iterator[str]:
    tables = dict.fromkeys((operation.table, *(each.table for each in shown)))
    for table in tables:
        yield ""
        path = table.replace("[", "").replace("]", "")
        yield f"[[{path}]]" if table.startswith("[") else f"[{path}]"
        for each in shown:
            if each.table == table:
                value = f"@{each.reference}" if each.target is not None else _from(each)
                yield f"{each.name} = {_quoted(value)}  # {_explained(each)}"


def _references(shown: Sequence[_Field]) -> Iterator[str]:
    for each in shown:
        if each.target is None:
            continue
        yield ""
        yield f"[reference.{each.reference}]"
        yield f"entity = {_quoted(each.target.__name__)}"
        yield f"by = {_quoted(_name_field(each.target) or '')}"
        yield f"from = {_quoted(_from(each))}"
        yield 'if_missing = "fail"  # or "create", with a table of the other fields'


def _from(field: _Field) -> str:
    return ADAPT if field.column is None else f"{{{field.column}}}"


def _explained(field: _Field) -> str:
    """Return what a field takes, as the end of a line."""
    kind, meta = field.meta["type"], field.meta
    if field.target is not None:
        text = f"a {field.target.__name__}, found by its name below"
    elif kind == "enum":
        values = [each.name for each in registry.resolve(meta["of"] or "")]
        more = ", ..." if len(values) > _SHOWN_VALUES else ""
        text = f"one of {', '.join(values[:_SHOWN_VALUES])}{more}"
    elif kind.startswith("datetime"):
        text = 'a time; for other formats than ISO: { text = "{...}", date = "%d.%m.%Y" }'
    else:
        text = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}.get(
            kind, "a text"
        )
        if limit := meta.get("max_length"):
            text += f" of at most {limit} characters"
    return f"{'required; ' if field.required else field.note}{text}"


def _more(operation: RowOperation, found: Sequence[_Field], shown: Sequence[_Field]) -> Iterator[str]:
    """Yield the fields that no column is proposed for."""
    hidden = [each for each in found if each not in shown]
    if hidden:
        path = {each: each.table.replace("[", "").replace("]", "") for each in hidden}
        names = ", ".join(f"{path[each]}.{each.name}" for each in hidden)
        yield from _comment(f"Further fields (wosdk describe {operation.kind.wire_name} says more): {names}")


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(one_line(text), _WIDTH, break_long_words=False)]


def _quoted(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False)
