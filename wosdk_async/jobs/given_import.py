"""An import as a command asks for it, and whether the job that is there goes on, or another one begins."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.going_on import is_finished, is_untouched, newest_of, tells_rows_by_keys, why_not
from wosdk_async.jobs.job_places import jobs_at, jobs_beside, jobs_of_rejects
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.folder import ADDRESS
from wosdk_async.jobs.journal.store import JOURNAL
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.output_folder import unnumbered
from wosdk_async.jobs.output_tables import IN_DOUBT, REJECTS
from wosdk_async.jobs.repeated_rows import Repeated, SentRows, compared, sent_rows
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.undo_fates import undo_state
from wosdk_async.model import WoCreateCommand
from wosdk_async.regular_files import sha256_of

__all__ = ["Decision", "GivenImport", "job_base", "resumed_folder"]

_NO_KEYS = "--continue identifies rows by their keys, and the rows of this job have none of their own: "
_MEND = (
    "to send those that failed, correct rejects.csv in its folder and import it; to send all once more, add "
    "--again"
)
_PUT_BACK = (
    "put the file back as it was to go on, or add --again --abandon to begin a new job, which sends all rows"
)
_MOST_JOBS = 50  # that a file without keys is compared with

GoesOn = Literal["with the same file", "with a new file", "not"]


@attrs.frozen
class Decision:
    """Whether the job that is there goes on; "not" means that another one begins."""

    goes_on: GoesOn
    warnings: Sequence[str] = ()
    """What the user should know of it."""


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
    """The hash of the bytes whose rows the source gives."""

    @sha256.default
    def _hash(self) -> str:
        return getattr(self.source, "sha256", "") or sha256_of(self.source.path)

    def __attrs_post_init__(self) -> None:
        self.require_unchanged()

    def require_unchanged(self) -> None:
        """Raise ImportMapError when the file is not the one whose rows the source gives."""
        with contextlib.suppress(OSError):
            if sha256_of(self.source.path) == self.sha256:
                return
        raise ImportMapError(
            f"{self.source.path}: it has changed since it was opened, and nothing was sent; give the command "
            "again when it is complete"
        )

    @classmethod
    def of(cls, source: Source, import_map: ImportMap, identity: str, options: ImportOptions) -> Self:
        """Return an import whose marker the options, the map or the operation say."""
        marker = options.marker or import_map.marker or import_map.action.by
        return cls(source=source, import_map=import_map, marker=marker, identity=identity, options=options)

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path.absolute()

    @property
    def base(self) -> Path:
        """The folder of its first job; further ones stand beside it, with numbers."""
        return job_base(self.source, self.options)

    @property
    def sheet(self) -> str | None:
        """The name of the sheet, if the file is a workbook."""
        return getattr(self.source, "sheet", None)

    @property
    def known_by(self) -> tuple[str, str, Path, str, str | None, str | None]:
        """What its job is found by; the arguments of :meth:`JobFolders.find`."""
        address = self.options.details.get(ADDRESS)
        return self.identity, self.import_map.operation, self.path, self.sha256, address, self.sheet

    def keys(self, job: str) -> RowKeys | None:
        """Return the keys of the rows in a job, given its id; None without a marker."""
        return RowKeys.of(self.import_map, self.marker, job) if self.marker else None

    async def decide(self, journal: Journal) -> Decision:
        """Return whether the job of a journal goes on.

        A job whose file is as it was goes on. After the file has changed, a word of the user decides when the
        job is not finished, or when rows that were sent are in the file still.

        Raises:
            ImportMapError: the job cannot go on, or the user has to decide; the message has the options.
        """
        plan, options = journal.plan, self.options
        refused = journal.counts()[State.REFUSED]
        work_left = not is_finished(journal) or (options.retry_refused and refused > 0)
        await self._require_same_sheet(journal)
        await self._require_not_undone(journal)
        if plan.sha256 == self.sha256:
            if work_left and plan.marker != self.marker:
                if await is_untouched(journal):
                    return Decision("not")
                self._require_same_marker(journal)
            if options.retry_refused:
                await self._require_rejects_unsent(journal)
            return Decision("with the same file")
        if await is_untouched(journal):
            return Decision("not")
        if options.carry_over:
            return Decision("with a new file", await self._taken_over(journal))
        if work_left:
            raise ImportMapError(await why_not(journal, self.source.path))
        return Decision("not", await self._all_new(journal))

    async def _require_same_sheet(self, journal: Journal) -> None:
        began = journal.plan.sheet
        if None in (began, self.sheet) or began == self.sheet:
            return
        other = (
            f"the job in {journal.folder} is of the sheet {began!r}, and this command reads {self.sheet!r}"
        )
        keys = await self._comparable_keys(journal)
        (found,) = await compared(self.source, keys, [await sent_rows(journal)])
        if repeated := found.with_keys + found.without_keys:
            raise ImportMapError(
                f"{other}, of which that job has sent {repeated} rows: if the sheet was renamed, give it its "
                "old name; --again sends all rows once more"
            )
        raise ImportMapError(f"{other}: add --job DIR with a folder of its own, or --again for a new job")

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

    async def _comparable_keys(self, journal: Journal) -> RowKeys | None:
        """Return the keys of the rows; None if they and those of the job have not the same meaning."""
        keys = self.keys(journal.plan.job)
        same = keys is not None and keys.are_own and self.marker == journal.plan.marker
        return keys if same and await tells_rows_by_keys(journal) else None

    async def _taken_over(self, journal: Journal) -> list[str]:
        """Return what to say of the rows that a job for the changed file takes over.

        Raises:
            ImportMapError: keys do not tell which rows the job has sent, or a job of its rejects sent some.
        """
        self._require_same_marker(journal)
        keys = await self._comparable_keys(journal)
        if keys is None:
            raise ImportMapError(_NO_KEYS + (_MEND if is_finished(journal) else _PUT_BACK))
        rejects = await _sent_by_rejects(journal.folder)
        own, *others = await compared(self.source, keys, [await sent_rows(journal), *rejects])
        folder = journal.folder
        if own.without_keys:
            raise ImportMapError(self._other_keys(own))
        if own.sent.keys and not own.with_keys:
            raise ImportMapError(
                f"no row of {self.source.path} has a key that the job in {folder} has sent: if the map gives "
                "other keys than before, give it as it was; if all rows are new, begin a new job with --again"
            )
        _require_finished(others)
        for other in others if self.options.if_exists != "skip" else ():
            if other.with_keys:
                raise ImportMapError(
                    f"{other.with_keys} of the rows were sent by the job of rejects in {other.sent.folder}: "
                    "add --if-exists skip, too, which leaves them as they are"
                )
        warnings = []
        if own.changed:
            warnings.append(
                f"{own.changed} of the rows that the job in {folder} has sent have other cells now: what was "
                "sent stays as it is"
            )
        if own.gone:
            warnings.append(
                f"{own.gone} of the rows that the job in {folder} has sent are not in the file any more: "
                f"they stay in the Company, and only an undo of {folder} takes them back"
            )
        return warnings

    async def _all_new(self, journal: Journal) -> list[str]:
        """Return what to say of the rows of a new job, of which none was sent before.

        Raises:
            ImportMapError: a new job would create records again, or fail as they are there.
        """
        if not _creates(journal.plan.operation):
            return []
        keys = await self._comparable_keys(journal)
        sent = [await sent_rows(journal), *await _sent_by_rejects(journal.folder)]
        if keys is None:  # no look-up of the keys finds what older jobs have created
            sent += await _sent_in(jobs_beside(journal.folder), *self.known_by[:2])
        found = await compared(self.source, keys, sent)
        worst = max(found, key=lambda each: each.without_keys)
        has_sent = any(each.sent.cells for each in found)
        if worst.without_keys:
            raise ImportMapError(self._other_keys(worst) if keys else self._doubles(worst))
        if keys is None and has_sent and journal.plan.columns not in ([], list(self.source.columns)):
            raise ImportMapError(self._doubles(found[0]))
        repeated = next((each for each in found if each.with_keys), None)
        if (
            keys is not None
            and repeated is None
            and has_sent
            and journal.plan.key not in (None, keys.template)
        ):
            raise ImportMapError(self._other_keys(found[0]))
        if repeated is not None:
            _require_finished(found[1:])
            if self.options.if_exists != "skip":
                raise ImportMapError(await self._sent_before(journal, repeated))
        if keys is None and found[0].sent.cells and found[0].rows == journal.plan.rows:
            return [
                f"{self.source.path} has as many rows as the job in {journal.folder} had, and all are taken "
                "for new ones: without keys a row is another one when any of its cells is"
            ]
        return []

    async def _sent_before(self, journal: Journal, repeated: Repeated) -> str:
        go_on = (
            "add --continue to go on with that job, in which these rows stay as they are, and those that "
            "failed or are new are sent. Or begin a new job: with"
            if await undo_state(journal) is None
            else "begin a new job: with"
        )
        return (
            f"{repeated.with_keys} of the rows of {self.source.path} were sent by the job in "
            f"{repeated.sent.folder}, before the file changed: {go_on} --if-exists skip it leaves these rows "
            "out, with --again they fail, as they are there already"
        )

    def _other_keys(self, repeated: Repeated) -> str:
        rows = f"{repeated.without_keys} of its rows" if repeated.without_keys else "its rows"
        return (
            f"{self.import_map.path} gives other keys than the job in {repeated.sent.folder} has to {rows}, "
            "which would be sent again; give the map as it was, or add --again to send all rows once more"
        )

    def _doubles(self, repeated: Repeated) -> str:
        """Return why no job begins that could create records again."""
        sent = (
            f"by the job in {repeated.sent.folder}, before the file changed, and no key prevents that they "
            "are created again"
        )
        what = (
            f"{repeated.without_keys} of the rows of {self.source.path} were sent {sent}"
            if repeated.without_keys
            else f"the columns of {self.source.path} have changed, so nothing tells which of its rows were "
            f"sent {sent}"
        )
        return (
            f"{what}: import the new rows from a file of their own, or add --again to send all rows once more"
        )

    async def require_new(self) -> None:
        """Raise ImportMapError when a first job of a file would create again what other jobs have created.

        They are those in folders of the same name, as of stdin, which has no place of its own, and the job
        whose rejects the file has.
        """
        keys = self.keys("job")
        if not _creates(self.import_map.operation) or (keys is not None and keys.are_own):
            return  # a look-up of the keys finds what was created
        is_rejects = unnumbered(self.path).name in (REJECTS, IN_DOUBT)
        if is_rejects and (self.path.parent / JOURNAL).is_file() and self.base.parent != self.path.parent:
            raise ImportMapError(
                f"the rows of {self.path} belong to the job in {self.path.parent}, which would not know that "
                "they are sent, and no key prevents that they are created again: leave out --job"
            )
        found = await compared(self.source, None, await _sent_in(jobs_at(self.base), *self.known_by[:2]))
        worst = max(found, key=lambda each: each.without_keys, default=None)
        if worst is not None and worst.without_keys:
            raise ImportMapError(self._doubles(worst))
        if (self.base.parent / JOURNAL).is_file():
            async with Journal.open(self.base.parent, snapshot=True) as above:
                counts = above.counts()
                if not counts[State.REFUSED] and not counts[State.IN_DOUBT]:  # those are in a file, too
                    raise ImportMapError(
                        f"no row of the job in {self.base.parent} is rejected any more: those of "
                        f"{self.path} were sent since, and no key prevents that they are created again; "
                        "--again insists"
                    )

    async def _require_rejects_unsent(self, journal: Journal) -> None:
        """Raise ImportMapError when a job of the rejects has sent rows that could be sent again."""
        keys = self.keys(journal.plan.job)
        for rejects in await _sent_by_rejects(journal.folder):
            if rejects.cells and (keys is None or not keys.are_own):
                raise ImportMapError(
                    f"the rejects of the job in {journal.folder} were imported by the job in "
                    f"{rejects.folder}: --retry refused would send them once more. Correct and import the "
                    "rejects of that job"
                )
            _require_finished([Repeated(rejects)])


async def _sent_by_rejects(folder: Path) -> list[SentRows]:
    """Return what the jobs of the rejects of a job have sent. Raises JournalError if that is not known."""
    found = []
    for each in jobs_of_rejects(folder):
        async with Journal.open(each, snapshot=True) as journal:
            found.append(await sent_rows(journal))
    return found


async def _sent_in(folders: Sequence[Path], company: str, operation: str) -> list[SentRows]:
    """Return what jobs have sent, and the jobs of their rejects, the newest first.

    Args:
        folders: the folders of the jobs, the oldest first.
        company: identity of the Company; jobs of others do not count.
        operation: what is done with each row; jobs of others do not count.
    """
    found = []
    for folder in folders[::-1][:_MOST_JOBS]:
        async with Journal.open(folder, snapshot=True) as journal:
            if (journal.plan.company, journal.plan.operation) == (company, operation):
                found += [await sent_rows(journal), *await _sent_by_rejects(folder)]
    return found


def _require_finished(jobs: Sequence[Repeated]) -> None:
    """Raise ImportMapError when rows that a job of rejects may still be sending would be sent again."""
    for job in jobs:
        if not job.sent.finished:
            folder = job.sent.folder
            raise ImportMapError(
                f"the job of rejects in {folder} is not finished, and its rows would be sent again: end it "
                f"first, with wosdk jobs resume {shlex.quote(str(folder))}"
            )


def job_base(source: Source, options: ImportOptions) -> Path:
    """Return the folder of the first job of a file; further ones stand beside it, with numbers."""
    path = source.path.absolute()
    return options.folder or path.with_name(f"{path.name}.job")


async def resumed_folder(given: GivenImport) -> Path:
    """Return the folder of the job that goes on. Raise ImportMapError when the arguments mean another."""
    folder = given.base
    if (newest := await newest_of(folder)) != folder:
        raise ImportMapError(f"the job in {newest} took the rows of {folder} over; name that one to go on")
    async with Journal.open(folder, snapshot=True) as journal:
        plan = journal.plan
        if plan.sha256 != given.sha256:
            raise ImportMapError(await why_not(journal, given.path))
    for what, began, now in (
        ("Company", plan.company, given.identity),
        ("operation", plan.operation, given.import_map.operation),
    ):
        if began != now:
            raise ImportMapError(f"the job in {folder} is of {what} {began!r}, not of {now!r}; name that one")
    return folder


def _creates(operation: str) -> bool:
    return operation == WoCreateCommand.wire_name or operation.startswith("create ")
