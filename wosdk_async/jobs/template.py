"""Texts with columns in them: ``Reported at {address|neighborhood|'an unknown place'}``.

``{column}`` is the cell, exactly as it stands. ``{a|b|'text'}`` is the first of them that holds more than
blanks. ``{}`` is the name that was looked up, in the table of what is created for it. ``{{`` and ``}}``
are braces, ``''`` inside quotes is a quote.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

__all__ = ["NAME", "Template"]

NAME = ""
"""The cell behind ``{}``."""

_PIECE = re.compile(r"\{\{|\}\}|\{(?P<choice>[^{}]*)\}|[^{}]+")
_OPTION = re.compile(r"\s*+(?:'(?P<text>(?:[^']|'')*+)'\s*+|(?P<column>[^'|\s][^|]*+))(?:\||\Z)")
"""One option and what ends it. No quantifier gives anything back, so a text is read once and never again."""


@attrs.frozen
class Choice:
    """What one pair of braces stands for: columns and fixed texts, in the order they are tried."""

    options: tuple[tuple[str | None, str], ...]
    """A column, or None and the fixed text."""

    def pick(self, cells: Mapping[str, str]) -> str:
        """The first option that is not blank, or the first one as it stands."""
        texts = [text if column is None else cells[column] for column, text in self.options]
        return next((text for text in texts if text.strip()), texts[0])


@attrs.frozen
class Template:
    """A parsed template."""

    source: str
    parts: tuple[str | Choice, ...]

    @classmethod
    def parse(cls, source: str) -> Template:
        """Raises ValueError that says what cannot be read."""
        parts: list[str | Choice] = []
        end = 0
        for piece in _PIECE.finditer(source):
            if piece.start() != end:
                break
            end = piece.end()
            parts.append(_part(piece))
        if end != len(source):
            raise ValueError(
                f"the brace at character {end + 1} of {source!r} has no partner; write it twice if it is text"
            )
        return cls(source, tuple(parts))

    @property
    def columns(self) -> frozenset[str]:
        """The columns it reads; :data:`NAME` for ``{}``."""
        choices = (part for part in self.parts if isinstance(part, Choice))
        return frozenset(column for choice in choices for column, _ in choice.options if column is not None)

    def fill(self, cells: Mapping[str, str]) -> str | None:
        """The text for one row; None when it has columns and all of them are empty."""
        texts = [part if isinstance(part, str) else part.pick(cells) for part in self.parts]
        picked = [text for part, text in zip(self.parts, texts, strict=True) if isinstance(part, Choice)]
        return None if picked and not any(picked) else "".join(texts)


def _part(piece: re.Match[str]) -> str | Choice:
    if piece["choice"] is not None:
        return _choice(piece["choice"])
    return piece[0][0] if piece[0] in ("{{", "}}") else piece[0]


def _choice(inside: str) -> Choice:
    if inside == NAME:
        return Choice(((NAME, ""),))
    options, end = [], 0
    while (option := _OPTION.match(inside, end)) is not None:
        options.append(_option(option))
        end = option.end()
        if option[0][-1] != "|":
            return Choice(tuple(options))
    raise ValueError(f"{{{inside}}} cannot be read; write {{column}} or {{column|other column|'text'}}")


def _option(found: re.Match[str]) -> tuple[str | None, str]:
    text, column = found["text"], found["column"]
    return (None, text.replace("''", "'")) if column is None else (column.strip(), "")
