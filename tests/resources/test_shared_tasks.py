"""Tasks that several callers wait for, where a Company is used in several event loops."""

from __future__ import annotations

import asyncio
import threading

from wosdk_async.shared_tasks import SharedTask, SingleFlight


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
