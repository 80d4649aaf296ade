"""Workers in the test's own process, which can be lost, silenced and found again."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from wosdk_async import Company
from wosdk_async.codec import converter, loads
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.cluster.leases import boottime
from wosdk_async.jobs.cluster.messages import (
    GrantedRow,
    Order,
    Report,
    RowReport,
    Setup,
    WorkerLink,
    from_bytes,
    to_bytes,
)
from wosdk_async.jobs.mapping.record_operations import operation_named

Sent = Callable[["LocalWorker", GrantedRow], None]


class LocalWorker:
    """Sends the rows of its grants one after the other, through a Company of the test.

    With ``dead`` its process has ended; with ``silent`` nothing is heard of it any more.
    """

    def __init__(self, setup: Setup, company: Company, name: str) -> None:
        self.name = self.nonce = name
        self.setup, self.company = setup, company
        self.operation = operation_named(setup.operation)
        self.orders: list[Order] = []
        self.results: list[RowReport] = []
        self.dead = self.silent = False
        self.lost = ""
        self.sent: Sent = lambda _worker, _row: None
        self.about_to_send: Sent = lambda _worker, _row: None
        self.in_doubt: Callable[[GrantedRow], bool] = lambda _row: False
        self._numbers = itertools.count(1)
        self._known: set[int] = set()
        self._open: dict[int, list[GrantedRow]] = {}
        self._share = self._session = 0

    async def exchange(self, order: bytes) -> bytes:
        return to_bytes(await self._exchange(from_bytes(order, Order)))

    async def _exchange(self, order: Order) -> Report:
        if self.dead:
            raise OSError("killed")
        if self.silent:
            await asyncio.Event().wait()
        self.orders.append(order)
        if order.worker == self.nonce:
            self.results = [each for each in self.results if each.number > order.received]
            self._share = order.share.number
            self._session = order.session.number if order.session is not None else self._session
            for grant in order.grants:
                if grant.epoch not in self._known:
                    self._known.add(grant.epoch)
                    self._open[grant.epoch] = list(grant.rows)
            await self._work(stop=order.stop)
        if not self.results:
            await asyncio.sleep(order.patience)
        return Report(
            worker=self.nonce,
            clock=boottime(),
            results=tuple(self.results),
            epochs=tuple(epoch for epoch, rows in self._open.items() if rows),
            share=self._share,
            session=self._session,
        )

    async def _work(self, *, stop: bool) -> None:
        for epoch, rows in self._open.items():
            while rows and not self.dead:
                row = rows.pop(0)
                if stop:
                    self._tell(epoch, row, result="not_sent")
                    continue
                self.about_to_send(self, row)
                if self.dead:
                    break
                result = await self._send(row)
                self.sent(self, row)
                self._tell(epoch, row, **result)
        if self.dead:
            raise OSError("killed")
        if self.silent:
            await asyncio.Event().wait()

    async def _send(self, row: GrantedRow) -> dict[str, Any]:
        if self.in_doubt(row):
            return {"result": "in_doubt", "reason": "no response", "error": "InDoubtError"}
        record = converter.structure(loads(row.body.encode()), self.operation.kind)
        try:
            result = await self.operation.send(self.company, record, self.setup.marker)
        except InDoubtError as error:
            return {"result": "in_doubt", "reason": error.message, "error": type(error).__name__}
        except WosdkError as error:
            return {"result": "failed", "reason": error.message, "error": type(error).__name__}
        effect = self.operation.effect(result)
        return {"result": "done", "entity": effect.entity, "id": effect.id, "record": effect.number}

    def _tell(self, epoch: int, row: GrantedRow, **result: Any) -> None:
        report = RowReport(number=next(self._numbers), epoch=epoch, row=row.row, attempts=1, **result)
        self.results.append(report)

    async def aclose(self) -> None:
        """Nothing."""


class LocalPool:
    """A pool of such workers; one that dies is followed by another one."""

    name = "local workers"

    def __init__(self, company: Company, workers: int = 2) -> None:
        self.company, self.number = company, workers
        self.workers: list[LocalWorker] = []
        self.setup: Setup | None = None
        self.closed = False
        self.prepare: Callable[[LocalWorker], None] = lambda _: None

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        self.setup, self.joined, self.broken = setup, joined, broken
        for _ in range(self.number):
            self.add()

    def add(self) -> None:
        assert self.setup is not None
        worker = LocalWorker(self.setup, self.company, f"w{id(self):x}.{len(self.workers)}")
        self.workers.append(worker)
        self.prepare(worker)
        self.joined(worker)

    def kill(self, worker: LocalWorker) -> None:
        worker.dead, worker.lost = True, "killed"
        self.add()

    async def aclose(self) -> None:
        self.closed = True
