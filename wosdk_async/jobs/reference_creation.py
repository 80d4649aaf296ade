"""Creation of the records that rows refer to and that do not exist yet: each one once."""

from __future__ import annotations

import attrs

from wosdk_async.bulk import Run
from wosdk_async.company import Company, is_closed
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import AmbiguousNameError, JournalError, reason_of
from wosdk_async.jobs.journal import Journal, ReferenceRecord, State
from wosdk_async.jobs.mapping.nodes import RowContext
from wosdk_async.jobs.mapping.references import ReferenceSpec
from wosdk_async.jobs.reference_entry import ReferenceEntry
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.resources.lookup_tables import folded
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["ReferenceCreation"]


@attrs.frozen
class ReferenceCreation:
    """Creation of the missing records of one reference.

    A name is not a key: a removed record may have it, and one that the map's ``where`` leaves out. So a
    creation in doubt has no marker. It is looked up as names are, and created again if it is not there.
    """

    index: ReferenceIndex
    spec: ReferenceSpec
    company: Company
    journal: Journal
    limit: int

    def run(self, grace: float) -> Run[ReferenceEntry, int]:
        """Return the run that creates the missing records; hand its outcomes to :meth:`add`."""
        return Run(self.index.missing(self.spec), self._create, limit=self.limit, grace=grace)

    async def _create(self, entry: ReferenceEntry, trace: Trace) -> int:
        record = entry.new_record(self.spec, RowContext(entry.cells, self.index, entry.warnings))
        trace.sent = True  # a create that is cancelled counts as sent: better in doubt than created twice
        await self.journal.begin_reference(self.spec.name, folded(entry.text), entry.text)
        specifier = await self.company.create(record)
        if specifier.id is None:
            raise WosdkError("the service gave no id")
        return specifier.id

    def add(self, outcome: Outcome[ReferenceEntry, int]) -> None:
        """Remember what became of one new record, here and in the journal."""
        entry = outcome.input
        if isinstance(outcome, Done):
            self._done(entry, outcome.result)
            return
        state = State.REFUSED
        entry.reason = f"{self.spec.name} {entry.text!r} {_not_created(outcome)}"
        # Without the journal nothing was sent.
        entry.may_pass = (
            not isinstance(outcome, Failed)
            or isinstance(outcome.error, JournalError)
            or is_closed(self.company)
            or ending_of(outcome.error).passes
        )
        if isinstance(outcome, InDoubt):
            state, entry.in_doubt = State.IN_DOUBT, True
        elif entry.may_pass:
            state = State.PLANNED
        self._write(entry, state)

    async def look_up(self) -> bool:
        """Look up the records in doubt, and return whether any still is. Raise WosdkError when that fails."""
        entries = self.index.in_doubt(self.spec)
        await self.index.look_up_names(self.company, self.spec, entries, self.limit)
        for entry in entries.values():
            if entry.id is not None:
                entry.end_doubt()
                self._done(entry, entry.id)
            elif entry.error is AmbiguousNameError:
                entry.in_doubt = entry.may_pass = False
        return bool(self.index.in_doubt(self.spec))

    def plan_again(self) -> None:
        """Treat the records in doubt as missing: they are absent for certain."""
        for entry in self.index.in_doubt(self.spec).values():
            entry.end_doubt()

    def leave_the_rest(self) -> None:
        """Leave what is undecided in doubt, and warn of it even if no row that needs it was started."""
        self.index.warnings += [entry.reason for entry in self.index.in_doubt(self.spec).values()]

    def _done(self, entry: ReferenceEntry, id: int) -> None:
        entry.id = id
        self.index.created += 1
        self._write(entry, State.DONE)

    def _write(self, entry: ReferenceEntry, state: State) -> None:
        reason = entry.reason or None
        self.journal.record_reference(
            ReferenceRecord(self.spec.name, folded(entry.text), entry.text, state, entry.id, reason)
        )


def _not_created(outcome: Outcome[ReferenceEntry, int]) -> str:
    if isinstance(outcome, NotStarted):
        return "was not created: the import was stopped"
    if isinstance(outcome, InDoubt):
        return f"may have been created or not: {outcome.error.message}"
    error = getattr(outcome, "error", None) or WosdkError("the import was stopped")
    return f"could not be created: {reason_of(error)}"
