"""Progress of a reading of unknown length, on stderr: a counter on a terminal, else a line at times."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.options import Output
from wosdk_async.cli.output.sanitize import counted

__all__ = ["Counter", "counting"]

_EVERY = 5.0  # seconds between two plain lines


class Counter:
    """Counts rows; ``live`` draws the count over itself, ``plain`` says it now and then."""

    def __init__(self, *, live: bool, plain: bool) -> None:
        self.rows = 0
        self._live = live
        self._plain = plain
        self._started = self._said = time.monotonic()

    def add(self, rows: int) -> None:
        """Take note of ``rows`` more."""
        self.rows += rows
        if self._live:
            print(f"\r{counted(self.rows, 'row')}", end="", file=sys.stderr, flush=True)
        elif self._plain and time.monotonic() - self._said >= _EVERY:
            self._said = time.monotonic()
            say(f"{counted(self.rows, 'row')} so far")

    def clear(self) -> None:
        """Take away the count that is drawn on a terminal."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Say how many there were."""
        self.clear()
        if self.rows and (self._live or self._plain):
            say(f"{counted(self.rows, 'row')} in {time.monotonic() - self._started:.1f} s")


@contextmanager
def counting(output: Output, *, shown: bool) -> Iterator[Counter]:
    """A counter that suits stderr, silent unless ``shown``; not live on a terminal that shows the rows."""
    rows_on_terminal = output.path is None and sys.stdout.isatty()
    live = shown and sys.stderr.isatty() and not rows_on_terminal
    counter = Counter(live=live, plain=shown and not live)
    try:
        yield counter
    except BrokenPipeError:  # the reader went away in the middle of a page: no count would be true
        counter.clear()
        raise
    except BaseException:
        counter.close()
        raise
    counter.close()
