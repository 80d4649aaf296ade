"""Cancellation of a call at each point at which it waits, one after the other, on any event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from typing import Any, Literal

__all__ = ["MOMENTS", "CancelledAt", "Moment"]

Moment = Literal["waiting", "granted"]
MOMENTS: tuple[Moment, ...] = ("waiting", "granted")


class CancelledAt:
    """A call whose task is cancelled at its ``point``-th suspension.

    Args:
        call: what is awaited.
        point: which suspension, the first is 0.
        moment: ``waiting`` cancels before that which it waits for is there; ``granted`` in the turn of the
            loop in which it comes, so that what was granted has to be handed back.
    """

    def __init__(self, call: Awaitable[Any], point: int, moment: Moment) -> None:
        self._call = call
        self._point = point
        self._moment = moment
        self.reached = False
        """Whether the call was suspended so often."""

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
            if number == self._point:
                self.reached = True
                if self._moment == "granted" and waits_for is not None:
                    waits_for.add_done_callback(lambda _: task.cancel())  # before the task learns of it
                else:
                    asyncio.get_running_loop().call_soon(task.cancel)
            number += 1
            throw = None
            try:
                yield waits_for
            except BaseException as error:
                throw = error
