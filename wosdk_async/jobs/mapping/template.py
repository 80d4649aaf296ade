"""Templates of a map: texts with names of columns in braces, and how long a text may be."""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from wosdk_async.codec.text_values import shown_value
from wosdk_async.jobs.errors import RowError

__all__ = ["NAME", "LengthLimit", "Template"]

NAME = ""
"""The column that ``{}`` stands for: the name that was looked up."""

_PIECE = re.compile(r"\{\{|\}\}|\{(?P<choice>[^{}]*)\}|[^{}]+")
_OPTION = re.compile(r"\s*+(?:'(?P<text>(?:[^']|'')*+)'\s*+|(?P<column>[^'|\s][^|]*+))(?:\||\Z)")
"""One option and its separator. The quantifiers are possessive, so that no text takes quadratic time."""


@attrs.frozen
class Choice:
    """One pair of braces: columns and fixed texts, in the order in which they are tried."""

    options: tuple[tuple[str | None, str], ...]
    """A column, or None and the fixed text."""

    def pick(self, cells: Mapping[str, str]) -> str:
        """Return the first option that is not blank, or the first if all are."""
        first = None
        for column, text in self.options:
            if column is not None:
                text = cells[column]
            if text and not text.isspace():
                return text
            if first is None:
                first = text
        return first or ""


@attrs.frozen
class Template:
    """A parsed template."""

    source: str
    parts: tuple[str | Choice, ...]
    _alone: Choice | None = attrs.field(init=False)
    """The only pair of braces, if it is the whole template."""
    column: str | None = attrs.field(init=False)
    """The column whose cell is the text, as in most templates."""

    @_alone.default
    def _find_alone(self) -> Choice | None:
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if isinstance(only, Choice) else None

    @column.default
    def _find_column(self) -> str | None:
        options = self._alone.options if self._alone is not None else ()
        return options[0][0] if len(options) == 1 else None

    @classmethod
    def parse(cls, source: str) -> Template:
        """Return the template that ``source`` spells.

        Raises:
            ValueError: a brace or an option is wrong; the message says which.
        """
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
        """The columns it reads, :data:`NAME` for ``{}``."""
        choices = (part for part in self.parts if isinstance(part, Choice))
        return frozenset(column for choice in choices for column, _ in choice.options if column is not None)

    def fill(self, cells: Mapping[str, str]) -> str | None:
        """Return the text for one row, or None when it has columns and all of them are empty."""
        if self.column is not None:
            return cells[self.column] or None
        if self._alone is not None:
            return self._alone.pick(cells) or None
        texts = self.pieces(cells)
        picked = [text for part, text in zip(self.parts, texts, strict=True) if isinstance(part, Choice)]
        return None if picked and not any(picked) else "".join(texts)

    @property
    def is_one_cell(self) -> bool:
        """Whether the text is a single cell."""
        return self._alone is not None

    def pieces(self, cells: Mapping[str, str]) -> list[str]:
        """Return the texts and cells that make up the text of one row."""
        return [part if isinstance(part, str) else part.pick(cells) for part in self.parts]


def _part(piece: re.Match[str]) -> str | Choice:
    if piece["choice"] is not None:
        return _choice(piece["choice"])
    return piece[0][0] if piece[0] in ("{{", "}}") else piece[0]


def _choice(inside: str) -> Choice:
    if inside == NAME:
        return Choice(((NAME, ""),))
    options, end = [], 0
    while (option := _OPTION.match(inside, end)) is not None:
        text, column = option["text"], option["column"]
        options.append((None, text.replace("''", "'")) if column is None else (column.strip(), ""))
        end = option.end()
        if option[0][-1] != "|":
            return Choice(tuple(options))
    raise ValueError(f"{{{inside}}} cannot be read; write {{column}} or {{column|other column|'text'}}")


@attrs.frozen
class LengthLimit:
    """The longest text that a field takes, and whether longer ones may be cut."""

    path: str
    length: int | None
    documented: bool
    """Whether the vendor states the limit, not only a third-party client."""
    truncate: bool
    cuts_blanks: bool = False
    """Whether the service cuts off blanks at the end."""

    def fit(self, text: str, warnings: list[str]) -> str:
        """Return ``text``, cut where that is allowed. Raise RowError when a documented limit forbids it."""
        if self.cuts_blanks and text != text.rstrip():
            warnings.append(f"{self.path} ends in blanks, which the service cuts off: {shown_value(text)}")
        if self.length is None or len(text) <= self.length:
            return text
        found = f"{self.path} has {len(text)} characters"
        if self.truncate:
            warnings.append(f"{found} and was cut to {self.length}")
            return text[: self.length]
        if self.documented:
            raise RowError(f"{found}, the service takes {self.length}; shorten it, or set truncate = true")
        warnings.append(f"{found}; a third-party client states a limit of {self.length}")
        return text
