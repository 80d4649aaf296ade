"""What an import leaves behind: the outcomes file, and the closing summary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO

import click

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.sanitize import counted, json_text
from wosdk_async.jobs import RowOutcome, Summary

__all__ = ["OutcomeWriter", "close"]

_SHOWN = 5  # rows and warnings that are named in the summary


class OutcomeWriter:
    """Writes one JSON line for each row as it ends, and keeps the first troubles for the summary.

    When a line cannot be written, ``stop`` is called: what is created without a line would be lost. The
    lines of the calls under way then go to stderr.
    """

    def __init__(self, file: IO[bytes] | None, stop: Callable[[], None]) -> None:
        self._file = file
        self._stop = stop
        self._aloud = False
        self._troubles: list[RowOutcome] = []

    def row(self, outcome: RowOutcome) -> None:
        """Take note of a row."""
        self._write(outcome)
        if outcome.outcome in ("failed", "in_doubt") and len(self._troubles) < _SHOWN:
            self._troubles.append(outcome)

    def _write(self, outcome: RowOutcome) -> None:
        line = json_text(outcome.as_dict())
        if self._file is not None:
            try:
                self._file.write(f"{line}\n".encode())
                return
            except OSError as error:
                say(f"the outcomes cannot be written ({error.strerror}): no further row is started")
                self._file, self._aloud = None, True
                self._stop()
        if self._aloud and outcome.outcome != "not_started":
            say(line)

    def tell(self, summary: Summary, outcomes: Path | None) -> None:
        """Name the first rows that did not become work orders, and the warnings."""
        for row in self._troubles:
            sent = f" (RequestId {row.request_id})" if row.request_id else ""
            say(f"row {row.row} (line {row.line}) {row.outcome.replace('_', ' ')}: {row.reason}{sent}")
        more = summary.failed + summary.in_doubt - len(self._troubles)
        where = f"see {outcomes}" if outcomes else "--outcomes FILE keeps them all"
        if more > 0:
            say(f"and {counted(more, 'more row')}; {where}")
        for warning in summary.warnings[:_SHOWN]:
            say(f"warning: {warning}")
        if len(summary.warnings) > _SHOWN:
            say(f"and {counted(len(summary.warnings) - _SHOWN, 'more warning')} of this kind")
        if count := summary.rows_with_warnings:
            say(f"{counted(count, 'row')} with warnings; {where}")


def close(summary: Summary, as_json: bool) -> None:
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
