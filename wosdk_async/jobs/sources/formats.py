"""File formats and their detection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePath

import attrs

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.jobs.sources.converted import PARQUET, WORKBOOK, open_converted
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.jobs.sources.json_lines import JsonLines
from wosdk_async.jobs.sources.source import Source
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion


@attrs.frozen
class Format:
    """File format, with its open function and the :func:`open_source` options it supports."""

    open: Callable[..., Source]
    options: frozenset[str] = frozenset()
    delimiter: str | None = None
    """Default delimiter; None for a comma or no delimiter."""


_CSV = Format(CsvFile, frozenset({"delimiter", "encoding", "header_row"}))
_TSV = Format(CsvFile, _CSV.options, delimiter="\t")
_EXCEL = Format(partial(open_converted, WORKBOOK), frozenset({"sheet", "header_row"}))
_JSON_LINES = Format(JsonLines, frozenset({"encoding"}))

FORMATS: dict[str, Format] = {
    ".csv": _CSV,
    ".tsv": _TSV,
    ".tab": _TSV,
    ".jsonl": _JSON_LINES,
    ".ndjson": _JSON_LINES,
    ".xlsx": _EXCEL,
    ".xlsm": _EXCEL,
    ".xlsb": _EXCEL,
    ".xls": _EXCEL,
    ".ods": _EXCEL,
    ".parquet": Format(partial(open_converted, PARQUET)),
}
"""Formats by file suffix in lower case; files with other suffixes are read as CSV."""

_COMPRESSED = "is compressed; unpack it first"
_UNSUPPORTED = {
    ".json": "is JSON; convert it to JSON lines, as in: jq -c '.[]' file.json > file.jsonl",
    ".gz": _COMPRESSED,
    ".zip": _COMPRESSED,
}


def suffix_of(path: PurePath, format: str | None = None) -> str:
    """Return the suffix of ``format``; without one, the path's longest known suffix, or else its last."""
    if format is not None:
        return f".{format.casefold().lstrip('.')}"
    parts = [part.casefold() for part in path.suffixes]
    longest_first = ("".join(parts[start:]) for start in range(len(parts)))
    return next((suffix for suffix in longest_first if suffix in FORMATS), path.suffix.casefold())


def _suffix_by_content(path: Path, suffix: str) -> str:
    """Return the suffix that fits the content. Raise ImportMapError for web archives and web pages."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.lower().startswith(_WEB_ARCHIVES):
        raise ImportMapError(
            f"{path}: this is a web archive (MHTML), as exported by Excel and report programs; open it in "
            "Excel and save it as .xlsx"
        )
    for beginning, actual in _BEGINNINGS.items():
        if head.startswith(beginning):
            is_same_format = FORMATS.get(suffix) is FORMATS.get(actual)
            return suffix if is_same_format or (suffix in _UNSUPPORTED and actual == ".xlsx") else actual
    if FORMATS.get(suffix, _CSV).open not in _BINARY_OPENERS or (b"\0" in head and head[:2] not in _UTF_16):
        is_json = text.startswith(b'{"')
        return ".jsonl" if is_json and FORMATS.get(suffix, _CSV) is _CSV else suffix
    if text[:1] == b"<":
        raise ImportMapError(
            f"{path}: this is a web page or XML with the suffix {suffix}; open it in a "
            "spreadsheet program and save it as .xlsx"
        )
    return ".csv" if text else suffix


_HEAD = 4096  # bytes
_WEB_ARCHIVES = (b"mime-version: ", b"from: <saved by ")
_BINARY_OPENERS = (_EXCEL.open, FORMATS[".parquet"].open)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BEGINNINGS = {b"PK\x03\x04": ".xlsx", b"\xd0\xcf\x11\xe0": ".xls", b"PAR1": ".parquet", b"\x1f\x8b": ".gz"}


def open_source(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    format: str | None = None,
    header_row: int | None = None,
) -> Source:
    """Open an input file; detect the format from its content, then from its suffix.

    Args:
        path: the file.
        delimiter: the CSV delimiter, or ``tab`` (default: a tab for TSV, the delimiter in a ``sep=`` line, or
            a comma).
        encoding: the text encoding (default: that of the byte order mark, or UTF-8).
        sheet: the name or number (from 1) of an Excel sheet (default: the first visible sheet).
        format: a format such as ``csv``, to override detection.
        header_row: the header's line number (default: the first non-empty line).

    Raises:
        ImportMapError: the file cannot be read; the message names the file and the fix.
    """
    path = Path(path)
    require_file(path)
    suffix = suffix_of(path, format)
    if suffix not in FORMATS and format is not None:
        names = [name.lstrip(".") for name in FORMATS]
        hint = suggestion(format, names) or f"; the formats are {', '.join(names)}"
        raise ImportMapError(f"{path}: unknown format {format!r}{hint}")
    if format is None:
        suffix = _suffix_by_content(path, suffix)
    if suffix in _UNSUPPORTED:
        raise ImportMapError(f"{path}: this {_UNSUPPORTED[suffix]}")
    found = FORMATS.get(suffix, _CSV)
    delimiter = found.delimiter if delimiter is None else delimiter
    options = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet, "header_row": header_row}
    passed = {name: value for name, value in options.items() if value is not None}
    for name in passed.keys() - found.options:
        raise ImportMapError(
            f"{path}: {suffix} files do not support {name}", remedies=(Remedy.LEAVE_OUT,), option=name
        )
    return found.open(path, **passed)
