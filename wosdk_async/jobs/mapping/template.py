"""Map templates, which contain column names in braces, and length limits for their results."""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from wosdk_async.codec.text_values import shown_value
from wosdk_async.jobs.errors import RowError

NAME = ""
"""Pseudo-column ``{}``, which holds the looked-up name."""

_PIECE = re.compile(r"\{\{|\}\}|\{(?P<choice>[^{}]*)\}|[^{}]+")
_OPTION = re.compile(r"\s*+(?:'(?P<text>(?:[^']|'')*+)'\s*+|(?P<column>[^'|\s][^|]*+))(?:\||\Z)")
"""Pattern whose possessive quantifiers prevent quadratic time."""
_SHORTENED = re.compile(r"[1-9](?:[.,][0-9]+)?E\+[0-9]{2,3}", re.IGNORECASE)


@attrs.frozen
class Choice:
    """Pair of braces: columns and literals, tried in order."""

    options: tuple[tuple[str | None, str], ...]
    """Pairs of a column and ``""``, or of None and a literal."""

    def pick(self, cells: Mapping[str, str]) -> str:
        """Return the first option that is not blank, or the first option if all are blank."""
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
    """Parsed template."""

    source: str
    parts: tuple[str | Choice, ...]
    _alone: Choice | None = attrs.field(init=False)
    """The braces of a template that consists only of them; None for other templates."""
    first_column: str | None = attrs.field(init=False)
    """Column whose cell, if not blank, is the whole result. Most templates have such a column."""

    @_alone.default
    def _find_alone(self) -> Choice | None:
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if isinstance(only, Choice) else None

    @first_column.default
    def _find_first_column(self) -> str | None:
        return self._alone.options[0][0] if self._alone is not None else None

    @classmethod
    def parse(cls, source: str) -> Template:
        """Parse a template. Raise ValueError for an invalid brace or option."""
        parts: list[str | Choice] = []
        end = 0
        while (piece := _PIECE.match(source, end)) is not None:
            end = piece.end()
            parts.append(_part(piece))
        if end != len(source):
            raise ValueError(
                f"the brace at character {end + 1} of {source!r} is unmatched; write a literal brace twice"
            )
        return cls(source, tuple(parts))

    @property
    def columns(self) -> frozenset[str]:
        """Columns that the template reads, including :data:`NAME` for ``{}``."""
        choices = (part for part in self.parts if isinstance(part, Choice))
        return frozenset(column for choice in choices for column, _ in choice.options if column is not None)

    def fill(self, cells: Mapping[str, str]) -> str | None:
        """Return the template's text for a row, or None if all its pairs of braces are empty."""
        if self.first_column is not None and (text := cells[self.first_column]) and not text.isspace():
            return text
        if self._alone is not None:
            return self._alone.pick(cells) or None
        texts = self.pieces(cells)
        picked = [text for part, text in zip(self.parts, texts, strict=True) if isinstance(part, Choice)]
        return None if picked and not any(picked) else "".join(texts)

    def pieces(self, cells: Mapping[str, str]) -> list[str]:
        """Return the literals and cells that make up a row's text."""
        return [part if isinstance(part, str) else part.pick(cells) for part in self.parts]

    def require_exact_key(self, cells: Mapping[str, str]) -> None:
        """Raise RowError if a cell of a row key is a number that a spreadsheet shortened."""
        for piece in self.pieces(cells):
            if _SHORTENED.fullmatch(piece.strip()):
                raise RowError(
                    f"the key {self.source!r}: {piece!r} is a number that a spreadsheet shortened; format "
                    "the column as text and save the file again"
                )


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
    raise ValueError(f"{{{inside}}} is invalid; write {{column}} or {{column|other column|'text'}}")


@attrs.frozen
class LengthLimit:
    """Maximum length of a string field, and whether to truncate longer strings."""

    path: str
    length: int | None
    documented: bool
    """Whether the limit comes from the vendor's documentation, not only from a third-party client."""
    truncate: bool
    cuts_blanks: bool = False
    """Whether the service strips trailing blanks."""

    def fit(self, text: str, warnings: list[str]) -> str:
        """Return ``text``, truncated if allowed. Raise RowError if the result exceeds a documented limit."""
        if self.cuts_blanks and text != text.rstrip():
            warnings.append(f"{self.path}: the service strips trailing blanks from {shown_value(text)}")
        if self.length is None or len(text) <= self.length:
            return text
        found = f"{self.path} has {len(text)} characters"
        if self.truncate:
            warnings.append(f"{found} and was truncated to {self.length}")
            return text[: self.length]
        if self.documented:
            raise RowError(
                f"{found}, but the limit is {self.length}; shorten the text, or set truncate = true"
            )
        warnings.append(f"{found}; according to a third-party client, the limit is {self.length}")
        return text
