"""Short ways to carry an import out, and to see what it made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.jobs.conftest import Local
from wosdk_async import Customer, Location, Ref, Task, WoItem, WorkOrder
from wosdk_async.jobs import Import, RowOutcome, Summary


async def held(local: Local) -> Counter[str]:
    """How many work orders have each number of the file."""
    return Counter(row["PoNumber"] for row in await local.rows("WorkOrder", "PoNumber"))


async def carried_out(job: Import, local: Local) -> tuple[Summary, dict[int, RowOutcome]]:
    outcomes: dict[int, RowOutcome] = {}
    summary = await job.run(local.company, on_row=lambda row: outcomes.update({row.row: row}))
    return summary, outcomes


def told(summary: Summary) -> list[str]:
    """The warnings of an import, but the one that the map has no key."""
    return [warning for warning in summary.warnings if "the map has no key" not in warning]


async def killed_while_sending(job: Import, local: Local, numbers: Sequence[int]) -> Path:
    """Leave the journal as a kill does while these rows are under way, and return its folder."""
    opened = await job.open(local.company)
    await opened.journal.start_run(**opened.request.details(local.company))
    await opened.admit()
    await opened.journal.begin(numbers)
    opened.journal.abandon()
    return opened.journal.folder


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


class Kill(Exception):
    """End of the process, as the journal sees it."""


def killing(at: int, *, after: bool) -> Callable[[Callable[[], None]], None]:
    """Return a hook that kills at commit number ``at``, before or after it."""
    commits = 0

    def commit(write: Callable[[], None]) -> None:
        nonlocal commits
        commits += 1
        if commits != at or after:
            write()
        if commits == at:
            raise Kill

    return commit
