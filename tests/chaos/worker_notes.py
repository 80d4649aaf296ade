"""Records that worker processes write about their requests, by their boot clocks (Linux).

They show when a request is under way: killing an idle worker proves nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.cluster.leases import boottime
from wosdk_async.transport.http.engine import Request
from wosdk_async.transport.http.native.engine import NativeEngine

WINDOW = 10.0  # seconds
_RECORD = b"%20.6f\n"
_SIZE = 21  # bytes of a record, so that records are counted without reading the file
_AGAIN = 0.004  # seconds between two attempts to stop a worker
_LONGEST = 20.0  # seconds for all attempts


def environment(folder: Path) -> dict[str, str]:
    """Return the variables that make Dask workers record their requests in a folder."""
    return {"CLUSTER_NOTES": str(folder), "DASK_DISTRIBUTED__WORKER__PRELOAD": __name__}


def dask_setup(_: object) -> None:
    """Install the records in a Dask worker that preloads this module."""
    install()


def install() -> None:
    """Make this process record when the first byte of each request to a Company leaves, and when it ends."""
    folder = Path(os.environ["CLUSTER_NOTES"])
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    sent, ended = (os.open(folder / f"{kind}-{os.getpid()}", flags) for kind in ("sent", "ended"))
    send = NativeEngine.send

    async def noted(self: NativeEngine, request: Request) -> Any:
        if "/api/v1/" not in request.url:  # log-ins and host look-ups are not calls to the Company
            return await send(self, request)
        times = 0

        def note() -> None:
            nonlocal times
            request.on_sending()
            times += 1
            os.write(sent, _RECORD % boottime())

        try:
            return await send(self, attrs.evolve(request, on_sending=note))
        finally:
            os.write(ended, _RECORD % boottime() * times)

    NativeEngine.send = noted  # type: ignore[method-assign]  # a method is replaced


def sent(folder: Path) -> list[tuple[float, int]]:
    """Return the boot time and process of each request, in order."""
    found = []
    for path in folder.glob("sent-*"):
        process = int(path.name.removeprefix("sent-"))
        found += [(float(line), process) for line in path.read_text().splitlines()]
    return sorted(found)


def highest_excess(requests: Sequence[tuple[float, int]], rate: float) -> tuple[int, float]:
    """Return the maximum number of requests in 10 s, and the maximum beyond 10 times the rate.

    One request of each sender does not count as excess: a sender may always send one, however small its
    share.
    """
    senders: Counter[int] = Counter()
    first = fullest = 0
    most = -WINDOW * rate
    for number, (at, sender) in enumerate(requests):
        senders[sender] += 1
        while requests[first][0] <= at - WINDOW:
            senders[requests[first][1]] -= 1
            first += 1
        fullest = max(fullest, number + 1 - first)
        most = max(most, number + 1 - first - sum(count > 0 for count in senders.values()) - WINDOW * rate)
    return fullest, most


async def stop_at_work(folder: Path, workers: Callable[[], Collection[int]]) -> int | None:
    """Stop a worker with SIGSTOP while it has a request under way, and return its process id.

    ``workers`` returns the process ids to try, in order. Return None if no worker had a request under way for
    a while.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST):
            while True:
                for process in workers():
                    if _under_way(folder, process) and _stopped_at_work(folder, process):
                        return process
                await asyncio.sleep(_AGAIN)
    return None


def _stopped_at_work(folder: Path, process: int) -> bool:
    try:
        os.kill(process, signal.SIGSTOP)
        while (state := _state(process)) != "T":  # stopping takes some microseconds
            if state in "ZX":
                return False
    except (ProcessLookupError, FileNotFoundError):
        return False
    if _under_way(folder, process):
        return True
    os.kill(process, signal.SIGCONT)
    return False


def _state(process: int) -> str:
    """Return the letter of a process's state, see proc(5)."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def _under_way(folder: Path, process: int) -> int:
    """Return the number of requests that have left and not ended; exact while the process is stopped."""
    return _records(folder / f"sent-{process}") - _records(folder / f"ended-{process}")


def _records(path: Path) -> int:
    try:
        return path.stat().st_size // _SIZE
    except FileNotFoundError:
        return 0
