"""What an import leaves behind: the outcomes file and the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO

import click

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import counted, json_text
from wosdk_async.jobs import RowOutcome, Summary

__all__ = ["OutcomeWriter", "print_summary"]

_MAX_SHOWN = 5  # rows and warnings that the summary names


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
        more = summary.failed + summary.in_doubt - len(self._bad_rows)
        remedy = f"see {outcomes}" if outcomes else "--outcomes FILE keeps them all"
        if more > 0:
            say(f"and {counted(more, 'more row')}; {remedy}")
        for warning in summary.warnings[:_MAX_SHOWN]:
            say(f"warning: {warning}")
        if len(summary.warnings) > _MAX_SHOWN:
            say(f"and {counted(len(summary.warnings) - _MAX_SHOWN, 'more warning')} of this kind")
        if count := summary.rows_with_warnings:
            say(f"{counted(count, 'row')} with warnings; {remedy}")


def print_summary(summary: Summary, as_json: bool) -> None:
    """Print the summary on stdout."""
    if as_json:
        click.echo(json_text(summary.as_dict()))
        return
    not_started = f", {summary.not_started} not started" if summary.not_started else ""
    empty = f"; {counted(summary.empty_rows, 'empty row')} skipped" if summary.empty_rows else ""
    click.echo(
        f"{counted(summary.rows, 'row')}: {summary.created} created, {summary.failed} failed, "
        f"{summary.in_doubt} in doubt{not_started}{empty}\n"
        f"{summary.seconds:.1f} s, {summary.rate:.0f} rows/s; "
        f"references: {summary.references_found} found, {summary.references_created} created"
    )
