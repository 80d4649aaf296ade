"""The job that an import would go on with, as a check sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.given_import import Decision, GivenImport
from wosdk_async.jobs.going_on import newest_of
from wosdk_async.jobs.job_places import jobs_at
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.folder import job_among
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.overview import Overview, overview

__all__ = ["EarlierJob"]

_PAGE = 10_000  # rows of a journal that are read at a time


@attrs.frozen
class EarlierJob:
    """A job of the same Company, operation and file as it stands: one byte for the state of each row."""

    overview: Overview
    is_unchanged: bool
    """Whether the file is as it was when the job began."""
    is_left_behind: bool
    """Whether it is not finished, so that a new job would send again what it may be sending."""
    has_same_keys: bool
    """Whether the new rows would carry the keys that the rows of this job have."""
    states: bytes = attrs.field(repr=False)
    refusal: str | None = None
    """Why the import would be refused; None when it would not."""
    decision: Decision = attrs.field(factory=lambda: Decision("not"))
    """Whether the import would go on with it."""

    @classmethod
    async def of_import(cls, given: GivenImport) -> Self | None:
        """Return the job that an import would go on with, also if ``again`` asks for a new one; or None.

        Raises:
            JournalError: a journal cannot be read.
        """
        found = job_among(jobs_at(given.base), *given.known_by)
        if found is None:
            return None
        async with Journal.open(await newest_of(found), snapshot=True) as journal:
            plan = journal.plan
            unchanged = plan.sha256 == given.sha256
            refusal, decision = None, Decision("not")
            try:
                if not given.options.again:
                    decision = await given.decide(journal)
            except ImportMapError as error:
                refusal = error.message
            seen = await overview(journal)
            return cls(
                seen,
                unchanged,
                is_left_behind=seen.state == "unfinished" and plan.sheet in (None, given.sheet),
                has_same_keys=given.marker is not None and given.marker == plan.marker,
                states=await _states(journal) if unchanged else b"",
                refusal=refusal,
                decision=decision,
            )

    def state(self, row: int) -> State:
        """Return the state of a row; PLANNED if the job does not have it."""
        return State(self.states[row - 1]) if row <= len(self.states) else State.PLANNED

    async def reasons(self, first: int, last: int) -> dict[int, str]:
        """Return why the rows ``first`` to ``last`` were refused, those of them that were."""
        if State.REFUSED not in self.states[first - 1 : last]:
            return {}
        async with Journal.open(self.overview.folder, snapshot=True) as journal:
            refused = await journal.rows_in(State.REFUSED, after=first - 1, limit=last - first + 1)
        return {row.row: row.reason or "" for row in refused}

    async def rows_with(self, keys: Sequence[str]) -> Mapping[str, State]:
        """Return the states of the rows that have these keys."""
        async with Journal.open(self.overview.folder, snapshot=True) as journal:
            return {key: row.state for key, row in (await journal.rows_with(keys)).items()}


async def _states(journal: JournalReader) -> bytes:
    states = bytearray()
    for first in range(1, journal.plan.rows + 1, _PAGE):
        states += bytes(state for _, state, _, _ in await journal.page(first, first + _PAGE - 1))
    return bytes(states)
