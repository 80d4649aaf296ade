"""Changes to worker processes, for measurements: notes of each request, or workers that answer at once.

The processes are started by others, so they get the change by their environment: :func:`environment`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from wosdk_async.jobs.cluster import worker
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.messages import Order, Report, RowReport, Setup
from wosdk_async.jobs.cluster.worker import Worker
from wosdk_async.transport.http.engine import OnSending, Read, RequestHeaders, whole_response
from wosdk_async.transport.http.native.engine import NativeEngine

if sys.version_info >= (3, 12):
    from typing import override
else:
    from typing_extensions import override

__all__ = ["environment", "install", "sent", "under_way"]

_HOOK = Path(__file__).with_name("cluster_hook")
_RECORD = b"%20.6f\n"
_SIZE = 21  # bytes of a record, so that files can be counted without reading them


def environment(hook: str) -> dict[str, str]:
    """Return the variables with which a Python process, and those that it starts, installs a hook.

    ``instant`` is workers that answer at once, ``sent:FOLDER`` notes when each request was sent, and ended.
    """
    return {"CLUSTER_HOOK": hook, "PYTHONPATH": os.pathsep.join([str(_HOOK), str(_HOOK.parents[1])])}


def install(hook: str) -> None:
    """Install a hook in this process."""
    kind, _, folder = hook.partition(":")
    if kind == "instant":
        worker.Worker = _InstantWorker  # type: ignore[misc]  # a class is replaced
    else:
        _note_requests(Path(folder))


def sent(folder: Path) -> list[tuple[float, int]]:
    """Return when each request was sent by the boot clock, and by which process; in their order."""
    found = []
    for path in folder.glob("sent-*"):
        process = int(path.name.removeprefix("sent-"))
        found += [(float(line), process) for line in path.read_text().splitlines()]
    return sorted(found)


def under_way(folder: Path, process: int) -> int:
    """Return how many requests of a process have left and not ended; certain while the process is stopped."""
    return _records(folder / f"sent-{process}") - _records(folder / f"ended-{process}")


def _records(path: Path) -> int:
    try:
        return path.stat().st_size // _SIZE
    except FileNotFoundError:
        return 0


def _note_requests(folder: Path) -> None:
    """Let this process write when the first byte of every request to a Company leaves, and when it ended."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    sent, ended = (os.open(folder / f"{kind}-{os.getpid()}", flags) for kind in ("sent", "ended"))
    send = NativeEngine.send

    async def noted(
        self: NativeEngine,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,
        read: Read = whole_response,
    ) -> Any:
        if "/api/v1/" not in url:  # log-ins and look-ups of the host are no calls of the Company
            return await send(self, method, url, headers, body, on_sending, repeat_safe, read)
        times = 0

        def note() -> None:
            nonlocal times
            on_sending()
            times += 1
            os.write(sent, _RECORD % boottime())

        try:
            return await send(self, method, url, headers, body, note, repeat_safe, read)
        finally:
            os.write(ended, _RECORD % boottime() * times)

    NativeEngine.send = noted  # type: ignore[method-assign]  # a method is replaced


class _InstantWorker(Worker):
    """Worker that carries out every row at once, without a service.

    ``override`` lets mypy say when a method of the worker has another name.
    """

    def __init__(self, setup: Setup, **_: Any) -> None:  # noqa: ARG002 - the worker's name
        self.nonce = os.urandom(16).hex()
        self._drained = False
        self._results: list[RowReport] = []
        self._number = self._epoch = self._session = 0

    @override
    async def exchange(self, order: Order) -> Report:
        """Return a result for each row of the new grants."""
        if order.worker == self.nonce:
            self._obey(order)
        return Report(
            worker=self.nonce,
            clock=boottime(),
            results=tuple(self._results),
            share=order.share.number,
            session=self._session,
        )

    @override
    def _obey(self, order: Order) -> None:
        self._results = [each for each in self._results if each.number > order.received]
        if order.session is not None:
            self._session = order.session.number
        for grant in order.grants:
            if grant.epoch > self._epoch:
                self._epoch = grant.epoch
                self._results += [self._result(grant.epoch, row.row) for row in grant.rows]

    def _result(self, epoch: int, row: int) -> RowReport:
        self._number += 1
        return RowReport(
            number=self._number,
            epoch=epoch,
            row=row,
            result="done",
            entity="WorkOrder",
            id=1_000_000 + row,
            record=f"W{row}",
            version=1,
            attempts=1,
            seconds=0.001,
        )

    @override
    def drain(self) -> None:
        """End at once: nothing is under way."""
        self._drained = True

    @property
    @override
    def is_drained(self) -> bool:
        """Whether it was asked to drain."""
        return self._drained

    @override
    async def end(self) -> list[RowReport]:
        """Return what was not confirmed."""
        return self._results

    @override
    async def aclose(self) -> None:
        """Nothing is open."""
