"""Progress on stderr: drawn by rich on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import counted, visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["RowProgress"]

_INTERVAL = 5.0  # seconds between two plain lines


class RowProgress:
    """A context manager that counts rows.

    Args:
        total: how many rows there will be; None when that is not known, then the final count is shown.
        shown: whether anything is shown at all.
        live: whether a terminal is free to be drawn on; by default whether stderr is one.
    """

    def __init__(self, total: int | None = None, *, shown: bool = True, live: bool | None = None) -> None:
        self.rows = 0
        self._total = total
        self._shown = shown
        self._bar: Progress | None = None
        if shown and (sys.stderr.isatty() if live is None else live):
            self._bar, self._task = _bar(total)
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
        if self._total is None and self._shown and self.rows and kind is not BrokenPipeError:
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
        elif self._shown and time.monotonic() - self._said_at >= _INTERVAL:
            self._said_at = time.monotonic()
            if self._total is None:
                say(f"{counted(self.rows, 'row')} so far")
            else:
                say(f"{self.rows} of {counted(self._total, 'row')}{detail and f', {detail}'}")


def _bar(total: int | None) -> tuple[Progress, TaskID]:
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
    return bar, bar.add_task("work orders", total=total, detail="")
