"""SIGTERM and SIGHUP handled like Ctrl-C, and a graceful stop for runs."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any


class Interruption:
    """The first SIGTERM or SIGHUP received, if any."""

    def __init__(self) -> None:
        self._first: int | None = None

    @property
    def status(self) -> int:
        """The exit status by shell convention, such as 130 for Ctrl-C."""
        return 128 + (self._first or signal.SIGINT)

    def handle(self) -> None:
        """Handle SIGTERM and SIGHUP like Ctrl-C from now on, unless they are ignored, as with nohup."""
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._interrupt)

    def let_interrupt_exit(self, status: Any) -> None:
        """Let the next Ctrl-C end the process immediately, while Python waits for threads at exit."""
        signal.signal(signal.SIGINT, lambda *_: os._exit(status if isinstance(status, int) else 0))

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._first = self._first or number
        handler = signal.getsignal(signal.SIGINT)  # during calls, this is the event loop's handler
        (handler if callable(handler) else signal.default_int_handler)(number, frame)


INTERRUPTION = Interruption()


# Seconds that calls in flight get after the signal. SIGTERM gives few, because Docker kills a container 10 s
# later.
_GRACE = {signal.SIGINT: 30.0, signal.SIGTERM: 6.0}
if hasattr(signal, "SIGHUP"):  # Windows has none
    _GRACE[signal.SIGHUP] = 6.0
_SPARE = 0.8  # seconds of the grace period reserved for writing files


class StopSignals:
    """Signal handling that stops a run; ``status`` is the first signal's exit status, or None.

    The first signal calls ``stop``. A second signal, or the end of the grace period, calls ``stop`` again,
    which aborts calls in flight. If ``grace`` is given, the run itself aborts them after ``grace`` seconds.
    """

    def __init__(self, stop: Callable[[], None], *, grace: float | None = None) -> None:
        self.status: int | None = None
        self._stop, self._grace = stop, grace

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signals within the block."""
        loop = asyncio.get_running_loop()
        with ExitStack() as handlers:
            # Windows has no such handlers, so Ctrl-C cancels the run, which still waits for calls in flight.
            with suppress(NotImplementedError):
                for number in _GRACE:
                    loop.add_signal_handler(number, self._handle, number)
                    handlers.callback(loop.remove_signal_handler, number)
            yield

    def _handle(self, number: signal.Signals) -> None:
        from wosdk_async.cli.exit_codes import say
        from wosdk_async.jobs.stop import ABORT_GRACE

        if self.status is None:
            self.status = 128 + number
            again = "Ctrl-C again aborts them" if number == signal.SIGINT else "then they are aborted"
            grace = self._grace or _GRACE[number]
            say(f"stopping: calls in flight get {grace:.0f} s; {again}")
            if self._grace is None:
                asyncio.get_running_loop().call_later(grace - ABORT_GRACE - _SPARE, self._stop)
        self._stop()
