"""A job's planned rows, read from the file and built by the map."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import attrs

from wosdk_async.codec import Unsupported
from wosdk_async.jobs.errors import ImportMapError, RowError, WaitingRowError, joined, require_sendable
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.claims import Claim
from wosdk_async.jobs.ledger.file_rows import PAGE, fingerprint
from wosdk_async.jobs.ledger.identity import Identities
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.marking import RowKeys, own_keys
from wosdk_async.jobs.mapping.nodes import MissingRecord, RowContext, json_node
from wosdk_async.jobs.mapping.operations import Found
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import Source
from wosdk_async.model import Command, Record
from wosdk_async.protocol.calls import Written
from wosdk_async.protocol.validation import drops

_Build = Callable[[RowContext], Any]
_PLANNED = int(State.PLANNED)


@attrs.frozen
class PlannedRows:
    """Rows to send from a file, with their ledger numbers."""

    source: Source
    journal: Journal
    identities: Identities
    fingerprints: Sequence[int]
    """Page fingerprints from the first read of the file."""

    async def pages(self) -> AsyncIterator[list[tuple[Row, str | None, bool]]]:
        """Yield pages of planned rows, each with its key in the ledger, and whether it was tried before.

        If a page's fingerprint has changed, its rows are compared one by one. Changes
        in rows that are not sent, or in cells that the map does not read, do not matter.

        Raises:
            ImportMapError: the number of rows, or a row to send, has changed since the first read. The
                page with that row is not yielded.
        """
        rows, last, digest = iter(self.source), 0, self.identities.digest
        fingerprints = iter(self.fingerprints)
        while page := list(islice(rows, PAGE)):
            first, last = page[0].number, page[-1].number
            same = fingerprint(page) == next(fingerprints, None)
            planned = []
            for place, number, state, planned_digest, tried, key in await self.journal.page(first, last):
                if state == _PLANNED:
                    row = page[place - first] if place - first < len(page) else None
                    if row is None or not (same or digest(row) == planned_digest):
                        raise ImportMapError(
                            f"{self.source.path}, line {(row or page[-1]).line}: the file changed during the "
                            "import; no more rows were sent"
                        )
                    row.number = number
                    planned.append((row, key, tried))
            yield planned
        if last != self.journal.plan.rows:
            raise ImportMapError(
                f"{self.source.path}: the file changed during the import: it has {last} rows now instead of "
                f"{self.journal.plan.rows}; no more rows were sent"
            )

    async def numbered(self, numbers: Collection[int]) -> AsyncIterator[Row]:
        """Yield rows of the file, planned or not, by their ledger numbers."""
        wanted = await self.journal.rows_numbered(numbers)
        places = {stored.place: stored for stored in wanted.values() if stored.place is not None}
        for row in self.source:
            if (stored := places.get(row.number)) is not None:
                row.number = stored.row
                yield row
            elif row.number % PAGE == 0:
                await asyncio.sleep(0)


@attrs.frozen
class RowBuilder:
    """Builder of commands or records from rows; without a marker, ``keys`` is None."""

    import_map: ImportMap
    index: ReferenceIndex
    keys: RowKeys | None
    _build_sent: _Build = attrs.field(init=False)
    """Function that builds the content of a row's call; raises Unsupported if the record must be built
    first."""

    @_build_sent.default
    def _command_writer(self) -> _Build:
        kind, record, keys = self.import_map.action.kind, self.import_map.record, self.keys
        # Written content cannot be changed, so the map itself must set the key in its field, as a string.
        if not issubclass(kind, Command) or (keys is not None and getattr(keys.node, "parse", True)):
            return record.build
        write = json_node(record, self.index).build

        def build(context: RowContext) -> Written:
            content = write(context)
            if context.missing or drops(kind, content, new=False):
                raise Unsupported
            return Written(kind, content)

        return build

    def build(self, row: Row) -> tuple[Record, list[MissingRecord]]:
        """Return a row's command or record, and the missing records to create first.

        Raises InvalidCallError if the row cannot be built, or would be invalid even with the missing records.
        """
        record, missing, _ = self._build_with_key(row, self.import_map.record.build)
        return record, missing

    def _build_with_key(self, row: Row, build: _Build) -> tuple[Any, list[MissingRecord], str | None]:
        """Return the result of ``build``, the missing records to create first, and the row's key."""
        if row.fault is not None:
            raise RowError(row.fault)
        context, faults, key = RowContext(row.cells, self.index, row.warnings), [], None
        if self.keys is not None or self.import_map.key is not None:
            try:
                key = self._key(row)
            except RowError as error:
                faults.append(error)
        try:
            record = build(context)
        except RowError as error:
            faults.append(error)
        if faults:
            raise joined(faults)
        if context.missing:
            require_sendable(record, new=self.import_map.action.new)
        return record, context.missing, key

    def _key(self, row: Row) -> str | None:
        """Return the row's marker key; None without a marker. Raise RowError if the key is empty."""
        if (key := self.import_map.key) is not None:
            key.require_exact_key(row.cells)
            if not (key.fill(row.cells) or "").strip():
                raise RowError(f"the key {key.source!r} is empty; each row needs its own key")
        return None if self.keys is None else self.keys.key(row)

    def _is_sendable(self, key: str | None, found: Found) -> bool:
        """Return whether a row can be sent: creates need a new key, other operations an existing key."""
        records = found.get(key or "", ())
        changes = self.import_map.action.by is not None
        return key is not None and not isinstance(records, RowError) and bool(records) is changes

    def build_claim(self, row: Row, key: str | None) -> Claim:
        """Build a row with the ``key`` from the ledger, and return the row's claim.

        Raises:
            WaitingRowError: the row cannot be sent now, but a later run may send it.
            InvalidCallError: the row is invalid.
        """
        try:
            record, missing, own_key = self._build_with_key(row, self._build_sent)
        except Unsupported:  # for example, a text is too long
            record, missing, own_key = self._build_with_key(row, self.import_map.record.build)
        if self.keys is None:
            return Claim(row, record, incomplete=bool(missing))
        if self.keys.are_own and own_key != key:
            raise WaitingRowError(
                "the row's key has changed since the row was first sent; the next run sends the new key"
            )
        self.keys.put(record, key)
        return Claim(row, record, key, incomplete=bool(missing))

    async def mark_wanted(
        self, rows: Iterable[Row], find: Callable[[list[str]], Awaitable[Found]]
    ) -> list[tuple[int, list[MissingRecord]]]:
        """Mark missing records as wanted if rows to send refer to them; return these records by row number.

        Records that only other rows refer to would never be used, so they are not created. If one row lacks
        the fields to create a record, another row may have them. ``find(keys)`` returns the records with
        each row key.
        """
        undecided = [row for row in rows if row.fault is None and self.index.undecided(row.cells)]
        if undecided and (own := own_keys(self.keys)) is not None:
            keys = {row.number: own.key_or_none(row) for row in undecided}
            wanted = [key for key in keys.values() if key is not None]
            found = await find(wanted) if wanted else {}
            undecided = [row for row in undecided if self._is_sendable(keys[row.number], found)]
        marked: list[tuple[int, list[MissingRecord]]] = []
        for row in undecided:
            with suppress(Exception):  # the row fails with this error later
                if missing := self.build(row)[1]:
                    marked.append((row.number, missing))
                    # Mark before the next row is built, so that each entry keeps the cells of its first row.
                    for entry in missing:
                        entry.wanted = True
        return marked
