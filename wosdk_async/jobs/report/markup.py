"""HTML and SVG from Python values: texts are escaped unless they were made here."""

from __future__ import annotations

import datetime
import html
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from wosdk_async.text.safe_text import one_line

__all__ = ["Content", "Markup", "counted", "cut", "element", "joined", "table", "text", "when"]

_EMPTY = frozenset({"meta", "link", "br", "path", "rect", "line"})  # elements without content


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Content = str | int | float | None | Iterable["Content"]
"""What an element may hold: markup, values that are escaped, None for nothing, or several of these."""


def text(value: str | float) -> Markup:
    """Return a value escaped; control characters and marks of direction are shown by their codes."""
    if isinstance(value, Markup):
        return value
    return Markup(html.escape(one_line(str(value))))


def joined(*content: Content) -> Markup:
    """Return several contents as one."""
    parts: list[str] = []
    for each in content:
        if each is None:
            continue
        parts.append(text(each) if isinstance(each, str | int | float) else joined(*each))
    return Markup("".join(parts))


def element(tag: str, *content: Content, **attributes: str | float | None) -> Markup:
    """Return an element; attributes have ``-`` for ``_``, ``class_`` is ``class``, and None is left out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _EMPTY:
        return Markup(f"<{tag}{written}>" if tag in ("meta", "link", "br") else f"<{tag}{written}/>")
    return Markup(f"<{tag}{written}>{joined(*content)}</{tag}>")


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
