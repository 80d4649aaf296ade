"""What the command of an import does with the job that is there: go on with it, or begin another one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.job_places import jobs_of_rejects
from wosdk_async.jobs.journal import JobPlan, Journal, State, plan_of
from wosdk_async.jobs.journal.folder import ADDRESS
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.repeated_rows import RepeatedRows, repeated_rows
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.undo_fates import undo_state
from wosdk_async.model import WoCreateCommand

__all__ = [
    "GivenImport",
    "GoesOn",
    "is_finished",
    "is_untouched",
    "job_base",
    "left_behind",
    "resumed_folder",
    "sha256_of",
    "tells_rows_by_keys",
    "why_not",
]

_SHOWN = 10  # keys in a warning

_NO_KEYS = (
    "--continue identifies rows by their keys, and the rows of this job have none of their own; map a column "
    "to the marker, or begin a new job with --again"
)

GoesOn = Literal["with the same file", "with a new file", "not"]


@attrs.frozen(kw_only=True, eq=False)
class GivenImport:
    """An import as a command asks for it, to be compared with the job that is there."""

    source: Source
    import_map: ImportMap
    marker: str | None
    """The field that carries the key of each row."""
    identity: str
    """Text that identifies the Company, as the journal keeps it."""
    options: ImportOptions
    sha256: str = attrs.field(init=False)
    """The hash of the file, read now."""

    @sha256.default
    def _read_file(self) -> str:
        return sha256_of(self.source.path)

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path.absolute()

    @property
    def base(self) -> Path:
        """The folder of its first job; further ones stand beside it, with numbers."""
        return job_base(self.source, self.options)

    @property
    def known_by(self) -> tuple[str, str, Path, str, str | None]:
        """What its job is found by; the arguments of :meth:`JobFolders.find`."""
        address = self.options.details.get(ADDRESS)
        return self.identity, self.import_map.operation, self.path, self.sha256, address

    async def goes_on(self, journal: Journal) -> GoesOn:
        """Return whether the job of a journal goes on; "not" means that another one begins.

        A job whose file is as it was goes on. After the file has changed, a word of the user decides when the
        job is not finished, or when it has sent rows that are in the file still.

        Raises:
            ImportMapError: the job cannot go on, or the user has to decide; the message has the options.
        """
        plan, options = journal.plan, self.options
        refused = journal.counts()[State.REFUSED]
        work_left = not is_finished(journal) or (options.retry_refused and refused > 0)
        await self._require_not_undone(journal)
        if plan.sha256 == self.sha256:
            if work_left and plan.marker != self.marker:
                if await is_untouched(journal):
                    return "not"
                self._require_same_marker(journal)
            await self._require_rejects_unsent(journal)
            return "with the same file"
        if await is_untouched(journal):
            return "not"
        if options.carry_over:
            await self._require_same_keys(journal)
            return "with a new file"
        if work_left:
            raise ImportMapError(
                why_not(plan, journal.folder, self.source.path, retried=is_finished(journal))
            )
        await self._require_no_repeats(journal)
        return "not"

    def keys(self, job: str) -> RowKeys | None:
        """Return the keys of the rows in a job, given its id; None without a marker."""
        return RowKeys.of(self.import_map, self.marker, job) if self.marker else None

    async def _require_not_undone(self, journal: Journal) -> None:
        """Raise ImportMapError when an undo took back records of a job that would go on."""
        options = self.options
        goes_on = options.retry_refused or options.carry_over or not is_finished(journal)
        if goes_on and (undone := await undo_state(journal)) is not None:
            raise ImportMapError(
                f"the job in {journal.folder} was {undone}. It does not go on; give the command of the "
                "import with --again to begin a new job"
            )

    def _require_same_marker(self, journal: Journal) -> None:
        began = journal.plan.marker
        if began != self.marker:
            raise ImportMapError(
                f"the job in {journal.folder} began with {f'--marker {began}' if began else 'no marker'}; "
                "give the same to go on. --again --abandon begins a new job, which sends all rows once more"
            )

    async def _require_same_keys(self, journal: Journal) -> None:
        """Raise ImportMapError when keys do not tell which rows of a changed file a job has sent."""
        self._require_same_marker(journal)
        keys = await self._comparable_keys(journal)
        if keys is None:
            raise ImportMapError(_NO_KEYS)
        if others := (await repeated_rows(journal, self.source, keys)).without_keys:
            raise ImportMapError(
                f"{self.import_map.path} gives other keys than the job in {journal.folder} has to {others} "
                "of its rows, which would be sent again; give the map as it was"
            )

    async def _comparable_keys(self, journal: Journal) -> RowKeys | None:
        """Return the keys of the rows; None if they and those of the job have not the same meaning."""
        keys = self.keys(journal.plan.job)
        same = keys is not None and keys.are_own and self.marker == journal.plan.marker
        return keys if same and await tells_rows_by_keys(journal) else None

    async def _require_no_repeats(self, journal: Journal) -> None:
        """Raise ImportMapError when a new job would create records again, or fail as they are there."""
        if not _creates(journal.plan.operation):
            return
        keys = await self._comparable_keys(journal)
        repeated = await repeated_rows(journal, self.source, keys)
        file, folder = self.source.path, journal.folder
        if repeated.without_keys or repeated.unknown:
            raise ImportMapError(_doubles(repeated, file, folder))
        if repeated.with_keys and self.options.if_exists != "skip":
            raise ImportMapError(
                f"{repeated.with_keys} of the rows of {file} were sent by the job in {folder}, before the "
                "file changed: add --continue to go on with that job, in which these rows stay as they are, "
                "and those that failed or are new are sent. Or begin a new job: with --if-exists skip it "
                "leaves these rows out, with --again they fail, as they are there already"
            )

    async def _require_rejects_unsent(self, journal: Journal) -> None:
        """Raise ImportMapError when a job of the rejects has sent rows, and no key prevents doubles."""
        keys = self.keys(journal.plan.job)
        if not self.options.retry_refused or (keys is not None and keys.are_own):
            return
        for folder in jobs_of_rejects(journal.folder):
            async with Journal.open(folder, snapshot=True) as rejects:
                counts = rejects.counts()
            if counts[State.DONE] + counts[State.SENDING] + counts[State.IN_DOUBT]:
                raise ImportMapError(
                    f"the rejects of the job in {journal.folder} were imported by the job in {folder}: "
                    "--retry refused would send them once more. Correct and import the rejects of that job"
                )


def job_base(source: Source, options: ImportOptions) -> Path:
    """Return the folder of the first job of a file; further ones stand beside it, with numbers."""
    path = source.path.absolute()
    return options.folder or path.with_name(f"{path.name}.job")


def sha256_of(path: Path) -> str:
    """Return the hash of a file, by which a job knows it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def why_not(plan: JobPlan, folder: Path, path: Path, *, retried: bool = False) -> str:
    """Return why a job does not go on with a file that has changed, and what to add to the command.

    Args:
        plan: the plan of the job.
        folder: its folder.
        path: the file.
        retried: whether it is finished, and only the rows that failed are to be sent again.
    """
    left = "--retry refused alone sends rows of the unchanged file" if retried else "which is not finished"
    return (
        f"{path} has changed since the job in {folder} began ({plan.created_at}), {left}: add --continue to "
        "go on with the new file, where rows are identified by their keys, or --again to begin a new job, "
        "which sends all rows of the new file"
    )


def is_finished(journal: Journal) -> bool:
    """Return whether nothing is left to do; with a marker rows in doubt can still be settled."""
    counts = journal.counts()
    left = counts[State.PLANNED] + counts[State.SENDING]
    return not left and not (journal.plan.marker and counts[State.IN_DOUBT])


async def is_untouched(journal: Journal) -> bool:
    """Return whether no run of the job has begun, as when the user said no: nothing was ever sent."""
    counts = journal.counts()
    return counts[State.PLANNED] + counts[State.REFUSED] == journal.plan.rows and not await journal.runs()


async def tells_rows_by_keys(journal: JournalReader) -> bool:
    """Return whether the rows have keys of their own, by which ``--continue`` knows them in another file."""
    keys = [row.key for row in await journal.rows_in(limit=_SHOWN) if row.key is not None]
    return journal.plan.marker is not None and not any(key.startswith(journal.plan.job) for key in keys)


def resumed_folder(given: GivenImport) -> Path:
    """Return the folder of the job that goes on. Raise ImportMapError when the arguments mean another."""
    folder = given.base
    plan = plan_of(folder)
    if plan.sha256 != given.sha256:
        raise ImportMapError(why_not(plan, folder, given.path))
    for what, began, now in (
        ("Company", plan.company, given.identity),
        ("operation", plan.operation, given.import_map.operation),
    ):
        if began != now:
            raise ImportMapError(f"the job in {folder} is of {what} {began!r}, not of {now!r}; name that one")
    return folder


async def left_behind(earlier: Journal, renewed: Journal) -> Sequence[str]:
    """Return a warning for the rows in doubt that the new file does not have any more."""
    lines = []
    async for page in earlier.pages(State.SENDING, State.IN_DOUBT):
        kept = await renewed.rows_with([row.key for row in page if row.key])
        lines += [f"{row.key!r} (line {row.line})" for row in page if row.key not in kept]
    if not lines:
        return []
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    shown = ", ".join(lines[:_SHOWN]) + more
    return [
        f"in doubt in {earlier.folder}, and not in the new file: {shown}; wosdk jobs settle "
        f"{earlier.folder} looks them up"
    ]


def _doubles(repeated: RepeatedRows, file: Path, folder: Path) -> str:
    """Return why no job begins that could create records again."""
    sent = f"by the job in {folder}, before the file changed, and no key prevents that they are created again"
    what = (
        f"{repeated.without_keys} of the rows of {file} were sent {sent}"
        if repeated.without_keys
        else f"the columns of {file} have changed, so nothing tells which of its rows were sent {sent}"
    )
    return f"{what}: import the new rows from a file of their own, or add --again to send all rows once more"


def _creates(operation: str) -> bool:
    return operation == WoCreateCommand.wire_name or operation.startswith("create ")
