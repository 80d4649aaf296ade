"""What a map makes of one row: a tree of values, filled for each row anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.template import Template
from wosdk_async.model import Record, Ref

if TYPE_CHECKING:
    from wosdk_async.jobs.directory import Directory, Entry

__all__ = ["Branch", "Constant", "Limit", "Many", "Reference", "Scope", "Text", "Value"]

NONE: frozenset[str] = frozenset()


@attrs.frozen
class Scope:
    """What a value is filled from.

    ``warnings`` collects what is said of it, ``missing`` the records that have to be created for it first.
    """

    cells: Mapping[str, str]
    directory: Directory
    warnings: list[str] = attrs.field(factory=list)
    missing: list[Entry] = attrs.field(factory=list)


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

    def fill(self, scope: Scope) -> Any:
        """The value, or None when there is nothing to send. Raises RowError."""
        ...


@attrs.frozen
class Constant:
    """The same for every row."""

    content: Any
    columns: frozenset[str] = NONE
    references: frozenset[str] = NONE

    def fill(self, _: Scope) -> Any:
        return self.content


@attrs.frozen
class Limit:
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
class Text:
    """A template read as the field's type; blank texts are sent as text, and nowhere else."""

    path: str
    template: Template
    convert: Callable[[str], Any]
    limit: Limit
    references: frozenset[str] = NONE

    @property
    def columns(self) -> frozenset[str]:
        return self.template.columns

    def fill(self, scope: Scope) -> Any:
        text = self.template.fill(scope.cells)
        if text is None or (self.convert is not str and not text.strip()):
            return None
        try:
            return self.convert(self.limit.fit(text, scope.warnings))
        except ValueError as error:
            raise error if isinstance(error, RowError) else RowError(f"{self.path} {error}") from None


@attrs.frozen
class Reference:
    """A record that the map names ``@name``: as a reference, or its bare id in a field of that type."""

    path: str
    name: str
    bare: bool
    required: bool
    columns: frozenset[str] = NONE

    @property
    def references(self) -> frozenset[str]:
        return frozenset((self.name,))

    def fill(self, scope: Scope) -> Any:
        id = scope.directory.id_for(self.name, scope)
        if id is None:
            if self.required:
                raise RowError(f"{self.path} is needed, but this row names no {self.name}")
            return None
        return id if self.bare else Ref(id)


@attrs.frozen
class Branch:
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

    def build(self, scope: Scope) -> Record:
        """The object, empty or not."""
        return self.make(**self._filled(scope))

    def fill(self, scope: Scope) -> Record | None:
        values = self._filled(scope)
        if self._varying and all(values[name] is None for name in self._varying):
            return None
        return self.make(**values)

    def _filled(self, scope: Scope) -> dict[str, Any]:
        return {name: value.fill(scope) for name, value in self.fields.items()}


@attrs.frozen
class Many:
    """A list; elements without a value are left out, and the list with them when none is left."""

    elements: tuple[Value, ...]

    @cached_property
    def columns(self) -> frozenset[str]:
        return NONE.union(*(value.columns for value in self.elements))

    @cached_property
    def references(self) -> frozenset[str]:
        return NONE.union(*(value.references for value in self.elements))

    def fill(self, scope: Scope) -> list[Any] | None:
        filled = [value.fill(scope) for value in self.elements]
        return [value for value in filled if value is not None] or None
