"""Progress of long commands on stderr: a bar on a terminal, otherwise occasional lines."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from wosdk_async.cli.exit_codes import is_verbose, say
from wosdk_async.cli.texts import counted, visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_IDLE = 10.0  # seconds without progress before a line reports it
_PACE_LINES = 7  # the pace is measured over this many progress lines, which take half a minute


class RowProgress:
    """Context manager that counts rows on stderr, and shows a ``final`` count if ``total`` is unknown.

    ``done`` is the number of rows that earlier runs completed. ``live`` draws a bar (default: if stderr is a
    terminal). ``workers`` returns the number of responding workers, or None if the rows are sent without
    workers.
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
        workers: Callable[[], int | None] = lambda: None,
        settle: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rows = done
        self._workers, self._settle, self._clock = workers, settle, clock
        self._had_workers = False
        self._total = total
        self._shown = shown
        self._final = final and shown
        self._interval = interval
        self._bar: Progress | None = None
        if shown and (sys.stderr.isatty() if live is None else live) and not is_verbose():
            self._bar, self._task = _bar(total, done)
        self._started = self._said_at = self._moved_at = clock()
        self._detail = ""
        self._carried_out = 0
        self._lines: deque[tuple[float, int, int]] = deque(maxlen=_PACE_LINES)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        # If the reader of stdout went away, no count is printed: it would include rows that were not written.
        if self._total is None and self._final and self.rows and kind is not BrokenPipeError:
            say(f"{counted(self.rows, 'row')} in {self._clock() - self._started:.1f} s")

    def stage(self, text: str) -> None:
        """Show the current activity."""
        self._said_at = self._moved_at = self._clock()
        self._lines.clear()  # each stage has its own pace
        if self._bar is not None:
            from rich.text import Text

            # A Text, because rich interprets markup and emoji codes in a str.
            self._bar.console.print(Text(visible(text)))
        else:
            say(text)

    def add(self, rows: int, detail: str = "", *, failed: bool = False) -> None:
        """Add ``rows`` to the count, and show ``detail`` after it.

        Rows counted as ``failed`` may never have been sent, so no rate is shown if all rows failed.
        """
        self.rows += rows
        self._carried_out += 0 if failed else rows
        self._detail, self._moved_at = detail, self._clock()
        if self._bar is not None:
            count = "" if self._total is not None else counted(self.rows, "row")
            self._bar.update(self._task, advance=rows, detail=count or detail)
        elif self._shown and self._moved_at - self._said_at >= self._interval:
            self._say_count()

    def idle(self) -> None:
        """Report a lack of progress, if any. Call this about once per second."""
        seconds = self._clock() - self._moved_at
        if not self._shown or seconds < _IDLE:
            return
        idle = f"no progress for {seconds:.0f} s"
        if self._settle is not None:  # the wait before a look-up would look like a hang
            idle += f" (a row without a response is looked up after {self._settle:.0f} s)"
        self._lines.clear()
        if self._bar is not None:
            self._bar.update(self._task, detail=", ".join(filter(None, (self._detail, idle))))
        elif self._clock() - self._said_at >= _IDLE:
            self._say_count(idle)

    def _say_count(self, idle: str = "") -> None:
        self._said_at = self._clock()
        if self._total is None:
            say(f"{counted(self.rows, 'row')} so far")
            return
        news = [idle] if idle else self._pace(self._total)
        if (workers := self._workers()) is not None:
            self._had_workers |= workers > 0
            if self._had_workers:  # before the first response, all workers are still starting
                news.append(counted(workers, "worker") if workers else "no worker responds")
        done = f"{self.rows} of {counted(self._total, 'row')}{self._detail and f', {self._detail}'}"
        say("; ".join(filter(None, (done, ", ".join(news)))))

    def _pace(self, total: int) -> list[str]:
        """Return the rate, measured over the last few progress lines, and the remaining time."""
        # Only the last lines count, because rows of an earlier run come first, and need no call.
        self._lines.append((self._clock(), self.rows, self._carried_out))
        seconds, rows, carried_out = (
            now - then for now, then in zip(self._lines[-1], self._lines[0], strict=True)
        )
        if seconds < 1 or not carried_out:
            return []
        left = round(max(total - self.rows, 0) * seconds / rows)
        return [f"{rows / seconds:.3g} rows/s", f"about {left // 60}:{left % 60:02} min left"]


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
