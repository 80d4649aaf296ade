"""An event loop with virtual time: it never waits, and what is ready runs in the order of a seed."""

from __future__ import annotations

import asyncio
import heapq
import random
import socket
from collections.abc import Callable, Collection, Coroutine
from contextvars import Context
from typing import Any, cast

from benchmarks.simulate.network import Network, Socket

__all__ = ["Stuck", "VirtualLoop"]

MOST_STEPS = 200_000
MOST_SECONDS = 20_000.0
_BUSY = 0.02  # how often a turn of the loop takes time
_LONGEST_TURN = 0.02  # seconds


class Stuck(Exception):
    """Nothing is due any more and something still waits, or there is no end to it."""


class _Task(asyncio.Task[Any]):
    """A task whose place in a set does not depend on its address: a seed has to replay exactly."""

    number: int

    def __hash__(self) -> int:
        return self.number


class VirtualLoop(asyncio.BaseEventLoop):
    """The sockets are those of ``network``.

    asyncio promises that callbacks run in the order in which they were scheduled. Programs should not depend
    on it but for the callbacks of one future, so with ``shuffled`` only those keep their order.
    """

    def __init__(self, draw: random.Random, network: Network, *, shuffled: bool = True) -> None:
        super().__init__()
        self.network = network
        self.steps = 0
        self.failures: list[dict[str, Any]] = []
        """What reached the loop's exception handler."""
        self.tasks: list[asyncio.Task[Any]] = []
        self._draw = draw
        self._shuffled = shuffled
        self._seconds = 1000.0
        network.attach(self)
        self.set_task_factory(cast(Any, self._task))
        self.set_exception_handler(lambda _, context: self.failures.append(context))

    def time(self) -> float:
        return self._seconds

    def _task(
        self,
        _: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any],
        context: Context | None = None,
        **named: Any,
    ) -> _Task:
        # The hash is asked for while the task is made, so the number is the class's for that moment.
        _Task.number = number = len(self.tasks) + 1
        task = _Task(coroutine, loop=self, context=context, **named)
        task.number = number
        self.tasks.append(task)
        return task

    def under_way(self) -> list[asyncio.Task[Any]]:
        """The tasks that are not done."""
        return [task for task in self.tasks if not task.done()]

    # --- turns ----------------------------------------------------------------------------------

    def _run_once(self) -> None:
        ready = self._ready  # type: ignore[attr-defined]
        self._collect_due(ready)
        batch = list(ready)
        ready.clear()
        if self._shuffled and len(batch) > 1:
            batch = self._mixed(batch)
        for handle in batch:
            if not handle._cancelled:
                handle._run()
        self.steps += len(batch) or 1
        if self.steps > MOST_STEPS:
            raise Stuck(f"{self.steps} callbacks, and no end")
        if self._seconds > MOST_SECONDS:
            raise Stuck(f"{self._seconds:.0f} virtual seconds, and no end")
        if self._draw.random() < _BUSY:
            self._seconds += self._draw.random() * _LONGEST_TURN

    def _collect_due(self, ready: Any) -> None:
        """Move what is due to ``ready``; the time goes on to it when nothing else is to be done."""
        timers = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
        if not ready and not self._stopping:  # type: ignore[attr-defined]
            if not timers:
                raise Stuck("nothing is due any more, and something still waits")
            self._seconds = max(self._seconds, timers[0]._when)
        while timers and timers[0]._when <= self._seconds:
            handle = heapq.heappop(timers)
            handle._scheduled = False
            if not handle._cancelled:
                ready.append(handle)

    def _mixed(self, batch: list[asyncio.Handle]) -> list[asyncio.Handle]:
        """The same in another order, but for what waits for the same future."""
        draw = self._draw.random
        order = sorted(range(len(batch)), key=lambda _: draw())
        seen: dict[int, list[int]] = {}
        for place, index in enumerate(order):
            arguments = batch[index]._args
            if arguments and isinstance(arguments[0], asyncio.Future):
                seen.setdefault(id(arguments[0]), []).append(place)
        for places in seen.values():
            if len(places) > 1:
                for place, index in zip(places, sorted(order[each] for each in places), strict=True):
                    order[place] = index
        return [batch[index] for index in order]

    def _process_events(self, event_list: Any) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """It never sleeps."""

    # --- sockets --------------------------------------------------------------------------------

    def socket(self, *_: Any) -> Socket:
        """Stands in for ``socket.socket``."""
        return self.network.socket()

    def readable(self, sockets: Collection[int]) -> set[int]:
        """Those where bytes, or the end, wait to be read."""
        return {number for number in sockets if self.network.readable(number)}

    async def getaddrinfo(self, host: Any, port: Any, **_: Any) -> list[Any]:
        await asyncio.sleep(self.network.latency())
        return [
            (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port))
            for address in self.network.addresses(host)
        ]

    async def sock_connect(self, sock: Any, address: Any) -> None:
        await self.network.connect(sock, address[0])

    async def create_connection(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], *, sock: Any, ssl: None = None
    ) -> tuple[asyncio.Transport, asyncio.BaseProtocol]:
        if ssl is not None:
            raise NotImplementedError("the network in memory has no TLS")
        protocol = protocol_factory()
        opened = self.create_future()
        end = self.network.open(sock, protocol, opened)
        try:
            await opened
        except BaseException:
            end.close()
            raise
        return end, protocol
