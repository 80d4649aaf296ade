"""Pages of a query as record batches, straight from their bytes.

Arrow reads JSON into columns four times as fast as dicts of Python are made and taken apart again. It is
strict: it takes a page in which every value is as documented. Any other page is read as dicts, from which
``query/table.py`` makes the batch. Both ways give the same batch.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import orjson

from wosdk_async.codec import spellings
from wosdk_async.jobs.export.errors import export_package
from wosdk_async.query.columns import Column

__all__ = ["BatchRow", "PageDecoder", "batch_of"]

_MICROSECONDS = 26  # characters of a time with six digits of its second
_TAIL = re.compile(r"[0-9]{0,3}Z?")  # of a time with more digits, which Python does not read either
_MOST_EXTRA = 16  # members without a column that are learned
_MOST_MISSES = 5  # pages, one after the other, that were not as documented: then no more are tried
_KINDS = {str: "string", bool: "bool_", int: "int64"}


@attrs.define
class BatchRow:
    """One row of a batch, for a cursor: it looks at the id only."""

    batch: Any
    place: int
    id: int | None


def batch_of(builder: Any, rows: Sequence[Any]) -> Any:
    """Return the record batch of rows, which are those of one page."""
    if not isinstance(rows[0], BatchRow):
        return builder.batch(rows)
    batch = rows[0].batch
    return batch if len(rows) == batch.num_rows else batch.take([row.place for row in rows])


class PageDecoder:
    """Function that reads the body of a page, as rows of a batch or as dicts.

    A member that the catalogue does not know has no column. When all rows of a page have it, with a value of
    one simple type, the next pages are expected to have it, too.

    Args:
        columns: the columns of the batch.
        schema: their schema of Arrow.
        plain: function that reads the body as dicts, and raises for what is not a page.
    """

    def __init__(
        self, columns: Sequence[Column], schema: Any, plain: Callable[[bytes], list[dict[str, Any]]]
    ) -> None:
        self._arrow = export_package("pyarrow")
        self._json = export_package("pyarrow.json")
        self._compute = export_package("pyarrow.compute")
        self._arrow.array([""])  # loads pandas if it is there: not while the event loop waits
        self._columns = columns
        self._schema = schema
        self._plain = plain
        self._extra: dict[str, str] = {}
        self._misses = 0 if not any(column.is_json for column in columns[:-1]) else _MOST_MISSES
        self._expected = self._page_type()

    def __repr__(self) -> str:
        return f"<PageDecoder columns={len(self._columns)} extra={sorted(self._extra)}>"

    def __call__(self, body: bytes) -> list[Any]:
        """Return the rows of a page. Raises what ``plain`` raises."""
        if self._misses >= _MOST_MISSES:
            return self._plain(body)
        try:
            rows: list[Any] = self._rows(body)
        except (self._arrow.ArrowException, ValueError, LookupError):  # not as documented
            rows = self._plain(body)
            self._misses += not self._learn(rows)
        else:
            self._misses = 0
        return rows

    # --- bytes to a batch ---------------------------------------------------------------------

    def _rows(self, body: bytes) -> list[BatchRow]:
        table = self._json.read_json(
            io.BytesIO(body),
            read_options=self._json.ReadOptions(use_threads=False, block_size=len(body) + 1),
            parse_options=self._json.ParseOptions(
                explicit_schema=self._expected, unexpected_field_behavior="error"
            ),
        )
        if table.num_rows != 1 or table.column(0).null_count:
            raise ValueError("this is not a page")
        records = table.column(0).chunk(0).flatten()
        data = records.flatten()[0]
        if data.null_count:
            raise ValueError("an entity has no data")
        batch = self._batch(data)
        batch.validate(full=True)  # texts that are not UTF-8
        ids = batch.column("Id").to_pylist() if "Id" in self._schema.names else [None] * batch.num_rows
        return [BatchRow(batch, place, id) for place, id in enumerate(ids)]

    def _batch(self, data: Any) -> Any:
        inside: dict[tuple[str, ...], Any] = {}
        self._flatten(data, (), inside)
        arrays = [
            self._array(inside[column.steps], field.type)
            if column.steps
            else self._extra_texts(inside, len(data))
            for column, field in zip(self._columns, self._schema, strict=True)
        ]
        return self._arrow.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _flatten(self, data: Any, steps: tuple[str, ...], inside: dict[tuple[str, ...], Any]) -> None:
        """Put the arrays of all single values of a struct into ``inside``."""
        for field, array in zip(data.type, data.flatten(), strict=True):
            below = (*steps, field.name)
            if self._arrow.types.is_struct(field.type):
                self._flatten(array, below, inside)
            else:
                inside[below] = array

    def _array(self, array: Any, type: Any) -> Any:
        if not self._arrow.types.is_timestamp(type):
            return array
        times = self._without_rest(array)
        local = self._arrow.timestamp("us")
        if type.tz is None:
            return self._of_years(times.cast(local))
        try:
            return self._of_years(times.cast(local).cast(type))
        except ValueError:
            return self._of_years(times.cast(type))  # all have a zone

    def _without_rest(self, texts: Any) -> Any:
        """Return texts of times without the digits that are finer than microseconds."""
        longest = self._compute.max(self._compute.binary_length(texts)).as_py() or 0
        if longest <= _MICROSECONDS:
            return texts
        rests = self._compute.utf8_slice_codeunits(texts, _MICROSECONDS).unique().to_pylist()
        if not all(rest is None or _TAIL.fullmatch(rest) for rest in rests):
            raise ValueError("a time with a zone")
        return self._compute.utf8_slice_codeunits(texts, 0, _MICROSECONDS)

    def _of_years(self, times: Any) -> Any:
        """Return ``times``. Raise ValueError for the years 0 and 10000, which Python does not have."""
        ends = self._compute.min_max(times.view(self._arrow.int64())).as_py()
        if ends["min"] is not None and not _FIRST <= ends["min"] <= ends["max"] <= _LAST:
            raise ValueError("a time that is not of the years 1 to 9999")
        return times

    def _extra_texts(self, inside: Mapping[tuple[str, ...], Any], count: int) -> Any:
        if not self._extra:
            return self._arrow.nulls(count, self._arrow.string())
        names = sorted(self._extra)
        arrays = [inside[(name,)] for name in names]
        if any(array.null_count for array in arrays):
            raise ValueError("null, or a member that is missing")  # Arrow does not say which
        rows = zip(*(array.to_pylist() for array in arrays), strict=True)
        return self._arrow.array([orjson.dumps(dict(zip(names, row, strict=True))).decode() for row in rows])

    # --- what is expected ---------------------------------------------------------------------

    def _page_type(self) -> Any:
        """Return the schema of a page, in which times are texts."""
        tree: dict[str, Any] = {name: getattr(self._arrow, kind)() for name, kind in self._extra.items()}
        for column, field in zip(self._columns, self._schema, strict=True):
            place = tree
            for step in column.steps[:-1]:
                place = place.setdefault(step, {})
            if column.steps:
                is_time = self._arrow.types.is_timestamp(field.type)
                place[column.steps[-1]] = self._arrow.string() if is_time else field.type
        record = self._arrow.struct([("Data", self._struct(tree))])
        return self._arrow.schema([("Entities", self._arrow.list_(record))])

    def _struct(self, tree: Mapping[str, Any]) -> Any:
        members = [
            (name, self._struct(each) if isinstance(each, dict) else each) for name, each in tree.items()
        ]
        return self._arrow.struct(members)

    def _learn(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Expect from now on what all ``rows`` have besides; return whether that is anything new."""
        cls: Any = self._columns[0].entity  # mypy takes the objects for the class
        _, known = spellings(cls)
        if not all(isinstance(row, dict) for row in rows):
            return False
        first = rows[0] if rows else {}
        found = {
            name: _KINDS[type(value)]
            for name, value in first.items()
            if type(value) in _KINDS
            and name.lower() not in known
            and all(type(row.get(name)) is type(value) for row in rows)
        }
        if found == self._extra or len(found) > _MOST_EXTRA:
            return False
        self._extra = found
        self._expected = self._page_type()
        return True


_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # the years 1 and 9999, in microseconds
