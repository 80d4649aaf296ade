"""Exports that are cancelled again while they end: nothing that was read is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.export.conftest import Orders
from tests.support.facts import having
from wosdk_async import Company, WorkOrder
from wosdk_async.jobs import Export
from wosdk_async.jobs.errors import JournalError, OutputError
from wosdk_async.jobs.exports import exporter
from wosdk_async.jobs.exports.work_folder import RangeFileWriter
from wosdk_async.jobs.sources.source import FileDialect
from wosdk_async.text.remedies import Remedy

SMALL = {"page": 10, "parallel": 3}


class Held:
    """A method that waits in its thread, from its first call on, until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        self._begun, self._may_go_on = threading.Event(), threading.Event()
        monkeypatch.setattr(owner, name, self._holding(getattr(owner, name)))

    def _holding(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def hold(*args: Any) -> Any:
            self._begun.set()
            assert self._may_go_on.wait(20)
            return method(*args)

        return hold

    async def begun(self) -> None:
        """Wait until it was called."""
        assert await asyncio.to_thread(self._begun.wait, 20)

    def go_on(self) -> None:
        """Let it do what it does."""
        self._may_go_on.set()


async def cancelled_often(task: asyncio.Task[Any], other: Export) -> None:
    """Cancel a task three times; each time another export to the same output is refused."""
    for _ in range(3):
        task.cancel()
        for _ in range(5):  # turns of the loop, in which the task sees it
            await asyncio.sleep(0)
        with pytest.raises(JournalError, check=having(remedies=(Remedy.WAIT,))):
            await other
        assert not task.done()


@pytest.fixture
def held_write(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch, FileDialect, "writer")


@pytest.fixture
def held_finish(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch, RangeFileWriter, "finish")


async def test_while_the_output_is_written(
    acme: Company, orders: Orders, tmp_path: Path, held_write: Held, caplog: pytest.LogCaptureFixture
) -> None:
    """The folder is locked until the thread has ended, and the same export goes on without a request."""
    output = tmp_path / "orders.csv"
    task = asyncio.ensure_future(Export(WorkOrder, output, company=acme).run())
    await held_write.begun()
    await cancelled_often(task, Export(WorkOrder, output, company=acme))
    held_write.go_on()
    with pytest.raises(asyncio.CancelledError):
        await task
    orders.asked.clear()
    summary = await Export(WorkOrder, output, company=acme)
    assert (summary.rows, summary.earlier, orders.asked) == (len(orders.rows), len(orders.rows), [])
    assert caplog.messages == []


async def test_while_rows_are_kept(
    acme: Company, orders: Orders, tmp_path: Path, held_finish: Held, caplog: pytest.LogCaptureFixture
) -> None:
    """Each row that was read is in a file, and counted."""
    output = tmp_path / "orders.csv"
    first = Export(WorkOrder, output, company=acme, limit=100, **SMALL)
    task = asyncio.ensure_future(first.run())

    async def cancel(above: int | None) -> None:
        if above == 40:
            task.cancel()

    orders.before = cancel
    await held_finish.begun()
    await cancelled_often(task, Export(WorkOrder, output, company=acme, limit=100))
    held_finish.go_on()
    with pytest.raises(asyncio.CancelledError):
        await task
    orders.before = None
    summary = await Export(WorkOrder, output, company=acme, limit=100, **SMALL)
    assert (summary.rows, summary.earlier) == (100, first.rows)
    assert first.rows >= 30
    assert caplog.messages == []


async def test_a_reader_that_is_cancelled_alone_ends_the_export(
    acme: Company, orders: Orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its range would be missing from the output."""
    write, cancellations = RangeFileWriter.write, iter([asyncio.CancelledError()])

    def cancelled_once(*args: Any) -> None:
        for cancellation in cancellations:
            raise cancellation
        write(*args)

    monkeypatch.setattr(RangeFileWriter, "write", cancelled_once)
    output = tmp_path / "orders.csv"
    with pytest.raises(asyncio.CancelledError):
        await Export(WorkOrder, output, company=acme, **SMALL)
    assert not output.exists()
    assert (await Export(WorkOrder, output, company=acme, **SMALL)).rows == len(orders.rows)


async def test_a_draft_that_is_gone_ends_the_export(
    acme: Company, orders: Orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that was read is removed while the output is not at its place."""
    output, writing = tmp_path / "orders.csv", exporter.writing_table

    @contextmanager
    def written_and_removed(*args: Any) -> Iterator[Any]:
        with writing(*args) as write:
            yield write
        for draft in (tmp_path / "orders.csv.export").glob("output*"):
            draft.unlink()

    with monkeypatch.context() as patch:
        patch.setattr(exporter, "writing_table", written_and_removed)
        with pytest.raises(OutputError, match="No such file"):
            await Export(WorkOrder, output, company=acme)
    orders.asked.clear()
    assert (await Export(WorkOrder, output, company=acme)).earlier == len(orders.rows)
    assert orders.asked == []
