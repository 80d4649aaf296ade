"""Nodes of a compiled map, which compute the values of a row's record."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

import attrs
import msgspec

from wosdk_async.codec import content_source
from wosdk_async.jobs.errors import RowError, joined
from wosdk_async.jobs.mapping.template import LengthLimit, Template
from wosdk_async.jobs.mapping.values import Parser, TypedValues
from wosdk_async.jobs.sources.rows import TypedCell
from wosdk_async.model import Record, Ref
from wosdk_async.model.compiled import compile_function

OBJECTS = ("ref", "object", "money")
"""Catalogue types with nested fields."""

NO_NAMES: frozenset[str] = frozenset()

_ref = lru_cache(4096)(Ref)  # rows can share Refs, because these are immutable


class MissingRecord(Protocol):
    """Record that does not exist yet, to be created if ``wanted``."""

    wanted: bool
    id: int | None
    problem: RowError | None


class References(Protocol):
    """Source of record ids for rows."""

    def cached_ids(self, reference: str) -> tuple[Mapping[str, int | None], str]:
        """Return record ids by cell text, and the column of these cells (``""`` if there is no column)."""

    def id_for(self, reference: str, context: RowContext) -> int | None:
        """Return the id of the record that a row names; None if it names none.

        Raise RowError if there is no such record.
        """


class RowContext(msgspec.Struct):
    """Cells of a row, with the missing records and warnings found while filling nodes."""

    cells: Mapping[str, str]
    references: References
    warnings: list[str] = msgspec.field(default_factory=list)
    missing: list[MissingRecord] = msgspec.field(default_factory=list)
    """Records to create before the row is sent."""


def named_columns(columns: Collection[str]) -> str:
    """Format column names for a message."""
    return f"column{'s' if len(columns) > 1 else ''} {', '.join(map(repr, sorted(columns)))}"


class Node(Protocol):
    """Map value, which is constant or computed from columns or references."""

    @property
    def columns(self) -> frozenset[str]:
        """Columns that the node reads."""

    @property
    def references(self) -> frozenset[str]:
        """Names of the references that the node needs."""

    def fill(self, context: RowContext) -> Any:
        """Return the value for a row, or None to omit the field. Raise RowError for invalid cells."""


@attrs.frozen
class ConstantNode:
    """Constant value, the same for every row."""

    content: Any
    columns: frozenset[str] = NO_NAMES
    references: frozenset[str] = NO_NAMES

    def fill(self, _: RowContext) -> Any:
        """Return the value."""
        return self.content


@attrs.frozen
class TextNode:
    """Template whose result is parsed as the field's type."""

    path: str
    template: Template
    limit: LengthLimit
    parse: Parser | None
    """Parser of the field's type; None for a string field."""
    blank: Any = None
    """Value for empty cells: None to omit the field, ``""`` to clear it, or what ``values`` maps them to."""
    typed: TypedValues | None = None
    """Reader for typed cells; None to treat them as strings."""
    references: frozenset[str] = NO_NAMES

    @property
    def is_plain(self) -> bool:
        """Whether a short, non-blank string in the template's first column is itself the value."""
        return self.parse is None and self.template.first_column is not None and not self.limit.cuts_blanks

    @property
    def columns(self) -> frozenset[str]:
        """Columns of the template."""
        return self.template.columns

    def fill(self, context: RowContext) -> Any:
        """Return the parsed value. Blank cells count as empty, except in string fields."""
        text = self.template.fill(context.cells)
        if text is None:
            return self.blank
        if isinstance(text, TypedCell) and text.currency:
            self._note_currency(text, context)
        if self.parse is None:
            return self.limit.fit(str(text), context.warnings)  # str: drop the type of a typed cell
        try:
            if self.typed is not None and (typed := self._typed(self.typed, text, context.cells)) is not None:
                return typed
            return self.parse(text) if (text := text.strip()) else self.blank
        except ValueError as error:
            raise RowError(f"{self.path} {error} ({self.shown_columns})") from None

    def _note_currency(self, cell: TypedCell, context: RowContext) -> None:
        context.warnings.append(
            f"{self.path}: the cell format shows {cell.shown!r}, which is not sent ({self.shown_columns})"
        )

    def _typed(self, typed: TypedValues, text: str, cells: Mapping[str, str]) -> Any:
        """Return the value if a cell is typed; otherwise None."""
        if isinstance(text, TypedCell):
            return typed.read(text) if text.strip() else None
        if len(self.template.parts) == 1:
            return None
        pieces = self.template.pieces(cells)
        return typed.join(pieces) if any(isinstance(each, TypedCell) for each in pieces) else None

    @property
    def shown_columns(self) -> str:
        """Columns of the template, for a message."""
        return named_columns(self.columns)


@attrs.frozen
class ReferenceNode:
    """Reference ``@name``, sent as a record or, in an integer field, as an id."""

    path: str
    name: str
    as_id: bool
    required: bool
    columns: frozenset[str] = NO_NAMES

    @property
    def references(self) -> frozenset[str]:
        """Name of the reference."""
        return frozenset((self.name,))

    def fill(self, context: RowContext) -> Any:
        """Return the reference or id. Raise RowError if it is required, but the row names no record."""
        id = context.references.id_for(self.name, context)
        if id is None:
            if self.required:
                raise RowError(f"{self.path} is required, but this row has no {self.name}")
            return None
        return id if self.as_id else _ref(id)


@attrs.frozen
class ObjectNode:
    """Object with nested fields. Compiled ``build`` and ``fill`` nearly halve the time per record."""

    make: type[Record]
    fields: Mapping[str, Node]
    is_kept: bool = False
    """Whether to send the object even if all its fields that vary by row are empty."""
    writes: References | None = None
    """Source of record ids. If set, ``build`` and ``fill`` return JSON content; otherwise, records."""

    @cached_property
    def columns(self) -> frozenset[str]:
        """Columns of all fields."""
        return NO_NAMES.union(*(node.columns for node in self.fields.values()))

    @cached_property
    def references(self) -> frozenset[str]:
        """References of all fields."""
        return NO_NAMES.union(*(node.references for node in self.fields.values()))

    @cached_property
    def build(self) -> Callable[[RowContext], Any]:
        """Function that returns a row's object, even if all fields are empty."""
        return self._compiled(())

    @cached_property
    def fill(self) -> Callable[[RowContext], Any]:
        """Function that returns a row's object, or None if all its fields that vary by row are empty."""
        varying = [name for name, node in self.fields.items() if node.columns or node.references]
        return self._compiled(() if self.is_kept else varying)

    def _compiled(self, varying: Sequence[str]) -> Callable[[RowContext], Any]:
        """Compile a function that returns the object, or None if all of its ``varying`` fields are empty."""
        names: dict[str, Any] = {"make": self.make, "RowError": RowError, "joined": joined}
        values, variables = [], {}
        for index, (name, node) in enumerate(self.fields.items()):
            variable = f"value{index}"
            if isinstance(node, ConstantNode):
                names[variable] = node.content
            else:
                names[f"fill{index}"] = node.fill
                first = _FILL
                if isinstance(node, TextNode) and node.is_plain:
                    first = _CELL
                    names[f"column{index}"] = node.template.first_column
                    names[f"longest{index}"] = sys.maxsize if node.limit.length is None else node.limit.length
                    names[f"blank{index}"] = node.blank
                    if node.template.source == f"{{{node.template.first_column}}}":
                        first = f"{_CELL} if text else blank{{index}}"
                elif isinstance(node, ReferenceNode) and self.writes is not None:
                    first = _ID if node.as_id else _REFERENCE
                    names[f"ids{index}"], names[f"column{index}"] = self.writes.cached_ids(node.name)
                values.append(_VALUE.format(first=first.format(index=index), index=index))
            variables[name] = variable
        empty = " and ".join(f"{variables[name]} is None" for name in varying)
        return_if_empty = f"    if {empty}:\n        return None\n" if varying else ""
        make_object = f"    made = make({', '.join(map('='.join, variables.items()))})"
        if self.writes is not None:
            make_object = content_source(self.make, variables, names)
        source = _OBJECT.format(values="".join(values), empty=return_if_empty, made=make_object)
        return compile_function("fill", source, f"{self.make.__name__} of a row", names)  # type: ignore[no-any-return]


_OBJECT = """\
def fill(context):
    faults = ()
{values}\
    if faults:
        raise joined(faults)
{empty}\
    made = {{}}
{made}
    return made
"""

_FILL = "value{index} = fill{index}(context)"

# In most rows, the cell is the value, so ``fill`` need not be called.
_CELL = """\
text = context.cells[column{index}]
        plain = type(text) is str and 0 < len(text) <= longest{index} and not text.isspace()
        value{index} = text if plain else fill{index}(context)"""

# If an earlier row named the same record, its id is cached, so ``fill`` need not be called.
_ID = """\
id = ids{index}.get(column{index} and context.cells[column{index}])
        value{index} = id or fill{index}(context)"""
_REFERENCE = _ID.replace("id or", "{{'Id': id}} if id else")  # spec 2.1

_VALUE = """\
    try:
        {first}
    except RowError as error:
        faults += (error,)
"""


@attrs.frozen
class ListNode:
    """List without its empty elements."""

    elements: tuple[Node, ...]

    @cached_property
    def columns(self) -> frozenset[str]:
        """Columns of all elements."""
        return NO_NAMES.union(*(node.columns for node in self.elements))

    @cached_property
    def references(self) -> frozenset[str]:
        """References of all elements."""
        return NO_NAMES.union(*(node.references for node in self.elements))

    def fill(self, context: RowContext) -> list[Any] | None:
        """Return the list, or None if it is empty."""
        values, faults = [], []
        for node in self.elements:
            try:
                values.append(node.fill(context))
            except RowError as error:
                faults.append(error)
        if faults:
            raise joined(faults)
        return [value for value in values if value is not None] or None


def json_node(node: Any, references: References) -> Any:
    """Convert a node so that it builds JSON content instead of records.

    The new node's ``build`` may raise Unsupported.
    """
    if isinstance(node, ListNode):
        return ListNode(tuple(json_node(each, references) for each in node.elements))
    if not isinstance(node, ObjectNode):
        return node
    fields = {name: json_node(each, references) for name, each in node.fields.items()}
    return attrs.evolve(node, fields=fields, writes=references)
