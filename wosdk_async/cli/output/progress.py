"""Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import Protocol, Self

from wosdk_async.cli.exit_codes import one_line, say
from wosdk_async.cli.output.sanitize import counted
from wosdk_async.jobs import RowOutcome

__all__ = ["Display", "display"]

_EVERY = 5.0  # seconds between two plain lines


class Display(Protocol):
    """What an import shows while it runs; a context manager."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def stage(self, text: str) -> None:
        """Say what is being done."""

    def row(self, outcome: RowOutcome) -> None:
        """Count a row that has ended."""


def display(rows: int) -> Display:
    """The display that suits stderr."""
    return _Bar(rows) if sys.stderr.isatty() else _Lines(rows)


def _counts(counts: Counter[str]) -> str:
    troubles = ("failed", "in_doubt", "not_started")
    return "".join(f", {counts[name]} {name.replace('_', ' ')}" for name in troubles if counts[name])


class _Lines:
    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._counts: Counter[str] = Counter()
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def stage(self, text: str) -> None:
        say(text)

    def row(self, outcome: RowOutcome) -> None:
        self._counts[outcome.outcome] += 1
        if time.monotonic() - self._said >= _EVERY:
            self._said = time.monotonic()
            say(f"{self._counts.total()} of {counted(self._rows, 'row')}{_counts(self._counts)}")


class _Bar:
    def __init__(self, rows: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[troubles]}", style="red", markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task("work orders", total=rows, troubles="")
        self._counts: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def stage(self, text: str) -> None:
        self._progress.console.print(one_line(text), markup=False, highlight=False)

    def row(self, outcome: RowOutcome) -> None:
        self._counts[outcome.outcome] += 1
        self._progress.update(self._task, advance=1, troubles=_counts(self._counts).removeprefix(", "))
