"""Rows as a check builds them: with their keys, and why they would be refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from wosdk_async.jobs.check_result import Finding, FindingKind
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    MissingRecordError,
    reason_of,
    require_sendable,
)
from wosdk_async.jobs.needed_fields import ReplacedFields, lacking
from wosdk_async.jobs.reading import RowBuilder
from wosdk_async.jobs.rows import Row
from wosdk_async.model import Record

__all__ = ["BuiltRow", "CheckedRows", "kind_of"]


@attrs.frozen
class BuiltRow:
    """A row that could be sent, as far as it shows without its key being looked up."""

    row: Row
    record: Record
    key: str
    missing: list[Any]
    """Records that would be created before it."""
    lacks: tuple[str, ...] = ()
    """Fields without a value that the service requires, each with what to do."""
    caution: str | None = None
    """What would surprise people about the record, although the service takes it."""
    again: bool = False
    """Whether the row failed in the job before."""

    def finding(self, kind: FindingKind, reason: str = "", ids: Sequence[int] = ()) -> Finding:
        """Return what would become of the row."""
        warnings = tuple(dict.fromkeys(self.row.warnings))
        again = self.again and kind == "would_send"
        place = self.row.number, self.row.line
        return Finding(
            *place,
            kind,
            reason,
            self.key,
            tuple(ids),
            warnings,
            lacks=self.lacks,
            caution=self.caution,
            again=again,
        )


@attrs.frozen
class CheckedRows:
    """Rows of a check, built as an import builds them."""

    builder: RowBuilder
    replaced: ReplacedFields

    def build(self, row: Row) -> BuiltRow | Finding:
        """Return what a row becomes, its key and what is created before it; or why it is refused."""
        keys, key = self.builder.keys, ""
        try:
            if keys is not None and row.fault is None:
                key = keys.key(row)
            record, missing = self.builder.build(row)
            require_sendable(record, new=self.builder.import_map.action.new)
            if keys is not None:
                keys.put(record, key)
            lacks = tuple(lacking(record, self.builder.import_map))
            return BuiltRow(row, record, key, missing, lacks, self.replaced.in_row(row.cells))
        except Exception as error:  # of one row: the import refuses it, too
            faults = tuple((kind_of(each), each.message) for each in getattr(error, "faults", ()))
            return Finding(row.number, row.line, kind_of(error), reason_of(error), key, faults=faults)


def kind_of(error: Exception) -> FindingKind:
    """Return what an error of a row says of it."""
    if isinstance(error, AmbiguousNameError):
        return "ambiguous"
    return "missing" if isinstance(error, MissingRecordError) else "refused"
