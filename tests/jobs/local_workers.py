"""Workers in the test's own process, which can be lost, silenced and found again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from wosdk_async import Company
from wosdk_async.codec import converter, loads
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.cluster.leases import LeasedRows, boottime
from wosdk_async.jobs.cluster.messages import (
    GrantedRow,
    Order,
    Report,
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
        self.name = name
        self.held = LeasedRows(name, setup.deadline, boottime)
        self.setup, self.company = setup, company
        self.operation = operation_named(setup.operation)
        self.orders: list[Order] = []
        self.dead = self.silent = False
        self.lost = ""
        self.sent: Sent = lambda _worker, _row: None
        self.about_to_send: Sent = lambda _worker, _row: None
        self.in_doubt: Callable[[GrantedRow], bool] = lambda _row: False
        self._session = 0

    async def exchange(self, order: bytes) -> bytes:
        return to_bytes(await self._exchange(from_bytes(order, Order)))

    async def _exchange(self, order: Order) -> Report:
        await self._respond()
        self.orders.append(order)
        if self.held.obey(order):
            self._session = order.session.number if order.session is not None else self._session
            while not self.dead and (row := self.held.next_row()) is not None:
                self.about_to_send(self, row.granted)
                if not self.dead:
                    row.begin()
                    result = await self._send(row.granted)
                    self.sent(self, row.granted)
                    self.held.end(row, {**result, "attempts": 1})
            await self._respond()
        if not self.held.results:
            await asyncio.sleep(order.patience)
        return self.held.report(session=self._session)

    async def _respond(self) -> None:
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
        worker = LocalWorker(self.setup, self.company, f"w{id(self):x}.{len(self.workers)}")
        self.workers.append(worker)
        self.prepare(worker)
        self.joined(worker)

    def kill(self, worker: LocalWorker) -> None:
        worker.dead, worker.lost = True, "killed"
        self.add()

    async def aclose(self) -> None:
        self.closed = True
