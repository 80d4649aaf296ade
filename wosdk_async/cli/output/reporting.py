"""Terminal output of an import: outcomes, problems, files, summary, next commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import IO, Any

import click
import msgspec

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.texts import counted, in_commands, json_text, shell_words
from wosdk_async.jobs import RowOutcome, Summary
from wosdk_async.jobs.errors import ImportMapError, JournalError, OutputError
from wosdk_async.jobs.imports.check_result import Finding
from wosdk_async.jobs.journal import JobPlan
from wosdk_async.jobs.journal.entries import KEY_EXISTS
from wosdk_async.jobs.journal.folder import last_file, numbered_jobs
from wosdk_async.jobs.journal.row_table import names_of
from wosdk_async.jobs.ledger.nearby import opened, remedies_of_row
from wosdk_async.jobs.ledger.request import ReportWords
from wosdk_async.jobs.report import unnumbered
from wosdk_async.jobs.report.output_tables import IN_DOUBT, REJECTS
from wosdk_async.jobs.sources.formats import FORMATS, suffix_of
from wosdk_async.jobs.stop import cause_of
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import shortened

_MAX_SHOWN = 5  # causes and warnings in the summary
_MAX_WARNED = 3  # causes of row warnings in the summary
# Options that describe the input file or one run, so they do not apply to rejects.csv.
_INPUT_ONLY = ("--format", "--delimiter", "--sheet", "--header-row", "--outcomes")
MAX_NAME = 60
"""Maximum characters of a key, or of a row's first cells."""
_PLACES = 3  # rows named for each cause


class _Causes:
    """The first ``limit`` causes of problems, each with its first rows and its number of rows."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # By cause: the first row's text, and the first rows.
        self.first: dict[object, tuple[str, list[RowOutcome]]] = {}
        self.counts: Counter[object] = Counter()

    def add(self, cause: object, row: RowOutcome, text: str) -> None:
        if cause in self.first or len(self.first) < self._limit:
            self.counts[cause] += 1
            if len(rows := self.first.setdefault(cause, (text, []))[1]) < _PLACES:
                rows.append(row)

    def say(self, folder: Path | None = None) -> None:
        names: dict[int, str] = {}
        with suppress(JournalError), opened(folder) as db:
            names = names_of(db, [rows[0].row for _, rows in self.first.values()])
        for cause, (text, rows) in self.first.items():
            name = names.get(rows[0].row)
            say_cause(f"{shortened(name, MAX_NAME)!r} {text}" if name else text, rows, self.counts[cause])


def say_cause(text: str, rows: Sequence[RowOutcome | Finding], count: int) -> None:
    """Print a cause with the first of its ``count`` rows."""
    place, *others = (f"row {row.row} (line {row.line})" for row in rows)
    say(f"{place} {text}")
    if others:
        rest = ", ..." if count > len(rows) else ""
        say(f"and {counted(count - 1, 'more row')} for the same reason: {', '.join(others)}{rest}")


class OutcomeWriter:
    """Writer of outcomes as JSON lines. Keeps the first problems for the summary.

    If a write fails, ``failed`` is the error, ``stop`` is called, and the outcomes of calls in flight are
    printed on stderr.
    """

    def __init__(self, file: IO[bytes] | None, stop: Callable[[], None]) -> None:
        self._file = file
        self._stop = stop
        self.failed: OutputError | None = None
        self._printed: set[str] = set()
        self._faults, self._warnings = _Causes(_MAX_SHOWN), _Causes(_MAX_WARNED)
        self._counts: Counter[str] = Counter()
        self._warned = 0
        self.existing = 0
        """Rows that failed only because their records exist."""

    @property
    def problems(self) -> str:
        """The counts of rows not done, such as ``3 failed, 1 in doubt``."""
        kinds = ("failed", "in_doubt", "not_started")
        counts = ((kind, self._counts[kind]) for kind in kinds)
        return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in counts if count)

    def note_printed(self, text: str) -> None:
        """Remember a printed warning, so that the summary does not repeat it."""
        self._printed.add(text)

    def row(self, outcome: RowOutcome) -> None:
        """Write the outcome of a row."""
        self._write(outcome)
        self._counts[outcome.outcome] += 1
        self._warned += bool(outcome.warnings)
        self.existing += outcome.code == KEY_EXISTS
        for cause, text in {cause_of(text): text for text in outcome.warnings}.items():
            self._warnings.add(cause, outcome, f"warning: {text}")
        # A code on a row that was not started means that the run tried to send it.
        if outcome.outcome in ("failed", "in_doubt") or outcome.code:  # failed rows are grouped by cause
            group = outcome.row if outcome.outcome == "in_doubt" else cause_of(outcome.reason or "")
            sent = f" (RequestId {outcome.request_id})" if outcome.request_id else ""
            self._faults.add(group, outcome, f"{outcome.outcome.replace('_', ' ')}: {outcome.reason}{sent}")

    def _write(self, outcome: RowOutcome) -> None:
        line = json_text(outcome.as_dict())
        if self._file is not None:
            try:
                self._file.write(f"{line}\n".encode())
                return
            except OSError as error:
                self._file, self.failed = None, OutputError(f"cannot write the outcomes ({error.strerror})")
                say(f"{self.failed.message}; starting no more rows")
                self._stop()
        if self.failed is not None and outcome.outcome != "not_started":
            say(line)

    def say_problems(self, summary: Summary, outcomes: Path | None, *, again: bool = False) -> None:
        """Print the first rows that are not done, and the warnings, on stderr."""
        self._faults.say(summary.folder)
        all_exist = summary.stopped is not None and summary.stopped.kind == "all-exist"
        exist = [rows[0] for _, rows in self._faults.first.values() if rows[0].code == KEY_EXISTS]
        if exist and not all_exist:
            say(shown_remedies(remedies_of_row(summary.folder, exist[0].row)))
        tried = self._counts["failed"] + self._counts["in_doubt"] + summary.waiting
        more = tried - self._faults.counts.total()
        results = summary.folder / "results.csv" if summary.folder else None
        place = outcomes or (results if results and results.is_file() else None)
        remedy = f"see {place}" if place else "--outcomes FILE records all of them"
        if more > 0:  # rows of this run that are not named above
            say(f"and {counted(more, 'more row')}; {remedy}")
        warnings = [text for each in summary.warnings if (text := f"warning: {each}") not in self._printed]
        for warning in warnings[:_MAX_SHOWN]:
            say(warning)
        if len(warnings) > _MAX_SHOWN:
            say(f"and {counted(len(warnings) - _MAX_SHOWN, 'more warning')}")
        self._warnings.say()
        if self._warned:
            say(f"{counted(self._warned, 'row')} with warnings; {remedy}")
        if summary.unwritten:
            say(
                f"{counted(len(summary.unwritten), 'outcome')} could not be written to the journal; keep the "
                "following lines, which contain the ids of records in the Company"
            )
        for record in summary.unwritten:
            values = msgspec.structs.asdict(record) | {"state": record.state.name}
            shown = {name: value for name, value in values.items() if value not in (None, (), 0, 0.0)}
            say(f"not in the journal: {json_text(shown)}")
        if summary.stopped:
            say(f"stopped: {summary.stopped.shown(in_commands)}")
        left = summary.not_started
        if summary.missing is not None:
            say(summary.missing)
        elif left and summary.folder is not None and not all_exist:
            command = "run this command without --again" if again else "run the same command"
            if isinstance(summary.stopped, ImportMapError):  # the file changed while it was being sent
                command = f"restore the file, then {command}"
            elif _failed_entirely(summary, self.existing):
                command = f"{_CORRECT}, then {command}"
            retried = " and those that failed before being sent" if summary.failed else ""
            say(f"to send the remaining {counted(left, 'row')}{retried}, {command}")


_CORRECT = "correct the map or the file"


def _failed_entirely(summary: Summary, existing: int) -> bool:
    """Return whether rows failed and none has a record: the map is probably wrong, not the rows."""
    return bool(summary.failed and not (summary.done or summary.found or summary.in_doubt or existing))


_FILES = {
    "results.csv": "outcomes of the rows",
    "rejects.csv": "failed rows with reasons",
    "references.csv": "referenced records",
    "report.html": "report",
}


def say_files(summary: Summary, plan: JobPlan, existing: int) -> None:
    """Print the files' paths, and the command to import the rejects.

    ``plan`` has this run's options. Of the failed rows, ``existing`` failed only because their records exist.
    """
    for path in summary.files:
        name = unnumbered(path).name
        if name == REJECTS and summary.failed == existing:
            continue  # there is nothing to correct
        if name == IN_DOUBT:
            say_doubts(path, plan, resumes=summary.not_started > 0)
        if what := _FILES.get(name):
            say(f"{what}: {path}")
        if name == REJECTS and _failed_entirely(summary, existing):
            if not summary.not_started:  # otherwise, say_problems() has said so
                say(f"{_CORRECT}, then run the same command")
        elif name == REJECTS and (command := rejects_command(plan, path)):
            say(f"to import the rows that you corrected in it: {command}")
    say_kept(summary.files)


def say_doubts(path: Path, plan: JobPlan, *, resumes: bool = False) -> None:
    """Print the path of the file with the rows in doubt, and how to settle them.

    With ``resumes``, rows remain to be sent, so the user will run the same command, which looks them up.
    """
    remedy = Remedy.DECIDE_ROWS if plan.marker is None else Remedy.SETTLE
    how = in_commands(remedy, {"folder": path.parent})
    if resumes and plan.marker is not None:
        how = "the same command looks them up"
    say(f"rows whose records may already exist: {path}; {how}")


def say_kept(files: Sequence[Path]) -> None:
    """Report edited files. They are kept, so the new ``files`` have a number in their names."""
    for path in files:
        if (kept := unnumbered(path)) != path:
            say(f"{kept} has been edited and was kept; the new file is {path.name}")


def print_summary(summary: Summary, as_json: bool, *, ran: bool = True) -> None:
    """Print the summary on stdout, with run figures if there was a run."""
    if as_json:
        click.echo(json_text(summary.as_dict()))
        return
    not_started = f", {summary.not_started} not started" if summary.not_started else ""
    found = f", {summary.found} found" if summary.found else ""
    done = f"{summary.remaining} {summary.label}"
    done += f" ({summary.done_now} now)" if summary.done_now != summary.remaining else ""
    undone = summary.undone + summary.found_undone
    done += f", {undone} undone" if undone else ""
    done += f", {summary.undo_in_doubt} with an unfinished undo" if summary.undo_in_doubt else ""
    empty = f"; {counted(summary.empty_rows, 'empty row')} skipped" if summary.empty_rows else ""
    click.echo(
        f"{counted(summary.rows, 'row')}: {done}{found}, {summary.failed} failed, "
        f"{summary.in_doubt} in doubt{not_started}{empty}"
    )
    if summary.changed:
        rows = "1 row now differs" if summary.changed == 1 else f"{summary.changed} rows now differ"
        first = f" (first: line {summary.first_changed})" if summary.first_changed is not None else ""
        click.echo(
            f"{rows} from the cells that were sent{first}, because the file, the rejects or the "
            "map's columns were edited. Changed rows are not resent; see column 'changed' in results.csv"
        )
    if summary.audit_state != "none":
        about = summary.audit_why or summary.audit
        text = f": {about}" if about is not None else ""
        click.echo(f"audit {summary.audit_state}{text}")
    if ran:
        click.echo(
            f"{summary.seconds:.1f} s, {summary.rate:.0f} rows/s; "
            f"references: {summary.references_found} found, {summary.references_created} created"
        )


def shown_remedies(facts: Mapping[str, Any]) -> str:
    """Return the remedies in ``facts`` as commands, with the values of the other facts filled in."""
    return "; or ".join(in_commands(each, facts) for each in facts["remedies"])


def command_of(plan: JobPlan, folder: Path) -> str | None:
    """Return the command that resumes a job; None if a program started the job."""
    arguments = _arguments(plan)
    if arguments is None:
        return None
    folder, file = folder.absolute(), last_file(plan, folder)
    place = [] if folder in numbered_jobs(Path(f"{file}.job")) else [f"--job={folder}"]
    return shell_words("wosdk", "import", str(file), *arguments, *place, *_global_options(plan))


def rejects_of(folder: Path) -> Path:
    """Return the newest rejects file of a job folder: ``rejects.csv``, ``rejects-2.csv`` ..."""
    written = [each for each in folder.glob("rejects*.csv") if unnumbered(each).name == REJECTS]
    return max(written, key=lambda each: (len(each.name), each.name), default=folder / REJECTS)


def rejects_command(plan: JobPlan, rejects: Path) -> str | None:
    """Return the command that imports a job's corrected rejects; None if a program started the job."""
    arguments = _arguments(plan)
    if arguments is None:
        return None
    options = {each.partition("=")[0]: each for each in arguments}
    suffix = suffix_of(PurePath(plan.file), options.get("--format", "").partition("=")[2] or None)
    original = FORMATS.get(suffix, FORMATS[".csv"])
    is_json = "encoding" in original.options and "delimiter" not in original.options
    if is_json:  # rejects of JSON lines are always UTF-8
        options.pop("--encoding", None)
    kept = [text for name, text in options.items() if name not in _INPUT_ONLY]
    return shell_words("wosdk", "import", str(rejects.absolute()), *kept, *_global_options(plan))


def _arguments(plan: JobPlan) -> list[str] | None:
    arguments: Any = plan.options.get("command")
    return [str(each) for each in arguments] if isinstance(arguments, list) else None


def _global_options(plan: JobPlan) -> list[str]:
    shared: Any = plan.options.get("global")
    return [f"--{name}={value}" for name, value in shared.items()] if isinstance(shared, dict) else []


COMMAND_WORDS = ReportWords(in_commands, command_of, rejects_command)
"""``wosdk`` remedies and commands for the job report."""
