"""The tree of a compiled map: nodes that make the values of a row's record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

import attrs

from wosdk_async.jobs.errors import RowError, joined
from wosdk_async.jobs.mapping.template import LengthLimit, Template
from wosdk_async.jobs.mapping.typed_values import TypedValues
from wosdk_async.jobs.mapping.values import Parser
from wosdk_async.jobs.sources.rows import TypedCell
from wosdk_async.model import Record, Ref
from wosdk_async.model.compiled import compile_function

__all__ = [
    "NONE",
    "OBJECTS",
    "ConstantNode",
    "ListNode",
    "MissingRecord",
    "Node",
    "ObjectNode",
    "ReferenceNode",
    "RowContext",
    "TextNode",
    "named_columns",
]

OBJECTS = ("ref", "object", "money")
"""Types of the catalogue whose values have fields of their own."""

NONE: frozenset[str] = frozenset()

_ref = lru_cache(4096)(Ref)  # a reference cannot be changed, so that rows may share one


class MissingRecord(Protocol):
    """A record that does not exist yet; it is created when ``wanted`` is set."""

    wanted: bool
    id: int | None
    reason: str


class References(Protocol):
    """The ids of the records that rows refer to."""

    def id_for(self, reference: str, context: RowContext) -> int | None:
        """Return the id of the record that the row refers to, or None when the row gives no name.

        A record that is still to be created is added to ``context.missing``. Raise RowError when there is
        no such record.
        """


@attrs.define
class RowContext:
    """The cells of one row, with the missing records and warnings found while filling nodes."""

    cells: Mapping[str, str]
    references: References
    warnings: list[str] = attrs.field(factory=list)
    missing: list[MissingRecord] = attrs.field(factory=list)
    """Records that have to be created before the row can be sent."""


def named_columns(columns: Collection[str]) -> str:
    """Return the names of columns, for a message."""
    return f"column{'s' if len(columns) > 1 else ''} {', '.join(map(repr, sorted(columns)))}"


class Node(Protocol):
    """One value of the map: fixed, from columns, or from a reference."""

    @property
    def columns(self) -> frozenset[str]:
        """The columns it reads."""

    @property
    def references(self) -> frozenset[str]:
        """The references it needs, by their names in the map."""

    def fill(self, context: RowContext) -> Any:
        """Return the value for a row, or None to send nothing. Raise RowError for unusable cells."""


@attrs.frozen
class ConstantNode:
    """The same value for every row."""

    content: Any
    columns: frozenset[str] = NONE
    references: frozenset[str] = NONE

    def fill(self, _: RowContext) -> Any:
        """Return the value."""
        return self.content


@attrs.frozen
class TextNode:
    """A template whose text is parsed as the field's type."""

    path: str
    template: Template
    limit: LengthLimit
    parse: Parser | None
    """None for a text field."""
    blank: Any = None
    """The value of empty cells: None to send nothing, an empty text to clear a field, or a word's value."""
    typed: TypedValues | None = None
    """Reader of typed cells; None if they are read as texts."""
    references: frozenset[str] = NONE

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the template."""
        return self.template.columns

    def fill(self, context: RowContext) -> Any:
        """Return the parsed text; whitespace alone counts as empty except in a text field."""
        text = self.template.fill(context.cells)
        if text is None:
            return self.blank
        if isinstance(text, TypedCell) and text.currency:
            self._note_currency(text, context)
        if self.parse is None:
            return self.limit.fit(str(text), context.warnings)  # a cell that is a number is a text here
        try:
            if self.typed is not None and (typed := self._typed(self.typed, text, context.cells)) is not None:
                return typed
            return self.parse(text) if (text := text.strip()) else self.blank
        except ValueError as error:
            raise RowError(f"{self.path} {error} ({self.shown_columns})") from None

    def _note_currency(self, cell: TypedCell, context: RowContext) -> None:
        """Warn about a cell whose format shows a currency or other text."""
        context.warnings.append(
            f"{self.path}: the format of the cell shows {cell.shown!r}, which is not sent "
            f"({self.shown_columns})"
        )

    def _typed(self, typed: TypedValues, text: str, cells: Mapping[str, str]) -> Any:
        """Return the value of a text made of typed cells; None for other texts."""
        if isinstance(text, TypedCell):
            return typed.read(text) if text.strip() else None
        if self.template.is_one_cell:
            return None
        pieces = self.template.pieces(cells)
        return typed.join(pieces) if any(isinstance(each, TypedCell) for each in pieces) else None

    @property
    def shown_columns(self) -> str:
        """The columns of the template, for a message."""
        return named_columns(self.columns)


@attrs.frozen
class ReferenceNode:
    """A reference ``@name``: sent as a record, or as its id in a field of numbers."""

    path: str
    name: str
    as_id: bool
    required: bool
    columns: frozenset[str] = NONE

    @property
    def references(self) -> frozenset[str]:
        """The one reference."""
        return frozenset((self.name,))

    def fill(self, context: RowContext) -> Any:
        """Return the reference or id. Raise RowError when the field is required and the row gives no name."""
        id = context.references.id_for(self.name, context)
        if id is None:
            if self.required:
                raise RowError(f"{self.path} is required, but this row has no {self.name}")
            return None
        return id if self.as_id else _ref(id)


@attrs.frozen
class ObjectNode:
    """An object with its own fields.

    Its functions are compiled at first use, which nearly halves the time for a record.
    """

    make: Callable[..., Record]
    fields: Mapping[str, Node]
    is_kept: bool = False
    """Whether the object is sent even if all fields that vary are empty."""

    @cached_property
    def columns(self) -> frozenset[str]:
        """The columns of all fields."""
        return NONE.union(*(node.columns for node in self.fields.values()))

    @cached_property
    def references(self) -> frozenset[str]:
        """The references of all fields."""
        return NONE.union(*(node.references for node in self.fields.values()))

    @cached_property
    def build(self) -> Callable[[RowContext], Record]:
        """Function that returns the object for a row, even if all its fields are empty."""
        return self._compiled(())

    @cached_property
    def fill(self) -> Callable[[RowContext], Record | None]:
        """Function that returns the object, or None when all fields that vary from row to row are empty."""
        varying = [name for name, node in self.fields.items() if node.columns or node.references]
        return self._compiled(() if self.is_kept else varying)

    def _compiled(self, varying: Sequence[str]) -> Callable[[RowContext], Any]:
        """Return the function; None is its result when all of ``varying`` are empty, if there are any."""
        names: dict[str, Any] = {"make": self.make, "RowError": RowError, "joined": joined}
        values, arguments = [], []
        for place, (name, node) in enumerate(self.fields.items()):
            variable = f"value{place}"
            if isinstance(node, ConstantNode):
                names[variable] = node.content
            else:
                names[f"fill{place}"] = node.fill
                values.append(_VALUE.format(variable=variable, place=place))
            arguments.append(f"{name}={variable}")
        places = {name: place for place, name in enumerate(self.fields)}
        empty = " and ".join(f"value{places[name]} is None" for name in varying)
        lines = f"    if {empty}:\n        return None\n" if varying else ""
        source = _OBJECT.format(values="".join(values), empty=lines, arguments=", ".join(arguments))
        title = f"{getattr(self.make, '__name__', '')} of a row"
        compiled: Callable[[RowContext], Any] = compile_function("fill", source, title, names)
        return compiled


_OBJECT = """\
def fill(context):
    faults = ()
{values}\
    if faults:
        raise joined(faults)
{empty}\
    return make({arguments})
"""

_VALUE = """\
    try:
        {variable} = fill{place}(context)
    except RowError as error:
        faults += (error,)
"""


@attrs.frozen
class ListNode:
    """A list; elements without a value are left out."""

    elements: tuple[Node, ...]

    @cached_property
    def columns(self) -> frozenset[str]:
        """The columns of all elements."""
        return NONE.union(*(node.columns for node in self.elements))

    @cached_property
    def references(self) -> frozenset[str]:
        """The references of all elements."""
        return NONE.union(*(node.references for node in self.elements))

    def fill(self, context: RowContext) -> list[Any] | None:
        """Return the list, or None without elements."""
        values, faults = [], []
        for node in self.elements:
            try:
                values.append(node.fill(context))
            except RowError as error:
                faults.append(error)
        if faults:
            raise joined(faults)
        return [value for value in values if value is not None] or None
