"""What lives in one process says so when it is copied or pickled, and where no event loop of asyncio runs."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from wosdk_async import InvalidCallError, WorkOrder, WoStartCommand
from wosdk_async.testing import Sandbox

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, pickle.dumps]


@pytest.mark.parametrize("copied", COPIES)
def test_what_cannot_be_copied(copied: Callable[[Any], Any]) -> None:
    """The error names the kind and what to do, not a lock deep inside; also in a partial function."""
    with Sandbox() as sandbox:
        client = sandbox.client()
        acme = client.company()
        told = {
            client: "a Client cannot be copied or pickled; create one per process",
            acme: r"a Company cannot be copied or pickled; pass its name, and call client.company\(name\)",
            acme.query(WorkOrder): "a Query cannot be copied or pickled; share this query",
            acme.run_many([]): "a Run cannot be copied or pickled; pass its inputs or outcomes instead",
        }
        for value, message in told.items():
            with pytest.raises(TypeError, match=message):
                copied(value)
        if copied is not copy.copy:
            with pytest.raises(TypeError, match="a Company cannot be copied or pickled"):
                copied([acme.get])


async def test_a_run_is_opened_once() -> None:
    """A second block would find no inputs and be done at once."""
    with Sandbox() as sandbox:
        run = sandbox.client().company().run_many([WoStartCommand(work_order_id=1)])
        async with run:
            assert [outcome.index async for outcome in run] == [0]
        with pytest.raises(InvalidCallError, match=r"opened before.*call run_many\(\) again"):
            async with run:
                pass


def test_without_asyncio() -> None:
    """Another event loop, such as that of trio, is not asyncio's; nothing is sent."""
    with Sandbox() as sandbox:
        call = sandbox.client().company().get(WorkOrder, 1)
        with pytest.raises(InvalidCallError, match=r"no asyncio event loop is running.*trio_asyncio"):
            call.send(None)
        assert not sandbox.requests
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()
