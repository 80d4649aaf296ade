"""Values of a map: texts with names of columns in braces, references, lists and objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from wosdk_async.jobs.errors import RowError
from wosdk_async.model import Record, Ref

if TYPE_CHECKING:
    from wosdk_async.jobs.reference_index import ReferenceEntry, ReferenceIndex

__all__ = [
    "NAME",
    "ConstantNode",
    "LengthLimit",
    "ListNode",
    "ObjectNode",
    "ReferenceNode",
    "RowContext",
    "Template",
    "TextNode",
    "Value",
]

NAME = ""
"""The cell behind ``{}``."""

_PIECE = re.compile(r"\{\{|\}\}|\{(?P<choice>[^{}]*)\}|[^{}]+")
_OPTION = re.compile(r"\s*+(?:'(?P<text>(?:[^']|'')*+)'\s*+|(?P<column>[^'|\s][^|]*+))(?:\||\Z)")
"""One option and what ends it. No quantifier gives anything back, so a text is read once and never again."""


@attrs.frozen
class ChoiceNode:
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
    parts: tuple[str | ChoiceNode, ...]

    @classmethod
    def parse(cls, source: str) -> Template:
        """Raises ValueError that says what cannot be read."""
        parts: list[str | ChoiceNode] = []
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
        choices = (part for part in self.parts if isinstance(part, ChoiceNode))
        return frozenset(column for choice in choices for column, _ in choice.options if column is not None)

    def fill(self, cells: Mapping[str, str]) -> str | None:
        """The text for one row; None when it has columns and all of them are empty."""
        texts = [part if isinstance(part, str) else part.pick(cells) for part in self.parts]
        picked = [text for part, text in zip(self.parts, texts, strict=True) if isinstance(part, ChoiceNode)]
        return None if picked and not any(picked) else "".join(texts)


def _part(piece: re.Match[str]) -> str | ChoiceNode:
    if piece["choice"] is not None:
        return _choice(piece["choice"])
    return piece[0][0] if piece[0] in ("{{", "}}") else piece[0]


def _choice(inside: str) -> ChoiceNode:
    if inside == NAME:
        return ChoiceNode(((NAME, ""),))
    options, end = [], 0
    while (option := _OPTION.match(inside, end)) is not None:
        options.append(_option(option))
        end = option.end()
        if option[0][-1] != "|":
            return ChoiceNode(tuple(options))
    raise ValueError(f"{{{inside}}} cannot be read; write {{column}} or {{column|other column|'text'}}")


def _option(found: re.Match[str]) -> tuple[str | None, str]:
    text, column = found["text"], found["column"]
    return (None, text.replace("''", "'")) if column is None else (column.strip(), "")


NONE: frozenset[str] = frozenset()


@attrs.frozen
class RowContext:
    """What a value is filled from.

    ``warnings`` collects what is said of it, ``missing`` the records that have to be created for it first.
    """

    cells: Mapping[str, str]
    directory: ReferenceIndex
    warnings: list[str] = attrs.field(factory=list)
    missing: list[ReferenceEntry] = attrs.field(factory=list)


class Value(Protocol):
    """One node of the tree."""

    @property
    def columns(self) -> frozenset[str]:
        """The columns it reads."""
        ...

    @property
    def references(self) -> frozenset[str]:
        """The references it needs, by their names in the map."""
        ...

    def fill(self, scope: RowContext) -> Any:
        """The value, or None when there is nothing to send. Raises RowError."""
        ...


@attrs.frozen
class ConstantNode:
    """The same for every row."""

    content: Any
    columns: frozenset[str] = NONE
    references: frozenset[str] = NONE

    def fill(self, _: RowContext) -> Any:
        return self.content


@attrs.frozen
class LengthLimit:
    """How long a text may be, who says so, and whether it may be cut."""

    path: str
    length: int | None
    documented: bool
    truncate: bool

    def fit(self, text: str, warnings: list[str]) -> str:
        """``text``, cut where that is allowed. Raises RowError where a documented limit forbids it."""
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


@attrs.frozen
class TextNode:
    """A template read as the field's type; blank texts are sent as text, and nowhere else."""

    path: str
    template: Template
    convert: Callable[[str], Any]
    limit: LengthLimit
    references: frozenset[str] = NONE

    @property
    def columns(self) -> frozenset[str]:
        return self.template.columns

    def fill(self, scope: RowContext) -> Any:
        text = self.template.fill(scope.cells)
        if text is None or (self.convert is not str and not text.strip()):
            return None
        try:
            return self.convert(self.limit.fit(text, scope.warnings))
        except ValueError as error:
            raise error if isinstance(error, RowError) else RowError(f"{self.path} {error}") from None


@attrs.frozen
class ReferenceNode:
    """A record that the map names ``@name``: as a reference, or its bare id in a field of that type."""

    path: str
    name: str
    bare: bool
    required: bool
    columns: frozenset[str] = NONE

    @property
    def references(self) -> frozenset[str]:
        return frozenset((self.name,))

    def fill(self, scope: RowContext) -> Any:
        id = scope.directory.id_for(self.name, scope)
        if id is None:
            if self.required:
                raise RowError(f"{self.path} is needed, but this row names no {self.name}")
            return None
        return id if self.bare else Ref(id)


@attrs.frozen
class ObjectNode:
    """An object with fields of its own; None when all that varies in it from row to row is empty."""

    make: Callable[..., Record]
    fields: Mapping[str, Value]

    @cached_property
    def columns(self) -> frozenset[str]:
        return NONE.union(*(value.columns for value in self.fields.values()))

    @cached_property
    def references(self) -> frozenset[str]:
        return NONE.union(*(value.references for value in self.fields.values()))

    @cached_property
    def _varying(self) -> tuple[str, ...]:
        return tuple(name for name, value in self.fields.items() if value.columns or value.references)

    def build(self, scope: RowContext) -> Record:
        """The object, empty or not."""
        return self.make(**self._filled(scope))

    def fill(self, scope: RowContext) -> Record | None:
        values = self._filled(scope)
        if self._varying and all(values[name] is None for name in self._varying):
            return None
        return self.make(**values)

    def _filled(self, scope: RowContext) -> dict[str, Any]:
        return {name: value.fill(scope) for name, value in self.fields.items()}


@attrs.frozen
class ListNode:
    """A list; elements without a value are left out, and the list with them when none is left."""

    elements: tuple[Value, ...]

    @cached_property
    def columns(self) -> frozenset[str]:
        return NONE.union(*(value.columns for value in self.elements))

    @cached_property
    def references(self) -> frozenset[str]:
        return NONE.union(*(value.references for value in self.elements))

    def fill(self, scope: RowContext) -> list[Any] | None:
        filled = [value.fill(scope) for value in self.elements]
        return [value for value in filled if value is not None] or None
