"""Progress of a reading of unknown length, on stderr: a counter on a terminal, else a line at times."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from wosdk_async.cli.exits import say
from wosdk_async.cli.options import Output

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
            print(f"\r{self.rows} rows", end="", file=sys.stderr, flush=True)
        elif self._plain and time.monotonic() - self._said >= _EVERY:
            self._said = time.monotonic()
            say(f"{self.rows} rows so far")

    def close(self) -> None:
        """Say how many there were."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        if self._live or self._plain:
            say(f"{self.rows} rows in {time.monotonic() - self._started:.1f} s")


@contextmanager
def counting(output: Output, *, shown: bool) -> Iterator[Counter]:
    """A counter that suits stderr, silent unless ``shown``; not live on a terminal that shows the rows."""
    rows_on_terminal = output.path is None and sys.stdout.isatty()
    live = shown and sys.stderr.isatty() and not rows_on_terminal
    counter = Counter(live=live, plain=shown and not live)
    try:
        yield counter
    finally:
        counter.close()
