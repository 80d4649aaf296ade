"""JSON lines files."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.sources.rows import Row, TypedCell
from wosdk_async.jobs.sources.source import IGNORED_COLUMNS, MAX_COLUMNS, FaultyCells, Header, is_of_rejects
from wosdk_async.jobs.sources.text import TextFile
from wosdk_async.text.suggestions import suggestion

_MAX_DEPTH = 100  # levels of nested objects and lists
_MAX_NAME = 1_000  # characters in the path of a nested field
_MAX_COMMAS = 10 * MAX_COLUMNS  # per line; its decoded elements take 60 times the memory of the line
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_MANY = f"more than {MAX_COLUMNS} fields; if field names contain data, move it to values"


class JsonLines:
    """JSON lines file, with one object per line.

    Columns are named after fields, nested fields (``outer.inner``) and list elements (``tags.0``). Numbers
    keep their original text, booleans are ``true`` and ``false``, and null and missing fields are ``""``. A
    line that is not an object becomes a row with a fault. Opening a file reads it once, to find the fields.
    """

    dialect = None

    def __init__(self, path: str | Path, *, encoding: str | None = None) -> None:
        self.path = Path(path)
        self.empty_rows = 0
        # By field, the types of its nested values: dict, list or both.
        self._nested: dict[str, set[type]] = defaultdict(set)
        self._text = TextFile(self.path, encoding)
        self.sha256 = self._text.sha256
        line, first = next(self._text.numbered(), (1, ""))
        try:
            _cells_of(first)
        except ValueError as error:
            raise ImportMapError(
                f"{self.path}, line {line}: {error}. Each line must be one JSON object; to convert a JSON "
                "list, run jq -c '.[]' file.json > file.jsonl"
            ) from None
        self._fields = self._all_fields()
        self._rejects = Header(self.path, self._fields) if is_of_rejects(self._fields) else None
        self.is_of_rejects = self._rejects is not None
        own_columns = tuple(name for name in self._fields if name not in IGNORED_COLUMNS)
        self.columns = own_columns if self._rejects is None else self._rejects.columns

    def _all_fields(self) -> tuple[str, ...]:
        """Return the fields of all lines, in order of first occurrence."""
        names: dict[str, None] = {}
        for line, text in self._text.numbered():
            try:
                names.update(dict.fromkeys(_cells_of(text, self._nested)))
            except ValueError:  # __iter__() makes this error the fault of the row
                continue
            if len(names) > MAX_COLUMNS:
                raise ImportMapError(
                    f"{self.path}, line {line}: more than {MAX_COLUMNS} different fields; if field names "
                    "contain data, move it to values"
                )
        return tuple(filter(None, names))

    def __iter__(self) -> Iterator[Row]:
        rejects = self._rejects
        names = self.columns if rejects is None else self._fields
        known = {*names, *IGNORED_COLUMNS, ""}
        number = empty = 0
        for line, text in self._text.numbered():
            try:
                cells = _cells_of(text)
            except ValueError as error:
                number += 1
                blank = dict.fromkeys(self.columns, "")
                row = Row(number, line, blank, str(error), raw_cells=[text], fits=False)
                row.origin = None if rejects is None else ("", "")
                yield row
                continue
            if not any(map(str.strip, cells.values())):
                empty += 1
                continue
            number += 1
            if unknown := cells.keys() - known:
                raise ImportMapError(
                    f"{self.path}, line {line}: the file changed during the import; the field "
                    f"{min(unknown)!r} is new{suggestion(min(unknown), names)}"
                )
            all_cells = {name: cells.get(name, "") for name in names}
            if rejects is None:
                row = Row(number, line, all_cells)
            else:
                row = rejects.row(number, line, [*all_cells.values()])
            if self._kinds and row.fits:
                row.cells = self._without_drift(row.cells)
            yield row
        self.empty_rows = empty

    @cached_property
    def _kinds(self) -> list[tuple[list[str], list[str]]]:
        """For each field with two kinds of values (scalar, object or list), the columns of each kind."""
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

    def _without_drift(self, cells: Mapping[str, str]) -> Mapping[str, str]:
        """Mark a cell as unusable if its field has a value of another kind in this line."""
        faults = {}
        for kinds in self._kinds:
            present = [next((column for column in kind if cells[column].strip()), None) for kind in kinds]
            if (present[0] is None) != (present[1] is None):
                other = present[0] or present[1]
                why = f"this line has {other!r} instead; use the same kind of value in all lines"
                faults.update(dict.fromkeys(kinds[present[0] is not None], why))
        return FaultyCells(cells, faults) if faults else cells


def _cells_of(line: str, nested: dict[str, set[type]] | None = None) -> dict[str, str]:
    """Return a line's cells, and add nested types to ``nested``. Raise ValueError if the line is invalid."""
    if line.count(",") > _MAX_COMMAS and _TEXT.sub("", line).count(",") > _MAX_COMMAS:
        raise ValueError(_MANY)
    try:
        value = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("the JSON value is not an object")
    cells: dict[str, str] = {}
    _flatten(value, "", cells, nested)
    if "\\u" in line and any(map(_SURROGATE.search, cells.values())):
        raise ValueError("a string contains an unpaired surrogate; remove it")
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
            # A column's name repeats those of its parents, so depth, name length and field count are limited.
            if depth == _MAX_DEPTH:
                raise ValueError(f"the JSON is nested too deeply, with more than {_MAX_DEPTH} levels")
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


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not valid JSON; write null or a string")


# Keep the original text of numbers, which preserves 0.10 and long numbers, and saves parsing them.
_number = partial(TypedCell, type="number")
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_number, parse_float=_number, parse_constant=_refuse
)
