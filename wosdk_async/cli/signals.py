"""SIGTERM and SIGHUP as Ctrl-C, and the stop of a run that lets calls in flight end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any

__all__ = ["INTERRUPTION", "StopSignals"]


class Interruption:
    """The first SIGTERM or SIGHUP, if any."""

    def __init__(self) -> None:
        self._first: int | None = None

    @property
    def status(self) -> int:
        """The exit status by the convention of shells: 130 for Ctrl-C."""
        return 128 + (self._first or signal.SIGINT)

    def handle(self) -> None:
        """Treat SIGTERM and SIGHUP as Ctrl-C from now on, unless nohup ignores them."""
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._interrupt)

    def exit_at_once(self, status: Any) -> None:
        """Let Ctrl-C end the process at once: the command has ended, and Python waits for threads."""
        signal.signal(signal.SIGINT, lambda *_: os._exit(status if isinstance(status, int) else 0))

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._first = self._first or number
        handler = signal.getsignal(signal.SIGINT)  # during calls that of the event loop
        (handler if callable(handler) else signal.default_int_handler)(number, frame)


INTERRUPTION = Interruption()


# Seconds for calls in flight after the signal; docker kills a container 10 s after SIGTERM.
_GRACE = {signal.SIGINT: 30.0, signal.SIGTERM: 6.0}
if hasattr(signal, "SIGHUP"):  # Windows has none
    _GRACE[signal.SIGHUP] = 6.0
_SPARE = 0.8  # seconds of the grace, reserved for the files


class StopSignals:
    """Signals that stop a run; ``status`` is the exit status of the first one, None without any.

    Args:
        stop: called by the first signal, and to abort calls by a second one or when the grace ends.
        grace: seconds after which the run itself aborts the calls; None: those of the signal.
    """

    def __init__(self, stop: Callable[[], None], *, grace: float | None = None) -> None:
        self.status: int | None = None
        self._stop, self._grace = stop, grace

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signals within the block."""
        loop = asyncio.get_running_loop()
        with ExitStack() as handlers:
            # Windows has no such handlers: Ctrl-C cancels the run, which still waits for its calls.
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
            say(f"stopping: calls in flight get {grace:.0f} s, {again}")
            if self._grace is None:
                asyncio.get_running_loop().call_later(grace - ABORT_GRACE - _SPARE, self._stop)
        self._stop()
