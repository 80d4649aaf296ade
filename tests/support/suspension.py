"""Cancellation of a call at each of its suspension points in turn, on any event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from typing import Any, Literal

Moment = Literal["waiting", "granted"]
MOMENTS: tuple[Moment, ...] = ("waiting", "granted")


class CancelledAt:
    """Call whose task is cancelled at its ``point``-th suspension.

    Args:
        call: the awaitable.
        point: index of the suspension, from 0.
        moment: ``waiting`` cancels before the awaited result arrives; ``granted`` in the turn of the loop in
            which it arrives, so that a grant must be returned.
        times: number of suspensions in a row at which it is cancelled.
    """

    def __init__(self, call: Awaitable[Any], point: int, moment: Moment, times: int = 1) -> None:
        self._call = call
        self._points = range(point, point + times)
        self._moment = moment
        self.reached = False
        """Whether the call had that many suspensions."""

    def __await__(self) -> Generator[Any, Any, Any]:
        steps, number = self._call.__await__(), 0
        task = asyncio.current_task()
        assert task is not None
        throw: BaseException | None = None
        while True:
            try:
                waits_for = steps.send(None) if throw is None else steps.throw(throw)
            except StopIteration as end:
                return end.value
            if number in self._points:
                self.reached = True
                if self._moment == "granted" and waits_for is not None:
                    waits_for.add_done_callback(lambda _: task.cancel())  # before the task is notified
                else:
                    asyncio.get_running_loop().call_soon(task.cancel)
            number += 1
            throw = None
            try:
                yield waits_for
            except BaseException as error:
                throw = error
