"""The job that an import would go on with, as a check sees it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.going_on import GoesOn, goes_on
from wosdk_async.jobs.job_places import jobs_at
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.folder import plan_of
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.opening import job_base
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.overview import Overview, overview
from wosdk_async.jobs.repeated_rows import require_no_repeats
from wosdk_async.jobs.sources.source import Source

__all__ = ["EarlierJob"]

_PAGE = 10_000  # rows of a journal that are read at a time


@attrs.frozen
class EarlierJob:
    """A job of the same Company, operation and file as it stands: one byte for the state of each row."""

    overview: Overview
    is_unchanged: bool
    """Whether the file is as it was when the job began."""
    has_same_keys: bool
    """Whether the new rows would carry the keys that the rows of this job have."""
    states: bytes = attrs.field(repr=False)
    refusal: str | None = None
    """Why the import would be refused; None when it would not."""
    goes_on: GoesOn = "not"
    """Whether the import would go on with it."""
    warnings: Sequence[str] = ()
    """What the user should know of a new job beside it."""

    @classmethod
    async def find(
        cls,
        base: Path,
        path: Path,
        company: str,
        operation: str,
        *,
        marker: str | None,
        options: ImportOptions,
    ) -> Self | None:
        """Return the job that an import would go on with, or None.

        Args:
            base: the job folder; those with numbers after its name are looked at too.
            path: the file.
            company: text that identifies the Company, as the journal keeps it.
            operation: what is done with each row.
            marker: the field that carries the key of each row.
            options: options of the import.

        Raises:
            JournalError: a journal cannot be read.
        """
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        same_content: Path | None = None
        same_place: Path | None = None
        for folder in jobs_at(base):
            plan = plan_of(folder)
            if (plan.company, plan.operation) != (company, operation):
                continue
            if plan.sha256 == sha256:
                same_content = folder
            elif Path(plan.file) == path:
                same_place = folder
        found = same_content or same_place
        if found is None:
            return None
        async with Journal.open(found, snapshot=True) as journal:
            states = await _states(journal) if same_content else b""
            refusal: str | None = None
            how: GoesOn = "not"
            try:
                how = await goes_on(journal, path, sha256, marker, options)
            except ImportMapError as error:
                refusal = error.message
            same_keys = marker is not None and marker == journal.plan.marker
            return cls(await overview(journal), same_content is not None, same_keys, states, refusal, how)

    @classmethod
    async def of_import(
        cls, source: Source, import_map: ImportMap, company: str, options: ImportOptions
    ) -> Self | None:
        """Return the job that an import would go on with, also if ``again`` asks for a new one; or None.

        Args:
            source: the file.
            import_map: the map.
            company: text that identifies the Company, as the journal keeps it.
            options: options of the import.

        Raises:
            JournalError: a journal cannot be read.
        """
        marker = options.marker or import_map.marker or import_map.action.by
        found = await cls.find(
            job_base(source, options),
            source.path.absolute(),
            company,
            import_map.operation,
            marker=marker,
            options=options,
        )
        if found is None or found.is_unchanged or found.refusal or found.goes_on != "not" or options.again:
            return found
        try:
            async with Journal.open(found.overview.folder, snapshot=True) as journal:
                warnings = await require_no_repeats(journal, source, marker, options)
        except ImportMapError as error:
            return attrs.evolve(found, refusal=error.message)
        return attrs.evolve(found, warnings=warnings)

    @property
    def is_left_behind(self) -> bool:
        """Whether it is of this very file and not finished, so that a new job would send its rows again."""
        return self.is_unchanged and self.overview.state == "unfinished"

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
