"""Building of rows: the command or record that the map makes of a row, with its key."""

from __future__ import annotations

import attrs

from wosdk_async.jobs.errors import RowError, require_sendable
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import MissingRecord, References, RowContext
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.rows import Row
from wosdk_async.model import Record

__all__ = ["RowBuilder"]


@attrs.frozen
class RowBuilder:
    """Makes of each row what is sent for it.

    Args:
        import_map: which column fills which field.
        references: the ids of the records that rows refer to.
        keys: the keys of the rows; None without a marker.
    """

    import_map: ImportMap
    references: References
    keys: RowKeys | None

    def build(self, row: Row) -> tuple[Record, list[MissingRecord]]:
        """Return the command or record of a row, and the records that have to be created before it is sent.

        Raises:
            InvalidCallError: the row cannot be sent, whichever records exist.
        """
        if row.fault is not None:
            raise RowError(row.fault)
        context = RowContext(row.cells, self.references, row.warnings)
        record = self.import_map.record.build(context)
        if context.missing:
            require_sendable(record, new=self.import_map.action.new)
        return record, context.missing

    def sendable(self, row: Row, key: str | None) -> Record:
        """Return what is sent for a row now, with the key that the ledger has for it.

        Raises:
            WaitingRowError: a later run may send the row.
            InvalidCallError: the row cannot be sent.
        """
        record, missing = self.build(row)
        if missing:
            raise RowError("a record that it refers to is missing: the file has changed since the start")
        if self.keys is not None:
            self.keys.put(record, key)
        return record
