"""Parts of a report: tables, and numbers, times and long texts as people read them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from wosdk_async.jobs.report.markup import Content, Markup, element

__all__ = ["counted", "cut", "table", "when"]

_MAX_REASON = 400  # characters
_LONG = {"Reason of the first", "Reason", "Why", "Name", "Key", "Ended"}  # may break anywhere


def table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Markup:
    """Return a table; on a narrow page each of its rows is a card."""
    listed = list(rows)
    numeric = {name for name, value in zip(names, listed[0], strict=True) if isinstance(value, int)}

    def style(name: str) -> str | None:
        return "number" if name in numeric else "long" if name in _LONG else None

    def line(row: Sequence[Any]) -> Iterator[Markup]:
        for name, value in zip(names, row, strict=True):
            yield element("td", _cell(value), class_=style(name), data_name=name)

    head = element("tr", (element("th", name, scope="col", class_=style(name)) for name in names))
    body = element("tbody", (element("tr", line(row)) for row in listed))
    return element("div", element("table", element("thead", head), body, class_="cards"), class_="wide")


def _cell(value: Any) -> Content:
    return f"{value:,}" if isinstance(value, int) else value


def cut(text: str) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= _MAX_REASON else f"{text[:_MAX_REASON]} ..."


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun, such as ``1 row`` or ``2,500 rows``."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def when(value: str | float) -> str:
    """Return a time in UTC, from ISO format or Unix time."""
    if isinstance(value, str):
        try:
            found = datetime.datetime.fromisoformat(value)
        except ValueError:
            return value
    else:
        found = datetime.datetime.fromtimestamp(value, datetime.UTC)
    return f"{found.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"
