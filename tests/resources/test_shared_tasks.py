"""Tasks that several callers wait for, where a Company is used in several event loops."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.support.waiting import cancel_without_end
from wosdk_async.shared_tasks import SharedTask, SingleFlight, open_in_thread


async def test_the_task_of_another_loop_is_not_shared() -> None:
    """It may never end: its loop may have stopped, or be that of the parent of a forked process."""
    flights, running, leave = SingleFlight(), threading.Event(), threading.Event()

    async def in_another_loop() -> None:
        task: SharedTask[bool] = SharedTask(asyncio.Event().wait, lambda: 0.0)
        flights.add("key", task)
        with task:
            await asyncio.sleep(0)
            assert flights.find("key", 0.0) is task
            running.set()
            await asyncio.to_thread(leave.wait)

    thread = threading.Thread(target=lambda: asyncio.run(in_another_loop()))
    thread.start()
    try:
        await asyncio.to_thread(running.wait)
        assert flights.find("key", 0.0) is None
    finally:
        leave.set()
        await asyncio.to_thread(thread.join)


async def test_waiting_for_the_end_is_not_waiting_for_the_result() -> None:
    """Work that no caller wants is cancelled, though another task waits for its end."""
    task: SharedTask[bool] = SharedTask(asyncio.Event().wait, lambda: 0.0)
    other = asyncio.create_task(task.ended())
    with task:
        await asyncio.sleep(0)
    await asyncio.wait_for(other, 1.0)


@pytest.mark.parametrize("fails", [False, True])
async def test_what_a_thread_opens_for_a_cancelled_task_is_closed(fails: bool) -> None:
    """Once, after the thread has ended; a result that the task receives stays open."""
    closed: list[str] = []
    begun, may_end = threading.Event(), threading.Event()

    def open_it() -> str:
        begun.set()
        may_end.wait()
        if fails:
            raise OSError
        return "opened"

    task = asyncio.create_task(open_in_thread(open_it, close=closed.append))
    await asyncio.to_thread(begun.wait)
    try:
        await cancel_without_end(task)
        assert closed == []
    finally:
        may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    expected = [] if fails else ["opened"]
    assert closed == expected
    if not fails:
        assert await open_in_thread(open_it, close=closed.append) == "opened"
        assert closed == expected
