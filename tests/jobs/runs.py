"""Short ways to carry an import out, and to see what it made."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from tests.jobs.conftest import Local, Table
from wosdk_async import Customer, Location, Ref, Task, WoItem, WorkOrder
from wosdk_async.jobs import Import, RowOutcome, Summary
from wosdk_async.jobs.journal import Journal


async def held(local: Local) -> Counter[str]:
    """How many work orders have each number of the file."""
    return Counter(row["PoNumber"] for row in await local.rows("WorkOrder", "PoNumber"))


async def carried_out(job: Import, local: Local, **options: Any) -> tuple[Summary, dict[int, RowOutcome]]:
    outcomes: dict[int, RowOutcome] = {}
    summary = await job.run(local.company, on_row=lambda row: outcomes.update({row.row: row}), **options)
    return summary, outcomes


def told(summary: Summary) -> list[str]:
    """The warnings of an import, but the one that new folders create rows again."""
    return [warning for warning in summary.warnings if "are created again" not in warning]


async def imported(local: Local, source: Path | Table, text: str, **options: Any) -> Path:
    """Carry out an import that is complete, and return its folder."""
    summary = await local.run(source, text, **options)
    assert summary.complete, summary
    assert summary.folder is not None
    return summary.folder


@contextlib.asynccontextmanager
async def killed(job: Import, local: Local) -> AsyncIterator[Journal]:
    """Begin a run, and leave its journal as a kill does behind the block."""
    opened = await job.open(local.company)
    await opened.journal.start_run(**opened.request.details(local.company))
    await opened.admit()
    yield opened.journal
    opened.journal.abandon()


async def killed_while_sending(job: Import, local: Local, numbers: Sequence[int]) -> Path:
    """Leave the journal as a kill does while these rows are under way, and return its folder."""
    async with killed(job, local) as journal:
        await journal.begin(numbers)
    return journal.folder


async def order(local: Local, number: str) -> WorkOrder:
    """A work order as the map makes it."""
    found: dict[type[Any], int] = {}
    for entity in (Customer, Location, Task):
        found[entity] = (await local.rows(entity.__name__))[0]["Id"]
    kinds = await local.rows("WorkOrderType", "TypeId", "IsDefSR")
    kind = next(each["Id"] for each in kinds if each["TypeId"] == "Request" and each.get("IsDefSR"))
    return WorkOrder(
        type_category="Request",
        sub_type=Ref(kind),
        customer=Ref(found[Customer]),
        po_number=number,
        items=[WoItem(asset=Ref(found[Location]), task=Ref(found[Task]), comment="c")],
    )


class Kill(BaseException):
    """End of the process, as the journal sees it."""


class KillAt:
    """A commit hook that kills at one of its calls, before or after the commit."""

    def __init__(self, at: int, *, after: bool) -> None:
        self.at, self.after, self.calls = at, after, 0

    def __call__(self, write: Callable[[], None]) -> None:
        self.calls += 1
        if self.calls != self.at or self.after:
            write()
        if self.calls == self.at:
            raise Kill
