"""Undo of created references in rounds, so that a record is deleted before the records that it uses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import attrs

from wosdk_async.company import Company
from wosdk_async.errors import UnsupportedError
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.stop import StoppedError
from wosdk_async.jobs.undo.outcomes import UndoOutcomes
from wosdk_async.jobs.undo.records import Target
from wosdk_async.jobs.undo.references import created_references, pointers_to, used
from wosdk_async.protocol.arguments import require_support
from wosdk_async.protocol.writes import UNDECIDED

PAGE = 200  # records per query
_UNSETTLED = "the import left the creation in doubt; run the import again to settle it"
_MAY_BE_USED = "rows or references in doubt may use this record; run the import again to settle them"


@attrs.frozen
class ReferenceRounds:
    """Rounds that delete unused created references.

    Deleting a contact in one round can make its customer unused for the next round.
    """

    company: Company
    outcomes: UndoOutcomes
    unversioned: bool
    of_run: int | None

    async def run(self, undo: Callable[[Sequence[Target]], Awaitable[None]], *, cancels: bool) -> None:
        """Pass each round's unused references to ``undo``, and count the others."""
        outcomes = self.outcomes
        pending = [target async for target in self._targets()]
        cancelled = await outcomes.journal.undone_ids() if cancels else set[int]()
        while pending:
            try:
                async with outcomes.stop.ends():
                    users = await used(self.company, pending, leaving=outcomes.planned, cancelled=cancelled)
            except StoppedError:
                outcomes.summary.not_started += len(pending)
                return
            if not (unused := [each for each in pending if each.name not in users]):
                break
            await undo(unused)
            pending = [each for each in pending if each.name in users]
        for target in pending:
            outcomes.count(target.created, *users[target.name])

    async def _targets(self) -> AsyncIterator[Target]:
        """Yield created references that may be deleted if unused, and count the others."""
        journal, count = self.outcomes.journal, self.outcomes.count
        references = await journal.references()
        doubted = {each.entity for each in references if each.state in UNDECIDED}
        if await journal.rows_in(*UNDECIDED, limit=1):
            doubted.add("")
        # Earlier versions did not save the run; such references count as created by any run.
        undone = [each for each in references if self.of_run in (None, each.run) or not each.run]
        for each in undone:
            if each.state in UNDECIDED:
                count(each, "in_doubt", _UNSETTLED)
            elif each.state is State.DONE and not each.entity:
                count(each, "unsure", "an earlier version wrote the ledger")
        done = [each for each in undone if each.state is State.DONE]
        for records, found in created_references(self.company, done, unversioned=self.unversioned):
            users = {"", *(pointer.user.wire_name for pointer in pointers_to(records.entity.wire_name))}
            for first in range(0, len(found), PAGE):
                page = [(each, each.undo) for each in found[first : first + PAGE]]
                async for target in self.outcomes.judged(records, page):
                    if doubted & users:
                        count(target.created, "used", _MAY_BE_USED)
                        continue
                    try:
                        require_support(records.entity, "delete")
                    except UnsupportedError as error:
                        count(target.created, "refused", error.message)
                    else:
                        yield target
