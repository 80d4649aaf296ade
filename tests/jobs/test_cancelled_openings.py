"""Imports that are cancelled while their ledger is opened: the same job can be imported at once."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import held
from tests.support.laws import WHOLE
from tests.support.suspension import CancelledAt, Moment
from wosdk_async.jobs import Import
from wosdk_async.jobs.journal import JobFolders, Journal
from wosdk_async.jobs.journal.folder import numbered_jobs

LATER = 20  # seconds, also on a busy machine


class Held:
    """A function that waits in its thread, before or after its work, until it may continue."""

    def __init__(self) -> None:
        self._begun, self._may_continue = threading.Event(), threading.Event()

    def hold(self, function: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
        def held(*args: Any, **options: Any) -> Any:
            found = function(*args, **options) if after else None
            self._begun.set()
            assert self._may_continue.wait(LATER)
            return found if after else function(*args, **options)

        return held

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, LATER)

    def release(self) -> None:
        self._may_continue.set()


async def job_in(situation: str, local: Local) -> Import:
    """An import whose ledger does not exist, exists, or is to be replaced by a new one."""
    file = local.folder / "rows.csv"
    if situation == "new":
        return local.job(rows(1, 2), MAP, marker=MARKER)
    if not file.exists():
        await local.run(rows(1), MAP, marker=MARKER)
        local.write(rows(1, 2))
    options = {"again": True, "if_exists": "skip"} if situation == "again" else {}
    return local.job(file, MAP, marker=MARKER, **options)


def work_in(part: str, job: Import, local: Local) -> Coroutine[Any, Any, Any]:
    """A part of an import to cancel: its opening, its closing, or all of it."""
    if part == "close":
        return job.close()
    return job.open(local.company) if part == "open" else job.run(local.company)


@pytest.mark.parametrize("after", [False, True], ids=["begun", "ended"])
@pytest.mark.parametrize(
    ("situation", "owner", "name"),
    [
        ("new", JobFolders, "new"),
        ("new", Journal, "create"),
        ("new", Journal, "open"),
        ("existing", Journal, "open"),
        ("again", Journal, "create"),
        ("again", JobFolders, "new"),
    ],
)
async def test_cancelled_while_a_thread_opens_the_ledger(
    local: Local, monkeypatch: pytest.MonkeyPatch, situation: str, owner: type, name: str, after: bool
) -> None:
    """The cancelled task waits for the thread, however often it is cancelled, and frees the ledger."""
    ready, holder = await job_in(situation, local), Held()
    ledgers = numbered_jobs(local.folder / "rows.csv.job")
    with monkeypatch.context() as patch:
        found = getattr(owner, name)
        is_of_class = hasattr(found, "__self__")
        function = holder.hold(found, after=after)
        patch.setattr(owner, name, staticmethod(function) if is_of_class else function)
        task = asyncio.ensure_future(ready.run(local.company))
        await holder.begun()
        try:
            for _ in range(3):
                task.cancel()
                for _ in range(5):  # turns of the loop, in which the task sees it
                    await asyncio.sleep(0)
                assert not task.done()
        finally:
            holder.release()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert numbered_jobs(local.folder / "rows.csv.job") == ledgers  # a new ledger is removed again
    summary = await (await job_in(situation, local)).run(local.company)
    assert summary.complete
    assert await held(local) == Counter("12")


@pytest.mark.parametrize("late", [False, True], ids=["waiting", "late"])
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    ("part", "situation"),
    [("open", "new"), ("open", "existing"), ("open", "again"), ("close", "new"), ("run", "new")],
)
async def test_cancelled_at_each_wait(
    local: Local, part: str, situation: str, times: int, late: bool
) -> None:
    """No ledger stays locked, whatever the import waits for, also at further waits during its cleanup.

    In the short form, each of the four ways to cancel has every fourth wait.
    """
    way = (2 if late else 0) + (0 if times == 1 else 1)
    first, cancelled, base = (0 if WHOLE else way), True, local.folder / "rows.csv.job"
    while cancelled:
        ready = await job_in(situation, local)
        if part == "close":
            await ready.open(local.company)
        moment: Moment = "granted" if late else "waiting"
        running = asyncio.ensure_future(CancelledAt(work_in(part, ready, local), first, moment, times))
        with contextlib.suppress(asyncio.CancelledError):
            await running
        cancelled = running.cancelled()
        if part == "open" and not cancelled:
            await ready.close()
        for folder in numbered_jobs(base):
            await Journal.open(folder).close()
        if situation == "new":
            shutil.rmtree(base, ignore_errors=True)
        first += 1 if WHOLE else 4
    assert first > 3
    assert await held(local) <= Counter("12")
