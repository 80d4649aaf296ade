"""Planned rows of a job: read from the file beside its ledger, and built by the map."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import islice

import attrs

from wosdk_async.jobs.errors import ImportMapError, RowError, WaitingRowError, joined, require_sendable
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.claims import Claim
from wosdk_async.jobs.ledger.file_rows import PAGE, fingerprint
from wosdk_async.jobs.ledger.identity import Identities
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.marking import RowKeys, own_keys
from wosdk_async.jobs.mapping.nodes import MissingRecord, RowContext
from wosdk_async.jobs.mapping.operations import Found
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import Source
from wosdk_async.model import Record

__all__ = ["PlannedRows", "RowBuilder"]


@attrs.frozen
class PlannedRows:
    """Rows of a file that are still to be sent, with their numbers in the ledger."""

    source: Source
    journal: Journal
    identities: Identities
    fingerprints: Sequence[int]
    """Fingerprints of the pages of the file when it was first read."""
    keyed: bool = attrs.field(kw_only=True)
    """Whether a marker carries the keys."""

    async def pages(self) -> AsyncIterator[list[tuple[Row, str | None]]]:
        """Yield the planned rows with their keys, a page at a time.

        If the fingerprint of a page has changed, its rows are compared one by one: the change may be in a
        cell that the map does not read, or in a row that is not sent.

        Raises:
            ImportMapError: the file has changed since it was read first; no row of that page is yielded.
        """
        rows, last, digest = iter(self.source), 0, self.identities.digest
        fingerprints = iter(self.fingerprints)
        while page := list(islice(rows, PAGE)):
            first, last = page[0].number, page[-1].number
            same = fingerprint(page) == next(fingerprints, None)
            planned = []
            for place, number, state, planned_digest, key in await self.journal.page(first, last):
                if state == State.PLANNED:
                    row = page[place - first] if place - first < len(page) else None
                    if row is None or not (same or digest(row) == planned_digest):
                        raise self._changed(row or page[-1])
                    row.number = number
                    planned.append((row, key if self.keyed else None))
            yield planned
        if last != self.journal.plan.rows:
            raise ImportMapError(
                f"{self.source.path}: the file has changed since it was read first: it has {last} rows now, "
                f"not {self.journal.plan.rows}; no further row was sent"
            )

    async def numbered(self, numbers: Collection[int]) -> AsyncIterator[Row]:
        """Yield rows of the file by their numbers in the ledger, planned or not."""
        found = await self.journal.rows_numbered(numbers)
        places = {stored.place: stored for stored in found.values() if stored.place is not None}
        for row in self.source:
            if (stored := places.get(row.number)) is not None:
                row.number = stored.row
                yield row
            elif row.number % PAGE == 0:
                await asyncio.sleep(0)

    def _changed(self, row: Row) -> ImportMapError:
        return ImportMapError(
            f"{self.source.path}, line {row.line}: the file has changed since it was read first; no further "
            "row was sent"
        )


@attrs.frozen
class RowBuilder:
    """Builder of the commands or records of rows.

    Args:
        import_map: which column fills which field.
        index: the ids of the records that rows refer to.
        keys: the keys of the rows; None without a marker.
    """

    import_map: ImportMap
    index: ReferenceIndex
    keys: RowKeys | None

    def build(self, row: Row) -> tuple[Record, list[MissingRecord]]:
        """Return the command or record of a row, and the records that have to be created before it is sent.

        Raises:
            InvalidCallError: the row cannot be sent, whichever records exist.
        """
        record, missing, _ = self._built(row)
        return record, missing

    def _built(self, row: Row) -> tuple[Record, list[MissingRecord], str | None]:
        """Return what :meth:`build` does, and the row's key."""
        if row.fault is not None:
            raise RowError(row.fault)
        context, faults, key = RowContext(row.cells, self.index, row.warnings), [], None
        try:
            key = self._key(row)
        except RowError as error:
            faults.append(error)
        try:
            record = self.import_map.record.build(context)
        except RowError as error:
            faults.append(error)
        if faults:
            raise joined(faults)
        if context.missing:
            require_sendable(record, new=self.import_map.action.new)
        return record, context.missing, key

    def _key(self, row: Row) -> str | None:
        """Return the key that the marker carries, None without one. Raise RowError if the row has no key."""
        if (key := self.import_map.key) is not None and not (key.fill(row.cells) or "").strip():
            raise RowError(f"the key {key.source!r} is empty; each row needs its own key")
        return None if self.keys is None else self.keys.key(row)

    def _is_sent(self, key: str | None, found: Found) -> bool:
        """Return whether the records with its key let a row be sent: a change needs one, a create none."""
        records = found.get(key or "", ())
        changes = self.import_map.action.by is not None
        return key is not None and not isinstance(records, RowError) and bool(records) is changes

    def sendable(self, row: Row, key: str | None) -> Claim:
        """Return the claim of a row, built again with the key that the ledger has for it.

        Raises:
            WaitingRowError: a later run may send the row.
            InvalidCallError: the row cannot be sent.
        """
        record, missing, made = self._built(row)
        if self.keys is not None:
            if self.keys.are_own and made != key:
                raise WaitingRowError(
                    "its key has changed since it was sent first; the next run sends it with this key"
                )
            self.keys.put(record, key)
        return Claim(row, record, key, incomplete=bool(missing))

    async def mark_wanted(
        self, rows: Iterable[Row], find: Callable[[str, list[str]], Awaitable[Found]]
    ) -> list[tuple[int, list[MissingRecord]]]:
        """Mark the missing records of rows that can be sent once these exist.

        A record that only other rows name would never be used, so it is not created. If one row cannot fill a
        record, another one may.

        Args:
            rows: rows to send unless the look-up of their keys tells otherwise.
            find: looks up keys, given the path of the marker.

        Returns:
            Numbers of rows, each with its missing records.
        """
        naming = [row for row in rows if row.fault is None and self.index.undecided(row.cells)]
        if naming and (own := own_keys(self.keys)) is not None:
            keys = {row.number: own.key_or_none(row) for row in naming}
            wanted = [key for key in keys.values() if key is not None]
            found = await find(own.path, wanted) if wanted else {}
            naming = [row for row in naming if self._is_sent(keys[row.number], found)]
        marked: list[tuple[int, list[MissingRecord]]] = []
        for row in naming:
            with suppress(Exception):  # the row itself fails with it, when its turn comes
                if missing := self.build(row)[1]:
                    marked.append((row.number, missing))
                    for entry in missing:  # now: a wanted record keeps the cells of its first row
                        entry.wanted = True
        return marked
