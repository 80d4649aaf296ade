"""Waits of a job say what they wait for, again every few seconds."""

from __future__ import annotations

import random
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.simulation.client.loop import VirtualLoop
from tests.simulation.client.network import Network
from tests.simulation.client.plan import World
from tests.simulation.killed_process import running
from wosdk_async.jobs.stop import say_and_sleep

T = TypeVar("T")


def virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on virtual time."""
    rng = random.Random(0)
    loop = VirtualLoop(rng, Network(rng, World(), lambda *_, **__: None))
    with running(loop):
        return loop.run_until_complete(main)


def test_a_long_wait_says_how_much_is_left() -> None:
    said: list[int] = []
    virtually(say_and_sleep(27, lambda left: said.append(round(left))))
    assert said == [27, 22, 17, 12, 7, 2]
