"""Changes to worker processes, for measurements: the time of each request, or workers that answer at once.

The processes are started by others, so they get the change by their environment: :func:`environment`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from wosdk_async.jobs.cluster import worker
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.messages import Order, Report, RowReport, Setup
from wosdk_async.transport.http.native.engine import NativeEngine

__all__ = ["environment", "install", "sent"]

_HOOK = Path(__file__).with_name("cluster_hook")


def environment(hook: str) -> dict[str, str]:
    """Return the variables with which a Python process, and those that it starts, installs a hook.

    ``instant`` is workers that answer at once, ``sent:FOLDER`` notes when each request was sent.
    """
    return {"CLUSTER_HOOK": hook, "PYTHONPATH": os.pathsep.join([str(_HOOK), str(_HOOK.parents[1])])}


def install(hook: str) -> None:
    """Install a hook in this process."""
    kind, _, folder = hook.partition(":")
    if kind == "instant":
        worker.Worker = _InstantWorker  # type: ignore[misc,assignment]
    else:
        _note_requests(Path(folder) / f"sent-{os.getpid()}")


def sent(folder: Path) -> list[tuple[float, int]]:
    """Return when each request was sent by the boot clock, and by which process; in their order."""
    found = []
    for path in folder.glob("sent-*"):
        process = int(path.name.removeprefix("sent-"))
        found += [(float(line), process) for line in path.read_text().splitlines()]
    return sorted(found)


def _note_requests(path: Path) -> None:
    """Let this process write the time of the first byte of every request to a Company."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    send = NativeEngine.send

    def noted(self: Any, method: str, url: str, headers: Any, body: Any, on_sending: Any, *more: Any) -> Any:
        def note() -> None:
            on_sending()
            os.write(file, b"%.6f\n" % boottime())

        # Log-ins and look-ups of the host are no calls of the Company.
        return send(self, method, url, headers, body, note if "/api/v1/" in url else on_sending, *more)

    NativeEngine.send = noted  # type: ignore[method-assign,assignment]


class _InstantWorker:
    """Worker that carries out every row at once, without a service."""

    def __init__(self, _: Setup) -> None:
        self.nonce = os.urandom(16).hex()
        self._results: list[RowReport] = []
        self._number = self._epoch = self._session = 0

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

    async def end(self) -> list[RowReport]:
        """Return what was not confirmed."""
        return self._results

    async def aclose(self) -> None:
        """Nothing is open."""
