"""How signals end a command: SIGTERM and SIGHUP as Ctrl-C does, each with an exit status of its own."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["INTERRUPTION", "without_cancelled_calls"]


class Interruption:
    """The first signal that interrupted the command, if one other than Ctrl-C did."""

    def __init__(self) -> None:
        self._first: int | None = None

    @property
    def status(self) -> int:
        """The exit status that shells give a program that the signal ended: 130 for Ctrl-C."""
        return 128 + (self._first or signal.SIGINT)

    def handle(self) -> None:
        """Treat SIGTERM and SIGHUP as Ctrl-C from now on; one that is ignored, as nohup does, stays so."""
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._interrupt)

    def exit_at_once(self, status: Any) -> None:
        """Let signals end the process from now on: the command has ended, and Python waits for threads."""
        signal.signal(signal.SIGINT, lambda *_: os._exit(status if isinstance(status, int) else 0))

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._first = self._first or number
        handler = signal.getsignal(signal.SIGINT)  # while calls are under way it is that of the event loop
        (handler if callable(handler) else signal.default_int_handler)(number, frame)


INTERRUPTION = Interruption()


@contextmanager
def without_cancelled_calls() -> Iterator[None]:
    """Do not log that a call was cancelled and is in doubt: the command reports it in its own words."""
    from wosdk_async.transport.dispatcher import report_in_doubt

    def keep(record: logging.LogRecord) -> bool:
        return record.funcName != report_in_doubt.__name__

    logger = logging.getLogger("wosdk_async")
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)
