"""Pieces of Markdown that the generated pages share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from textwrap import dedent, indent
from typing import Any

import attrs

__all__ = ["cell", "plain", "shown", "slug", "table", "title"]

_TITLED = re.compile(r":[a-z]+:`([^`<]+?)\s*<[^`>]+>`")
_ROLE = re.compile(r":[a-z]+:`~?([^`]+)`")
_PAGE = re.compile(r"``docs/([\w-]+)\.md``")
_EXAMPLE = re.compile(r"^(?P<indent> *)(?P<text>.*)::\n\n(?P<code>(?:(?P=indent) +.*\n?|\n)+)", re.MULTILINE)


def cell(text: object) -> str:
    """Return a text for one cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *([cell(value) for value in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown(default: Any) -> str:
    """Return a default as a program would write it."""
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        return f"{default.factory.__name__}()"
    if attrs.has(type(default)):
        return f"{type(default).__name__}()"
    if inspect.isroutine(default) or inspect.isclass(default):
        return str(default.__name__)
    return repr(default)


def slug(heading: str) -> str:
    """Return the anchor of a heading, as the site and GitHub make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def title(name: str) -> str:
    """Return the name of a module as a title: ``Work orders`` for ``work_orders``."""
    return name.replace("_", " ").capitalize()


def plain(text: str) -> str:
    """Return a docstring as Markdown: ``:class:`~a.b.Name``` is ``Name``, an example is a block of Python."""
    text = _TITLED.sub(r"`\1`", text)
    text = _ROLE.sub(
        lambda found: f"`{found[1].removeprefix('wosdk_async.').rpartition('.')[2] or found[1]}`", text
    )
    text = _PAGE.sub(r"[\1](../\1.md)", text)
    return _EXAMPLE.sub(_fenced, text)


def _fenced(found: re.Match[str]) -> str:
    before = f"{found['indent']}{found['text']}:\n\n" if found["text"] else ""
    code = indent(f"```python\n{dedent(found['code']).strip()}\n```", found["indent"])
    return f"{before}{code}\n\n"
