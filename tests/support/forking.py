"""A forked child of the test process."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable


def status_of_child(check: Callable[[], object]) -> int:
    """Return the exit status of a forked child: 0 if ``check`` is true there, 1 if false, 2 if it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # since Python 3.12, about threads
        child = os.fork()
    if child == 0:
        signal.alarm(10)  # ends a child that deadlocks
        try:
            os._exit(0 if check() else 1)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
