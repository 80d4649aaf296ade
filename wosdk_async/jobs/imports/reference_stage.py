"""First stage of an import: look up referenced records, and create missing records."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any

import attrs

from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.calls.run_many import Run
from wosdk_async.company import is_closed
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    JournalError,
    RowError,
    RunStoppedError,
    WaitingRowError,
    reason_of,
)
from wosdk_async.jobs.imports.reading import PlannedRows, RowBuilder
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import ANSWERED, ReferenceRecord, State
from wosdk_async.jobs.mapping.nodes import MissingRecord, RowContext
from wosdk_async.jobs.mapping.references import ReferenceEntry, ReferenceSpec
from wosdk_async.jobs.stop import ABORT_GRACE, Stop, client_closed
from wosdk_async.model import EntitySpecifier
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.resources.lookup_tables import normalized
from wosdk_async.transport.telemetry.statistics import Trace

_FIRST = 3  # rows to try one at a time; before each, only the references that the row needs are created
_ROUNDS = 3  # attempts to create records; records still in doubt wait for the next run


@attrs.define(eq=False)
class ReferenceStage:
    """Stage that gives each name in a job's index a record id, or the reason why the name has none."""

    rows: PlannedRows
    builder: RowBuilder
    settling: Settling
    limit: int
    stop: Stop
    _first: list[tuple[int, list[MissingRecord]]] = attrs.field(factory=list, init=False)
    """The first rows that need new records, with the records still to create."""

    async def complete(self) -> int | None:
        """Look up all names, and create missing records that a row can use.

        The records that the first row needs are created first, so that few unused records remain if the map
        is wrong and the service refuses all rows.

        Returns:
            The number of the row to send before :meth:`create_missing`; None if no records remain to create.

        Raises:
            ImportMapError: a record required by all rows does not exist.
            RunStoppedError: the service refused the records of each of the first rows.
            WosdkError: a look-up failed; nothing was created.
        """
        index, import_map, journal = self.builder.index, self.builder.import_map, self.rows.journal
        await self._look_up()
        for warning in index.warnings:
            self.settling.on_stage(f"warning: {warning}")
        doubts = [
            (each, entries)
            for each in await journal.references()
            if each.state in UNDECIDED and (entries := self._entries_called(each))
        ]

        def missing() -> bool:
            return any(entry.id is None for _, entries in doubts for entry in entries)

        async def look() -> bool:
            await self._look_up()
            return missing()

        await self._settle_deletions()
        if missing():
            await self.settling.wait(look, f"records in doubt: {len(doubts)}")
        for each, (entry, *_) in doubts:
            settled_record = attrs.evolve(
                each,
                state=State.PLANNED if entry.id is None else State.DONE,
                id=entry.id,
                reason=entry.reason,
                entity=entry.spec.entity.wire_name,
                field=entry.spec.by or "",
                run=journal.run,
            )
            journal.record_reference(settled_record)
        index.require(import_map.fixed, import_map.path)
        self._first = await self._mark_wanted() if index.incomplete else []
        return await self.create_first()

    async def _look_up(self) -> None:
        await self.builder.index.look_up(self.settling.company, self.limit)

    def _entries_called(self, record: ReferenceRecord) -> list[ReferenceEntry]:
        """Return the entries that a record in doubt may belong to, best match first.

        If the file has changed, another reference may name the record, or the letter case may differ.
        """
        matches = [
            (spec.name != record.reference, key != record.name, entry)
            for spec, key, entry in self.builder.index.entries(record.entity)
            # A killed run may have left the record's field empty; then only the name must match.
            if record.field in ("", spec.by) and key.casefold() == record.name.casefold()
        ]
        entries = [entry for *_, entry in sorted(matches, key=lambda each: each[:2])]
        for entry in entries:
            entry.spellings.add(record.key)
        return entries

    async def _settle_deletions(self) -> None:
        """Wait until each deletion that an undo left in doubt is confirmed or ruled out.

        A row must not refer to a record that is about to be deleted.
        """
        index, journal = self.builder.index, self.rows.journal
        deletions = [
            (each, entry)
            for each in await journal.references()
            if each.undo in UNDECIDED
            for _, _, entry in index.entries(each.entity)
            if entry.id == each.id
        ]

        async def look() -> bool:
            for _, entry in deletions:
                entry.id = None
            await self._look_up()
            return any(entry.id == each.id for each, entry in deletions)

        if deletions and await self.settling.wait(look, f"deletions in doubt: {len(deletions)}"):
            for each, entry in deletions:
                if entry.id == each.id:
                    journal.record_reference(attrs.evolve(each, undo=State.PLANNED))

    async def create_first(self) -> int | None:
        """Create the records that the next row in ``_first`` needs; return what :meth:`complete` returns."""
        reason = ""
        while self._first:
            number, entries = self._first.pop(0)
            if not self.builder.index.needs_more_than(entries):
                reason = ""
                break
            await self.create_missing(entries)
            if self.stop.reason is not None or all(entry.id is not None for entry in entries):
                return number
            reason = next((entry.problem.message for entry in entries if entry.problem is not None), "")
        if reason:
            raise RunStoppedError(
                f"{reason}; the previous rows failed as well. Correct the map or these rows",
                kind="references",
            )
        await self.create_missing()
        return None

    async def _mark_wanted(self) -> list[tuple[int, list[MissingRecord]]]:
        """Mark missing records of rows to send, and return the first rows that need new records."""
        first: list[tuple[int, list[MissingRecord]]] = []
        async for page in self.rows.pages():
            marked = await self.builder.mark_wanted((row for row, *_ in page), self.settling.find)
            first += marked[: _FIRST - len(first)]
        return first

    # --- creating -----------------------------------------------------------------------------

    async def create_missing(self, only: Sequence[MissingRecord] | None = None) -> None:
        """Create the missing records that are marked as wanted; if ``only`` is given, only those in it.

        A creation has no marker, because names are not unique: removed records, and records that the map's
        ``where`` excludes, may have the same name. A record in doubt is looked up by name, and created again
        if it is missing.
        """
        index = self.builder.index
        for spec in self.builder.import_map.references:
            try:
                await self._create_records(spec, only)
            finally:  # warn, because rows that would report these problems may never be started
                index.warnings += filter(None, (entry.reason for entry in index.in_doubt(spec).values()))

    async def _create_records(self, spec: ReferenceSpec, only: Sequence[MissingRecord] | None) -> None:
        index, settling = self.builder.index, self.settling
        look_up = functools.partial(self._look_up_doubts, spec)
        for rounds_left in reversed(range(_ROUNDS)):
            missing = [each for each in index.missing(spec) if only is None or each in only]
            if not missing:
                break
            noun = "record" if len(missing) == 1 else "records"
            settling.on_stage(f"creating {len(missing)} {spec.entity.__name__} {noun} for {spec.name}")
            run = Run(missing, self._create_one, limit=self.limit, grace=ABORT_GRACE)
            await self.stop.consume(run, self._store_outcome)
            if is_closed(settling.company):
                self.stop.start_no_more(client_closed())
            if self.stop.reason or not index.in_doubt(spec):
                break
            with contextlib.suppress(WosdkError):
                await look_up()  # finds most records, because usually only the response was lost
            with contextlib.suppress(WosdkError):  # if this fails, the records stay in doubt
                doubts = len(index.in_doubt(spec))
                absent = doubts and await settling.wait(look_up, f"records in doubt: {doubts}")
                if absent and rounds_left:
                    for entry in index.in_doubt(spec).values():
                        entry.end_doubt()

    async def _create_one(self, entry: ReferenceEntry, trace: Trace) -> EntitySpecifier:
        record = entry.new_record(RowContext(entry.cells, self.builder.index, entry.warnings))
        trace.sent = True  # from here on, a cancelled create is in doubt, and must not simply be repeated
        await self.settling.journal.begin_reference(self._record(entry, State.SENDING))
        specifier = await self.settling.company.create(record)
        if specifier.id is None:
            raise WosdkError("the response has no id")
        return specifier

    def _store_outcome(self, outcome: Outcome[ReferenceEntry, EntitySpecifier]) -> None:
        entry = outcome.input
        if isinstance(outcome, Done):
            created = outcome.result
            self._done(entry, created.id, version=created.concurrency_id, proof=ANSWERED)
            return
        # A JournalError means that nothing was sent, so the next run may create the record.
        may_pass = (
            not isinstance(outcome, Failed)
            or isinstance(outcome.error, JournalError)
            or is_closed(self.settling.company)
            or ending_of(outcome.error).passes
        )
        problem = WaitingRowError if may_pass else RowError
        entry.problem = problem(f"{entry.spec.name} {entry.text!r} {_not_created(outcome)}")
        entry.in_doubt = isinstance(outcome, InDoubt)
        state = State.PLANNED if may_pass else State.REFUSED
        self._write(entry, State.IN_DOUBT if entry.in_doubt else state)

    async def _look_up_doubts(self, spec: ReferenceSpec) -> bool:
        """Look up a reference's records in doubt, and return whether any remain in doubt."""
        index = self.builder.index
        entries = index.in_doubt(spec)
        await index.look_up_names(self.settling.company, spec, entries, self.limit)
        for entry in entries.values():
            if entry.id is not None:
                entry.end_doubt()
                self._done(entry, entry.id)
            elif isinstance(entry.problem, AmbiguousNameError):
                entry.in_doubt = False
        return bool(index.in_doubt(spec))

    def _done(self, entry: ReferenceEntry, id: int | None, **evidence: Any) -> None:
        entry.id = id
        self.builder.index.created += 1
        self._write(entry, State.DONE, **evidence)

    def _write(self, entry: ReferenceEntry, state: State, **evidence: Any) -> None:
        self.settling.journal.record_reference(self._record(entry, state, **evidence))

    def _record(self, entry: ReferenceEntry, state: State, **evidence: Any) -> ReferenceRecord:
        return ReferenceRecord(
            entry.spec.name,
            normalized(entry.text),
            entry.text,
            state,
            entry.id,
            entry.reason,
            entity=entry.spec.entity.wire_name,
            field=entry.spec.by or "",
            run=self.settling.journal.run,
            **evidence,
        )


def _not_created(outcome: Outcome[ReferenceEntry, int]) -> str:
    if isinstance(outcome, NotStarted):
        return "was not created: the import stopped"
    if isinstance(outcome, InDoubt):
        return f"may have been created: {reason_of(outcome.error)}"
    error = getattr(outcome, "error", None) or WosdkError("the import stopped")
    return f"could not be created: {reason_of(error)}"
