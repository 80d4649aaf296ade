"""Ctrl-C, SIGTERM and SIGHUP while a command changes something: calls under way get time to end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from wosdk_async.cli.exit_codes import say
from wosdk_async.jobs.stop import ABORT_GRACE

__all__ = ["StopSignals"]

# Seconds that calls under way get after the signal; docker kills a container 10 s after SIGTERM.
_GRACE = {signal.SIGINT: 30.0, signal.SIGTERM: 6.0}
if hasattr(signal, "SIGHUP"):  # Windows has none
    _GRACE[signal.SIGHUP] = 6.0
_SPARE = 0.8  # seconds of the grace that are left for the files


class StopSignals:
    """Signals that stop a run; ``status`` is the exit status of the first one, None without any.

    Args:
        stop: called by the first signal; and by a second one, or when the grace ends, to abort the calls.
        grace: seconds after which the run itself aborts the calls; None means those of the signal.
        on_first: called with the exit status at the first signal.
    """

    def __init__(
        self,
        stop: Callable[[], None],
        *,
        grace: float | None = None,
        on_first: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.status: int | None = None
        self._stop, self._grace, self._on_first = stop, grace, on_first

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signals within the block."""
        loop = asyncio.get_running_loop()
        with ExitStack() as handlers:
            # Windows has no such handlers: there Ctrl-C cancels the run, which still waits for its calls.
            with suppress(NotImplementedError):
                for number in _GRACE:
                    loop.add_signal_handler(number, self._handle, number)
                    handlers.callback(loop.remove_signal_handler, number)
            yield

    def _handle(self, number: signal.Signals) -> None:
        if self.status is None:
            self.status = 128 + number
            self._on_first(self.status)
            again = "Ctrl-C again aborts them" if number == signal.SIGINT else "then they are aborted"
            grace = self._grace or _GRACE[number]
            say(f"stopping: calls under way get {grace:.0f} s, {again}")
            if self._grace is None:
                asyncio.get_running_loop().call_later(grace - ABORT_GRACE - _SPARE, self._stop)
        self._stop()
