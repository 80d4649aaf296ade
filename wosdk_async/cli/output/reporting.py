"""Reports of long commands: progress on stderr, and the outcomes and summary of an import."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

import attrs
import click

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.options import is_verbose
from wosdk_async.cli.output.cells import counted, json_text, visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from wosdk_async.jobs import RowOutcome, Summary

__all__ = ["OutcomeWriter", "RowProgress", "print_summary", "say_files", "say_kept"]

_MAX_SHOWN = 5  # rows and warnings that the summary names


# --- progress -------------------------------------------------------------------------------


class RowProgress:
    """A context manager that counts rows on stderr: drawn on a terminal, otherwise a line now and then.

    Args:
        total: how many rows there will be; None when that is not known, then the final count is shown.
        done: how many of them an earlier run has ended.
        shown: whether anything is shown at all.
        live: whether there is a terminal to draw on; by default whether stderr is one.
        final: whether the final count of an unknown total is shown.
        interval: seconds between two lines when nothing is drawn.
    """

    def __init__(
        self,
        total: int | None = None,
        *,
        done: int = 0,
        shown: bool = True,
        live: bool | None = None,
        final: bool = True,
        interval: float = 5.0,
    ) -> None:
        self.rows = done
        self._total = total
        self._shown = shown
        self._final = final and shown
        self._interval = interval
        self._bar: Progress | None = None
        if shown and (sys.stderr.isatty() if live is None else live) and not is_verbose():
            self._bar, self._task = _bar(total, done)
        self._started = self._said_at = time.monotonic()

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        # When the reader of stdout has gone away in the middle of a page, no count would be true.
        if self._total is None and self._final and self.rows and kind is not BrokenPipeError:
            say(f"{counted(self.rows, 'row')} in {time.monotonic() - self._started:.1f} s")

    def stage(self, text: str) -> None:
        """Say what is being done."""
        if self._bar is not None:
            self._bar.console.print(visible(text), markup=False, highlight=False)
        else:
            say(text)

    def add(self, rows: int, detail: str = "") -> None:
        """Count ``rows`` more; ``detail`` is shown behind the count."""
        self.rows += rows
        if self._bar is not None:
            count = "" if self._total is not None else counted(self.rows, "row")
            self._bar.update(self._task, advance=rows, detail=count or detail)
        elif self._shown and time.monotonic() - self._said_at >= self._interval:
            self._said_at = time.monotonic()
            if self._total is None:
                say(f"{counted(self.rows, 'row')} so far")
            else:
                say(f"{self.rows} of {counted(self._total, 'row')}{detail and f', {detail}'}")


def _bar(total: int | None, done: int) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    detail = TextColumn("{task.fields[detail]}", style="red" if total is not None else "", markup=False)
    console = Console(stderr=True)
    if total is None:
        bar = Progress(detail, console=console, transient=True)
    else:
        name = TextColumn("{task.description}", markup=False)
        bar = Progress(
            name, BarColumn(), MofNCompleteColumn(), detail, TimeRemainingColumn(), console=console
        )
    return bar, bar.add_task("rows", total=total, completed=done, detail="")


# --- an import ------------------------------------------------------------------------------


class OutcomeWriter:
    """Writes one JSON line for each row as it ends, and keeps the first bad rows for the summary.

    When a line cannot be written, ``stop`` is called, because work orders without a line would be lost. The
    lines of the calls under way then go to stderr.
    """

    def __init__(self, file: IO[bytes] | None, stop: Callable[[], None]) -> None:
        self._file = file
        self._stop = stop
        self._to_stderr = False
        self._bad_rows: list[RowOutcome] = []
        self._counts: Counter[str] = Counter()
        self._warned = 0

    @property
    def problems(self) -> str:
        """The counts of rows that did not become work orders, such as ``3 failed, 1 in doubt``."""
        kinds = ("failed", "in_doubt", "not_started")
        return ", ".join(
            f"{self._counts[kind]} {kind.replace('_', ' ')}" for kind in kinds if self._counts[kind]
        )

    def row(self, outcome: RowOutcome) -> None:
        """Write the outcome of a row."""
        self._write(outcome)
        self._counts[outcome.outcome] += 1
        self._warned += bool(outcome.warnings)
        if outcome.outcome in ("failed", "in_doubt") and len(self._bad_rows) < _MAX_SHOWN:
            self._bad_rows.append(outcome)

    def _write(self, outcome: RowOutcome) -> None:
        line = json_text(outcome.as_dict())
        if self._file is not None:
            try:
                self._file.write(f"{line}\n".encode())
                return
            except OSError as error:
                say(f"the outcomes cannot be written ({error.strerror}): no further row is started")
                self._file, self._to_stderr = None, True
                self._stop()
        if self._to_stderr and outcome.outcome != "not_started":
            say(line)

    def say_problems(self, summary: Summary, outcomes: Path | None) -> None:
        """Name the first rows that did not become work orders, and the warnings, on stderr."""
        for row in self._bad_rows:
            sent = f" (RequestId {row.request_id})" if row.request_id else ""
            say(f"row {row.row} (line {row.line}) {row.outcome.replace('_', ' ')}: {row.reason}{sent}")
        more = self._counts["failed"] + self._counts["in_doubt"] - len(self._bad_rows)
        results = summary.folder / "results.csv" if summary.folder else None
        place = outcomes or (results if results and results.is_file() else None)
        remedy = f"see {place}" if place else "--outcomes FILE keeps them all"
        if more > 0:  # of this run: those of earlier ones were named before
            say(f"and {counted(more, 'more row')}; {remedy}")
        for warning in summary.warnings[:_MAX_SHOWN]:
            say(f"warning: {warning}")
        if len(summary.warnings) > _MAX_SHOWN:
            say(f"and {counted(len(summary.warnings) - _MAX_SHOWN, 'more warning')} of this kind")
        if self._warned:
            say(f"{counted(self._warned, 'row')} with warnings; {remedy}")
        for record in summary.unwritten:
            known = attrs.asdict(record, filter=lambda _, value: value not in (None, (), 0, 0.0))
            say(f"not in the journal: {json_text(known | {'state': record.state.name})}")
        if summary.stopped:
            say(f"stopped: {summary.stopped}")
        left = summary.not_started + summary.waiting
        if left and summary.folder is not None:
            say(f"the same command goes on with the {counted(left, 'row')} not sent")


_FILES = {
    "results.csv": "what became of each row",
    "rejects.csv": "rows to correct and import",
    "in_doubt.csv": "rows in doubt, for wosdk jobs settle",
    "references.csv": "records that rows refer to",
    "report.html": "report",
}


def say_files(summary: Summary) -> None:
    """Say where the files are, on stderr."""
    from wosdk_async.jobs.output_folder import unnumbered

    for path in summary.files:
        if what := _FILES.get(unnumbered(path).name):
            say(f"{what}: {path}")
    say_kept(summary.files)


def say_kept(files: Sequence[Path]) -> None:
    """Say which files were not written because somebody has changed them, on stderr."""
    from wosdk_async.jobs.output_folder import unnumbered

    for path in files:
        if (kept := unnumbered(path)) != path:
            say(f"{kept} was changed since it was written, and stays as it is; {path.name} is the new one")


def print_summary(summary: Summary, as_json: bool, *, ran: bool = True) -> None:
    """Print the summary on stdout; the figures of the run only if it did anything."""
    if as_json:
        click.echo(json_text(summary.as_dict()))
        return
    not_started = f", {summary.not_started} not started" if summary.not_started else ""
    found = f", {summary.found} found" if summary.found else ""
    done = f"{summary.done} {summary.label}" + (f" ({summary.undone} undone)" if summary.undone else "")
    empty = f"; {counted(summary.empty_rows, 'empty row')} skipped" if summary.empty_rows else ""
    click.echo(
        f"{counted(summary.rows, 'row')}: {done}{found}, {summary.failed} failed, "
        f"{summary.in_doubt} in doubt{not_started}{empty}"
    )
    if summary.audit_state != "none":
        found = f": {summary.audit}" if summary.audit is not None else ""
        click.echo(f"audit {summary.audit_state}{found}")
    if ran:
        click.echo(
            f"{summary.seconds:.1f} s, {summary.rate:.0f} rows/s; "
            f"references: {summary.references_found} found, {summary.references_created} created"
        )
