"""Links between a simulated coordinator and its workers."""

from __future__ import annotations

import asyncio

from benchmarks.cluster_simulated.machines import Machine
from benchmarks.cluster_simulated.process import Coordinating
from benchmarks.cluster_simulated.workers import Station, World
from wosdk_async.jobs.cluster.messages import Order, Report, WorkerLostError, from_bytes, to_bytes

__all__ = ["Link"]

_OFTEN = 4  # times more often than others an order is repeated that grants something: there are few


class Link:
    """Way to a worker on which messages are lost, late, and repeated."""

    def __init__(self, world: World, process: Coordinating, station: Station) -> None:
        self.name = station.machine.name
        self.station = station
        self._world, self._process = world, process
        self._lost: WorkerLostError | None = None
        self._answer: asyncio.Future[bytes] | None = None

    def __repr__(self) -> str:
        return f"<Link {self.name} {self.station.worker!r}>"

    def lose(self, *, ended: bool) -> None:
        """Let the coordinator notice that the worker cannot be reached."""
        self._lost = WorkerLostError(f"{self.name} is lost", ended=ended)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(self._lost)

    async def exchange(self, order: Order) -> Report:
        """Deliver an order and return the report, unless one of them is lost."""
        world, process = self._world, self._process
        process.require_alive()
        world.watch.order_leaves(order)
        world.watch.check_repr(self)
        process.counts |= bool(order.grants)
        process.pass_point(f"order to {self.name}")
        process.require_alive()
        if self._lost is not None:
            raise self._lost
        answer = self._answer = world.loop.create_future()
        self._send(to_bytes(order), answer, often=_OFTEN if order.grants else 1)
        try:
            report = from_bytes(await answer, Report)
        finally:
            self._answer = None
        process.pass_point(f"report of {self.name}")
        process.require_alive()
        return report

    async def aclose(self) -> None:
        """Give up the worker, which goes on until it ends by itself."""

    def _send(self, data: bytes, answer: asyncio.Future[bytes], *, often: int) -> None:
        world, plan = self._world, self._world.plan
        if world.happens(plan.order_lost):
            world.watch.note("lost order to", self.name)
            self._fail(answer)
            return
        delay = world.rng.uniform(0.0, 0.02)
        if world.happens(plan.late):
            delay = world.rng.uniform(0.0, 2 * plan.lease)
        world.loop.call_later(delay, self._arrive, data, answer, context=Machine.nowhere())
        if world.happens(often * plan.repeated):
            again = delay + world.rng.uniform(0.0, plan.lease)
            world.loop.call_later(again, self._arrive, data, None, context=Machine.nowhere())

    def _fail(self, answer: asyncio.Future[bytes]) -> None:
        """Let the exchange fail soon, or by its timeout."""
        if self._world.rng.random() < 0.8:
            self._process.machine.call_later(self._world.rng.uniform(0.0, 0.5), _break, answer)

    def _arrive(self, data: bytes, answer: asyncio.Future[bytes] | None) -> None:
        station = self.station  # another one may have taken the place of the one that was meant
        if not station.has_ended:
            station.machine.start(self._obey(station, data, answer))

    async def _obey(self, station: Station, data: bytes, answer: asyncio.Future[bytes] | None) -> None:
        world, plan = self._world, self._world.plan
        if station.ending is not None:
            return
        order = from_bytes(data, Order)
        world.watch.order_arrives(station.machine, order, station.worker.nonce)
        try:
            report = await station.worker.exchange(order)
        except Exception as error:
            world.watch.broken("worker-error", f"{self.name}: {error!r}")
            raise
        if world.happens(plan.report_lost):
            world.watch.note("lost report of", self.name)
            if answer is not None:
                self._fail(answer)
            return
        delay = world.rng.uniform(0.0, 0.02)
        if world.happens(plan.late):
            delay = world.rng.uniform(0.0, 2 * plan.lease)
        self._process.machine.call_later(delay, self._answered, to_bytes(report), answer)

    def _answered(self, data: bytes, answer: asyncio.Future[bytes] | None) -> None:
        if answer is None or answer.done():  # nobody waits for this report: it may be taken for a later one
            if self._answer is None or self._answer.done():
                return
            answer = self._answer
            self._world.watch.note("stray report of", self.name)
        answer.set_result(data)


def _break(answer: asyncio.Future[bytes]) -> None:
    if not answer.done():
        answer.set_exception(OSError("the message was lost"))
