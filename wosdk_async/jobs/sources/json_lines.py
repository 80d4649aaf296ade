"""JSON lines: one object per line, whose numbers keep their text."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.sources.rows import Row, TypedCell
from wosdk_async.jobs.sources.source import IGNORED_COLUMNS, MAX_COLUMNS, FaultyCells
from wosdk_async.jobs.sources.text import TextFile
from wosdk_async.text.suggestions import suggestion

__all__ = ["JsonLines"]

_MAX_DEPTH = 100  # of objects and lists
_MAX_NAME = 1_000  # characters of the names around a field
_MAX_COMMAS = 10 * MAX_COLUMNS  # a decoded element takes 60 times the memory of its text
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_MANY = f"more than {MAX_COLUMNS} fields; do field names contain data?"


class JsonLines:
    """One JSON object per line; its fields are columns, nested ones as ``outer.inner``.

    List elements are columns, too, by their number: ``tags.0``. Numbers keep their text, booleans are
    ``true`` and ``false``, and null is an empty text, like an absent field. A line that is not an object is a
    row with a fault. ``columns`` reads the whole file at its first use.

    Raises:
        ImportMapError: the file cannot be used, here or while it is read; the message names file and line.
    """

    dialect = None

    def __init__(self, path: str | Path, *, encoding: str | None = None) -> None:
        self.path = Path(path)
        self.empty_rows = 0
        self._nested: dict[str, set[type]] = defaultdict(set)  # whether a field was an object, list or both
        self._text = TextFile(self.path, encoding)
        self.sha256 = self._text.sha256
        line, first = next(self._text.numbered(), (1, ""))
        try:
            _cells_of(first)
        except ValueError as error:
            raise ImportMapError(
                f"{self.path}, line {line}: {error}. Each line must be one object, as written by: "
                "jq -c '.[]' file.json > file.jsonl"
            ) from None

    def __repr__(self) -> str:
        return f"<JsonLines {self.path.name}>"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The fields of all lines, in order of first occurrence."""
        found: dict[str, None] = {}
        for line, text in self._text.numbered():
            try:
                found.update(dict.fromkeys(_cells_of(text, self._nested)))
            except ValueError:  # a fault of its row
                continue
            if len(found) > MAX_COLUMNS:
                raise ImportMapError(
                    f"{self.path}, line {line}: more than {MAX_COLUMNS} different fields; if the "
                    "field names contain data, move it into values"
                )
        return tuple(name for name in found if name and name not in IGNORED_COLUMNS)

    def __iter__(self) -> Iterator[Row]:
        blank = dict.fromkeys(self.columns, "")
        number = empty = 0
        for line, text in self._text.numbered():
            try:
                cells = _cells_of(text)
            except ValueError as error:
                number += 1
                yield Row(number, line, blank, str(error), raw_cells=[text])
                continue
            if not any(map(str.strip, cells.values())):
                empty += 1
                continue
            number += 1
            if unknown := cells.keys() - blank.keys() - {*IGNORED_COLUMNS, ""}:
                raise ImportMapError(
                    f"{self.path}, line {line}: the field {min(unknown)!r} is new: the file "
                    f"has changed{suggestion(min(unknown), blank)}"
                )
            found = {name: cells.get(name, "") for name in blank}
            yield Row(number, line, self._without_drift(found) if self._kinds else found)
        self.empty_rows = empty

    @cached_property
    def _kinds(self) -> list[tuple[list[str], list[str]]]:
        """The columns of each field with two kinds of content (value, object, list), by kind."""
        inner: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for column in self.columns:
            for place, character in enumerate(column):
                if character == "." and column[:place] in self._nested:
                    is_of_list = column[place + 1 :].partition(".")[0].isdecimal()
                    inner[column[:place]][is_of_list].append(column)
        known = set(self.columns)
        values = [
            ([field], [*objects, *lists]) for field, (objects, lists) in inner.items() if field in known
        ]
        return values + [inner[field] for field, kinds in self._nested.items() if len(kinds) > 1]

    def _without_drift(self, cells: dict[str, str]) -> dict[str, str]:
        """Return the cells, of which those with another kind of value in this line cannot be used."""
        faults = {}
        for kinds in self._kinds:
            present = [next((column for column in kind if cells[column].strip()), None) for kind in kinds]
            if (present[0] is None) != (present[1] is None):
                other = present[0] or present[1]
                why = f"this line has {other!r} instead; write the same kind of value in all lines"
                faults.update(dict.fromkeys(kinds[present[0] is not None], why))
        return FaultyCells(cells, faults) if faults else cells


def _cells_of(line: str, nested: dict[str, set[type]] | None = None) -> dict[str, str]:
    """Return the cells of a line.

    Raise ValueError if it is not a usable object. ``nested`` collects the fields that are objects and lists.
    """
    if line.count(",") > _MAX_COMMAS and _TEXT.sub("", line).count(",") > _MAX_COMMAS:
        raise ValueError(_MANY)
    try:
        value = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("this JSON is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("this is JSON, but not an object in braces")
    cells: dict[str, str] = {}
    _flatten(value, "", cells, nested)
    if "\\u" in line and any(map(_is_broken, cells.values())):
        raise ValueError("a text has half of a surrogate pair, which is not a character")
    return cells


def _flatten(
    fields: dict[str, Any],
    prefix: str,
    cells: dict[str, str],
    nested: dict[str, set[type]] | None,
    depth: int = 1,
) -> None:
    for name, value in fields.items():
        column = prefix + name
        if isinstance(value, list | dict):
            # Each field repeats the names above it: together these bound what a line grows to.
            if depth == _MAX_DEPTH:
                raise ValueError(f"this JSON is nested too deeply: more than {_MAX_DEPTH} levels")
            if len(column) > _MAX_NAME:
                raise ValueError(f"the name {column[:40]!r}... has {len(column):,} characters; shorten it")
            if len(cells) + len(value) > MAX_COLUMNS:
                raise ValueError(_MANY)
            if nested is not None and value:
                nested[column].add(type(value))
            if isinstance(value, list):
                value = {str(place): each for place, each in enumerate(value)}
            _flatten(value, f"{column}.", cells, nested, depth + 1)
        elif column in cells:
            raise ValueError(f"two fields are called {column!r}; rename one of them")
        elif isinstance(value, bool):
            cells[column] = TypedCell("true" if value else "false", "boolean")
        else:
            cells[column] = value or ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"two fields are called {twice!r}; rename one of them")
    return fields


def _number(text: str) -> TypedCell:
    return TypedCell(text, "number")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON; write null or a text")


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    # Numbers stay texts: 0.10 and 20 digits come through, and thousands of digits cost nothing.
    parse_int=_number,
    parse_float=_number,
    parse_constant=_refuse,
)
