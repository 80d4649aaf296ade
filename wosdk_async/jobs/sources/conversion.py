"""Reader process, which runs with resource limits and without secrets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.readers.program import MAX_MESSAGE, STARTED, Limits, Order, lowered, not_started
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import one_line

P = ParamSpec("P")
T = TypeVar("T")

_MB = 1 << 20
_MEMORY = 1024 * _MB  # for any file, plus 32 times the file size
_MAX_MEMORY = 4096 * _MB  # the limit is half of the machine's memory if that is less
_MIN_MEMORY = 512 * _MB  # pyarrow does not start with less
_MAX_SIZE = 2048 * _MB
_CPU = 120  # seconds for any file, plus 20 s per MB
_MAX_CPU = 3600
_POLL = 0.05  # seconds
_MAX_REASON = 300  # bytes
# These settings keep pyarrow and glibc from reserving over 1 GB of address space, which counts as memory.
_LEAN = {"ARROW_IO_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}

_stopped: ContextVar[threading.Event | None] = ContextVar("stopped", default=None)


def limits_for(size: int) -> Limits:
    """Return the limits for a file of ``size`` bytes."""
    cpu = min(_CPU + 20 * size // _MB, _MAX_CPU)
    most = max(_MIN_MEMORY, min(_MAX_MEMORY, _machine_memory() // 2))
    return Limits(memory=min(_MEMORY + 32 * size, most), cpu=cpu, seconds=3 * cpu, size=_MAX_SIZE)


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return 2 * _MAX_MEMORY


def convert(module: str, path: Path, lines: IO[bytes], options: dict[str, Any], limits: Limits) -> None:
    """Have the reader ``module`` write a file's rows to ``lines``. Raise ImportMapError on failure."""
    if getattr(sys, "frozen", False) or not sys.executable:
        raise ImportMapError(
            f"{path}: this format needs a separate Python process, but this program has no Python "
            "interpreter; save the table as CSV"
        )
    limits = lowered(limits)
    order = Order(module, os.fspath(path), options, list(limits), os.getpid())
    with tempfile.TemporaryFile() as stderr:
        command = [sys.executable, "-P", "-s", "-m", "wosdk_async.readers", json.dumps(order)]
        try:
            child = subprocess.Popen(  # noqa: S603 -- our own interpreter and modules
                command, stdin=subprocess.DEVNULL, stdout=lines, stderr=stderr, env=_environment()
            )
        except OSError as error:
            raise ImportMapError(
                f"{path}: the Python at {sys.executable} cannot be started "
                f"({error.strerror}); repair the installation, or save the table as CSV"
            ) from error
        with child:
            try:
                _wait(child, path, limits.seconds)
            finally:
                child.kill()
        if child.returncode or not os.fstat(lines.fileno()).st_size:
            why, remedies = _reason(child.returncode, stderr, limits)
            raise ImportMapError(f"{path}: {why}", remedies=remedies)


def _environment() -> dict[str, str]:
    """Return the environment without credentials, proxy settings or Python settings."""
    environment = dict(os.environ)
    for name in os.environ:
        if name.startswith(("WOSDK_", "PYTHON")) or name.upper().endswith("_PROXY"):
            del environment[name]
    return environment | _LEAN | {"PYTHONPATH": os.pathsep.join(filter(os.path.isabs, sys.path))}


def _wait(child: subprocess.Popen[bytes], path: Path, seconds: float) -> None:
    stop = _stopped.get()
    end = time.monotonic() + seconds
    while True:
        remaining = end - time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(0.0, remaining if stop is None else min(remaining, _POLL)))
            return
        if stop is not None and stop.is_set():
            raise ImportMapError(f"{path}: reading was cancelled")
        if remaining <= 0:
            raise ImportMapError(f"{path}: reading took more than {seconds:,} s; save the table as CSV")


def _reason(status: int, stderr: IO[bytes], limits: Limits) -> tuple[str, tuple[Remedy, ...]]:
    """Return the reader's error message, or the probable cause."""
    stderr.seek(0)
    started = STARTED in stderr.read(MAX_MESSAGE)
    stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, stderr.tell() - MAX_MESSAGE))
    last = stderr.read().rstrip().rpartition(b"\n")[2]
    with contextlib.suppress(ValueError, TypeError, KeyError):
        message, remedy = json.loads(last)
        return str(message), (Remedy[remedy],) if remedy else ()
    if not started:
        return not_started("", one_line(last.decode(errors="replace")[:_MAX_REASON]) or _name(status)), ()
    if -status == getattr(signal, "SIGXCPU", None):
        return f"reading took more than {limits.cpu:,} s of CPU time; save the table as CSV", ()
    return (
        f"the reader was aborted ({_name(status)}): the file is damaged or needs more than "
        f"{limits.memory // _MB:,} MB of memory; delete stray cells far from the table, or save the table "
        "as CSV"
    ), ()


def _name(status: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(-status).name
    return f"exit status {status}"


async def off_the_loop(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a call in a thread. On cancellation, stop a conversion that the call has started."""
    stop = threading.Event()
    token = _stopped.set(stop)
    try:
        return await asyncio.to_thread(call, *args, **kwargs)
    finally:
        stop.set()
        _stopped.reset(token)
