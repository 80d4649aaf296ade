"""Event loop with virtual time. It never waits, and the seed decides the order of callbacks."""

from __future__ import annotations

import asyncio
import heapq
import random
import socket
from collections.abc import Callable, Collection, Coroutine
from contextvars import Context
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from tests.simulation.client.network import Network, Socket
from wosdk_async.transport.http.native import batching, connect, resolver

MAX_STEPS = 200_000
MAX_SECONDS = 20_000.0
_BUSY = 0.02  # share of loop turns that take time
_MAX_TURN = 0.02  # seconds


class StuckError(Exception):
    """Error of a run that waits with nothing scheduled, or does not end."""


class _Task(asyncio.Task[Any]):
    """Task whose order in a set does not depend on its address, so that a seed replays exactly."""

    number: int

    def __hash__(self) -> int:
        return self.number


class VirtualLoop(asyncio.BaseEventLoop):
    """Event loop over the sockets of ``network``.

    asyncio runs callbacks in the order in which they were scheduled. A program should rely on this only for
    the callbacks of one future, so with ``shuffled`` only these keep their order.
    """

    def __init__(self, rng: random.Random, network: Network, *, shuffled: bool = True) -> None:
        super().__init__()
        self.network = network
        self.steps = 0
        self.failures: list[dict[str, Any]] = []
        """Contexts passed to the loop's exception handler."""
        self.tasks: list[asyncio.Task[Any]] = []
        self._rng = rng
        self._shuffled = shuffled
        self._seconds = 1000.0
        network.attach(self)
        self.set_task_factory(cast(Any, self._task))
        self.set_exception_handler(lambda _, context: self.failures.append(context))

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._seconds

    def _task(
        self,
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any],
        context: Context | None = None,
        **named: Any,
    ) -> _Task:
        # The constructor of Task calls __hash__ before ``number`` can be set, so the class has the number
        # first.
        _Task.number = number = len(self.tasks) + 1
        task = _Task(coroutine, loop=self, context=context, **named)
        task.number = number
        self.tasks.append(task)
        return task

    def pending(self) -> list[asyncio.Task[Any]]:
        return [task for task in self.tasks if not task.done()]

    # --- turns ----------------------------------------------------------------------------------

    def run_forever(self) -> None:
        """Run with the network's sockets and hosts instead of the system's."""
        with (
            patch.object(batching, "readable", self.readable),
            patch.object(connect, "socket", SimpleNamespace(**{**vars(socket), "socket": self.socket})),
            patch.object(resolver, "start_look_up", self.look_up),
        ):
            super().run_forever()

    def _run_once(self) -> None:
        ready = self._ready  # type: ignore[attr-defined]
        self._collect_due(ready)
        batch = list(ready)
        ready.clear()
        if self._shuffled and len(batch) > 1:
            batch = self._shuffle(batch)
        for handle in batch:
            if not handle._cancelled:
                handle._run()
        self.steps += len(batch) or 1
        if self.steps > MAX_STEPS:
            raise StuckError(f"{self.steps} callbacks without an end")
        if self._seconds > MAX_SECONDS:
            raise StuckError(f"{self._seconds:.0f} virtual seconds without an end")
        if self._rng.random() < _BUSY:
            self._seconds += self._rng.random() * _MAX_TURN

    def _collect_due(self, ready: Any) -> None:
        """Move due timers to ``ready``; if nothing is ready, advance the time to the next timer."""
        timers = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
        if not ready and not self._stopping:  # type: ignore[attr-defined]
            if not timers:
                raise StuckError("nothing is scheduled, and something still waits")
            self._seconds = max(self._seconds, timers[0]._when)
        while timers and timers[0]._when <= self._seconds:
            handle = heapq.heappop(timers)
            handle._scheduled = False
            if not handle._cancelled:
                ready.append(handle)

    def _shuffle(self, batch: list[asyncio.Handle]) -> list[asyncio.Handle]:
        """Return the batch in random order, except that callbacks of one future keep their order."""
        random_key = self._rng.random
        order = sorted(range(len(batch)), key=lambda _: random_key())
        seen: dict[int, list[int]] = {}
        for position, index in enumerate(order):
            arguments = batch[index]._args
            if arguments and isinstance(arguments[0], asyncio.Future):
                seen.setdefault(id(arguments[0]), []).append(position)
        for positions in seen.values():
            if len(positions) > 1:
                for position, index in zip(positions, sorted(order[each] for each in positions), strict=True):
                    order[position] = index
        return [batch[index] for index in order]

    def _process_events(self, event_list: Any) -> None:
        """Do nothing: there are no events of a selector."""

    def _write_to_self(self) -> None:
        """Do nothing: the loop never sleeps."""

    # --- sockets --------------------------------------------------------------------------------

    def socket(self, *_: Any) -> Socket:
        return self.network.socket()

    def readable(self, sockets: Collection[int]) -> set[int]:
        return {number for number in sockets if self.network.readable(number)}

    def look_up(self, _: Any, host: str, port: int, done: Callable[[Any], None]) -> None:
        """Call ``done`` later with a host's addresses, or with an error."""
        seconds, found = self.network.look_up(host)
        if not isinstance(found, Exception):
            kind = socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, ""
            found = [(*kind, (address, port)) for address in found]
        self.call_later(seconds, done, found)

    async def sock_connect(self, sock: Any, address: Any) -> None:
        await self.network.connect(sock, address[0])

    async def create_connection(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], *, sock: Any
    ) -> tuple[asyncio.Transport, asyncio.BaseProtocol]:
        protocol = protocol_factory()
        opened = self.create_future()
        wire = self.network.open(sock, protocol, opened)
        try:
            await opened
        except BaseException:
            wire.close()
            raise
        return wire, protocol
