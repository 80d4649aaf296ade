"""Table columns, derived from the catalogue before any row is read, and converters of their values to Arrow.

Values are read as in records (``codec/values.py``). A value that does not fit its column becomes null in the
array, and goes to the Extra column.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Context, Decimal, Inexact, InvalidOperation
from enum import Enum
from typing import Any

import attrs

from wosdk_async import codec
from wosdk_async.codec.json import dumps_any
from wosdk_async.codec.values import EnumReader, read_local, read_number, read_utc
from wosdk_async.errors import ConfigurationError, InvalidCallError
from wosdk_async.model import Record, entity_class, registry
from wosdk_async.model.metadata import OWNED, Wire, is_nested
from wosdk_async.protocol.arguments import described, entity_name
from wosdk_async.query.paths import fields_of, find, root
from wosdk_async.query.plan import KEYS

EXTRA = "Extra"
"""Name of the last column, for all values that have no other column."""

_SENT_PROPERTIES = {"Actor": ("Id", "TypeId")}
"""Entity -> properties that the service sends for a reference to it, if more than ``Id`` (facts 3.4)."""


@attrs.frozen
class Column:
    """Column of a table: a single value of a record, or a part of the record as JSON text."""

    entity: type[Record] = attrs.field(repr=False)
    """Class of the records."""
    steps: tuple[str, ...]
    """Wire names from the record to the value; the Extra column has none."""
    type: str
    """Catalogue type; ``list``, ``object`` and ``extra`` are columns of JSON text."""
    owner: str = attrs.field(default="", repr=False)
    """Wire name of the class that has the property: ``Customer`` for ``Customer.Name``."""
    of: str | None = attrs.field(default=None, repr=False)
    """Name of the enum, or class of the objects in a list."""
    nullable: bool = True
    """Always true: the service omits empty values, and some values might not fit."""

    @property
    def name(self) -> str:
        """Wire path, such as ``Customer.Name``."""
        return ".".join(self.steps) or EXTRA

    @property
    def is_json(self) -> bool:
        """Whether the column holds JSON text."""
        return self.type in ("list", "object", "extra")


def columns_of(entity: type[Record] | str, paths: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return the columns for a query's property paths: the id, the selected columns, and :data:`EXTRA`.

    Further columns hold values that the service adds: ids of objects along a path, the currency of an amount.
    Raises InvalidCallError for a secret or an entity without columns, and UnknownPropertyError for an unknown
    path.
    """
    cls = _class_of(entity)
    asked: dict[tuple[str, ...], Column] = {}
    implied: dict[tuple[str, ...], Column] = {}
    for path in paths or ("*",):
        if path != "*":
            found = find(root(cls), path.removesuffix(".*"))
            if path.endswith(".*") and found.below is None:
                found.by_wire("*")  # raises: a single value has no properties
        for column in _columns_below(_RecordPart(cls, cls), path.split(".")):
            asked.setdefault(column.steps, column)
    for column in tuple(asked.values()):
        implied |= {each.steps: each for each in _implied_columns(column)}
    id_column = {
        steps: column for steps, column in implied.items() if steps == ("Id",) and steps not in asked
    }
    return (*(id_column | asked | implied).values(), Column(cls, (), "extra"))


def _class_of(entity: type[Record] | str) -> type[Record]:
    found = entity_class(entity) if isinstance(entity, str) else entity
    if found is None:
        raise InvalidCallError(
            f"{described(entity)} is not in the catalogue, so its table columns are unknown; "
            f"read the records as dicts: query({described(entity)}).all()"
        )
    entity_name(found)
    if "Id" not in fields_of(found) and found.wire_name not in KEYS:  # part of other records, not a record
        raise InvalidCallError(
            f"{found.wire_name} has no Id and cannot be queried, because it is part of other records or"
            f" results; query the record that contains it, and select its path"
        )
    return found


@attrs.frozen
class _RecordPart:
    """Record, or an object in it, whose properties can be columns."""

    entity: type[Record]
    cls: type[Record]
    steps: tuple[str, ...] = ()

    def into(self, meta: Wire) -> _RecordPart:
        return _RecordPart(self.entity, registry.resolve(meta["of"]), (*self.steps, meta["name"]))

    def column(self, meta: Wire) -> Column:
        kind = "list" if meta.get("many") else meta["type"]
        steps = (*self.steps, meta["name"])
        return Column(self.entity, steps, kind, self.cls.wire_name, meta["of"])


def _columns_below(part: _RecordPart, steps: Sequence[str]) -> Iterator[Column]:
    name, *rest = steps
    if name == "*":
        yield from _star_columns(part)
        return
    meta = fields_of(part.cls)[name]
    if meta.get("secret"):
        raise InvalidCallError(f"{part.cls.wire_name}.{name} is a secret; tables exclude secrets")
    if meta.get("many") or not is_nested(meta):
        yield part.column(meta)  # a list is one column, even if only some of its properties are selected
    else:
        inside = part.into(meta)
        for each in [rest] if rest else _default_paths(inside.cls):
            yield from _columns_below(inside, each)


def _star_columns(part: _RecordPart) -> Iterator[Column]:
    """Yield the columns of ``*``: single values, amounts, and ids of references (facts 3.4)."""
    for meta in fields_of(part.cls).values():
        if not (meta.get("many") or meta.get("secret") or meta["of"] in OWNED):
            yield from _columns_below(part, [meta["name"]])


def _default_paths(cls: type[Record]) -> list[list[str]]:
    """Return the paths to read in an object if no requested path names its properties."""
    if cls.wire_name == "Money":  # facts 3.4: the service always sends whole amounts
        return [["*"]]
    return [[name] for name in _SENT_PROPERTIES.get(cls.wire_name, ("Id",)) if name in fields_of(cls)]


def _implied_columns(column: Column) -> Iterator[Column]:
    """Yield columns for values that the service adds: ids along the path, and the rest of an amount."""
    part = _RecordPart(column.entity, column.entity)
    for name in (*column.steps[:-1], None):
        fields = fields_of(part.cls)
        if part.cls.wire_name == "Money":
            yield from _star_columns(part)
        elif "Id" in fields:
            yield part.column(fields["Id"])
        if name is not None:
            part = part.into(fields[name])


# --- cells ----------------------------------------------------------------------------------------

Odd = dict[int, Any]  # row number -> value that does not fit the column


def pyarrow() -> Any:
    """Return ``pyarrow``. If it is not installed, raises ConfigurationError, which names the extra."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise ConfigurationError(
            "a table needs the package pyarrow: pip install 'wosdk_async[arrow]'"
        ) from None


@attrs.frozen
class Cells:
    """Converter of one column's values to an Arrow array."""

    type: Any  # Arrow type
    kind: type  # Python class of the column's values after reading
    read: Callable[[Any], Any]
    """Reads a non-null value by the rules for records; returns None if the column cannot hold it."""
    quick: Callable[[list[Any]], Any]
    """Builds the array from values of the documented type; for most others, fails or returns None."""

    def array(self, values: list[Any]) -> tuple[Any, Odd]:
        """Return the array, and the values that do not fit."""
        try:
            if (cells := self.quick(values)) is not None:
                return cells, {}
        except _UNFIT:
            pass
        cells = [None if value is None else self.read(value) for value in values]
        fitting = [cell if cell.__class__ is self.kind and self._fits(cell) else None for cell in cells]
        pairs = enumerate(zip(values, fitting, strict=True))
        odd = {i: value for i, (value, cell) in pairs if cell is None and value is not None}
        return pyarrow().array(fitting, self.type), odd

    def _fits(self, cell: Any) -> bool:
        if self.kind is str:
            return cell.isprintable() or not any("\ud800" <= each <= "\udfff" for each in cell)
        return self.kind is not int or _MIN_INT64 <= cell <= -_MIN_INT64 - 1


_MIN_INT64 = -(2**63)
_UNFIT = (TypeError, ValueError, ArithmeticError, AttributeError)
"""Errors for a value that does not match the array's type."""


def cells_of(column: Column) -> Cells:
    """Return the converter for a column's values."""
    arrow = pyarrow()
    if column.is_json:
        return _json_texts(arrow, column)
    return _MAKERS[column.type](arrow, column)


def _json_texts(arrow: Any, column: Column) -> Cells:
    type, text = arrow.string(), functools.partial(cell_text, column)

    def quick(values: list[Any]) -> Any:
        return arrow.array([None if value is None else text(value) for value in values], type)

    return Cells(type, str, text, quick)


# --- one converter per type -------------------------------------------------------------------


def _texts(arrow: Any, _: Column) -> Cells:
    type = arrow.string()
    return Cells(type, str, _as_sent, lambda values: arrow.array(values, type))


def _enums(arrow: Any, column: Column) -> Cells:
    """Return the converter of enums to strings: Arrow dictionaries of a growing enum would vary by batch."""
    members = EnumReader(lambda: registry.resolve(column.of or ""))

    def read(value: Any) -> Any:
        found = members.odd(value)
        return str(found) if isinstance(found, Enum) else value

    return attrs.evolve(_texts(arrow, column), read=read)


def _integers(arrow: Any, _: Column) -> Cells:
    type = arrow.int64()

    def quick(values: list[Any]) -> Any:
        kinds = set(map(builtins.type, values))
        if kinds == {int}:  # this is three times as fast as pyarrow, which inspects each value
            return arrow.Array.from_buffers(type, len(values), [None, arrow.py_buffer(array("q", values))])
        # pyarrow would accept Decimals such as 5.0, and compute for minutes on 1E+9999999.
        return None if Decimal in kinds else arrow.array(values, type)

    return Cells(type, int, _as_sent, quick)


def _booleans(arrow: Any, _: Column) -> Cells:
    type = arrow.bool_()
    return Cells(type, bool, _as_sent, lambda values: arrow.array(values, type))


def _numbers(arrow: Any, _: Column) -> Cells:
    """Return the converter for decimal numbers.

    A coordinate may have 15 decimal places, about as many as a float can hold; a stored amount has 4
    (facts 3.5). Not shown; assumed: other numbers may have more than 4 decimal places.
    """
    digits, places = 38, 15
    type, unit = arrow.decimal128(digits, places), Decimal(1).scaleb(-places)
    # pyarrow reads memory out of bounds for 0E-9999999, so it gets only numbers that this context accepts.
    exact = Context(prec=digits, traps=[Inexact, InvalidOperation])

    def read(value: Any) -> Any:
        number = read_number(value)
        try:
            return number.quantize(unit, context=exact)
        except (ArithmeticError, AttributeError):
            return None

    def quick(values: list[Any]) -> Any:
        fitting = [None if value is None else value.quantize(unit, context=exact) for value in values]
        return arrow.array(fitting, type)

    return Cells(type, Decimal, read, quick)


def _local_times(arrow: Any, _: Column) -> Cells:
    type = arrow.timestamp("us")

    def quick(values: list[Any]) -> Any:
        return _of_years(arrow, arrow.array(values, arrow.string()).cast(type))

    return Cells(type, datetime, read_local, quick)


def _utc_times(arrow: Any, _: Column) -> Cells:
    type, local = arrow.timestamp("us", "UTC"), arrow.timestamp("us")

    def quick(values: list[Any]) -> Any:
        texts = arrow.array(values, arrow.string())
        try:
            return _of_years(arrow, texts.cast(local).cast(type))
        except ValueError:
            return _of_years(arrow, texts.cast(type))  # succeeds if all texts have a zone

    return Cells(type, datetime, read_utc, quick)


_MAKERS: dict[str, Callable[[Any, Column], Cells]] = {
    "string": _texts,
    "enum": _enums,
    "integer": _integers,
    "boolean": _booleans,
    "number": _numbers,
    "datetime-local": _local_times,
    "datetime-utc": _utc_times,
}


def _of_years(arrow: Any, times: Any) -> Any:
    """Return ``times``, or None if Python cannot represent them all: Arrow also reads the year 0."""
    compute = importlib.import_module("pyarrow.compute")
    ends = compute.min_max(times.view(arrow.int64()))
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return times if low is None or (low >= _FIRST and high <= _LAST) else None


# Start of year 1 and end of year 9999, in microseconds since 1970.
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999


def _as_sent(value: Any) -> Any:
    return value


# --- JSON text in cells: lists, objects and the Extra column, without secrets ----------------------

# Every property that the catalogue marks as a secret has this word in its name. Text without the word is not
# searched further.
_MARK = re.compile(r'password\w*":')


def cell_text(column: Column, value: Any) -> str:
    """Return a JSON column's ``value`` as text; the Extra column's ``value`` is a dict keyed by path."""
    text = dumps_any(value).decode()
    if _MARK.search(text.lower()) is None:  # the usual case
        return text
    copy = codec.loads(text.encode())
    if column.steps:
        _remove_secrets([(copy, column.steps)], column.entity)
    else:
        _remove_secrets([(each, path.split(".")) for path, each in copy.items()], column.entity)
    return dumps_any(copy).decode()


def _remove_secrets(values: Iterable[tuple[Any, Iterable[str]]], entity: type[Record]) -> None:
    pending = [(value, _class_at(entity, steps)) for value, steps in values]
    while pending:
        value, cls = pending.pop()
        if cls is None:  # without a class, the catalogue marks no secrets in this value
            continue
        if isinstance(value, list):
            pending += [(each, cls) for each in value]
        elif isinstance(value, dict):
            for name in [name for name in value if _field(cls, name).get("secret")]:
                del value[name]
            pending += [(each, _class_at(cls, [name])) for name, each in value.items()]


def _class_at(cls: type[Record] | None, steps: Iterable[str]) -> type[Record] | None:
    """Return the class of the objects at a path; None if the catalogue does not define one."""
    for name in steps:
        of = _field(cls, name).get("of") if cls is not None else None
        found = registry.resolve(of) if of else None
        cls = found if isinstance(found, type) and issubclass(found, Record) else None
    return cls


def _field(cls: type[Record], name: str) -> Any:
    """Return a property's metadata; names are case-insensitive."""
    meant = codec.spellings(cls)[1].get(name.lower(), name)  # type: ignore[arg-type]  # as in codec/dicts.py
    return fields_of(cls).get(meant, {})
