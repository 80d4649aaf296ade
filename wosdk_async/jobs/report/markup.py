"""HTML and SVG from Python values: texts are escaped unless they were made here."""

from __future__ import annotations

import html
from collections.abc import Iterable

from wosdk_async.safe_text import one_line

__all__ = ["Content", "Markup", "element", "joined", "text"]

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
