"""Imports of a file beside what the Company holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import HEADER, rows
from wosdk_async.jobs import Import
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.jobs.ledger.terms import Refusal
from wosdk_async.jobs.undo import Undo

LONG = "x" * 4000
"""A text that no work order can have: the row is refused before it is sent."""


async def refusal(ready: Import, local: Local) -> Refusal:
    """Return why an import sends nothing."""
    local.server.asked.clear()
    with pytest.raises(ImportRefusedError) as caught:
        await ready.run(local.company)
    assert local.server.changes == []
    return caught.value.refusal


async def undo(local: Local, folder: Path | None, run: int | None = None) -> None:
    """Take back what a run created; the last one that sent rows unless one is given."""
    async with Journal.open(folder) as journal:
        undone = Undo(company=local.company, journal=journal, of_run=run or await journal.last_sending_run())
        await undone.run(await local.company.work_orders.cancel_reason("Entered twice"))


async def open_orders(local: Local) -> Counter[str]:
    """How many work orders that are not cancelled have each number of the file."""
    found = await local.rows("WorkOrder", "PoNumber", "StatusId")
    return Counter(row["PoNumber"] for row in found if row["StatusId"] != "Cancelled")


def corrected(folder: Path | None, old: str, new: str) -> Path:
    """Return the rejects of a job with another text in a cell."""
    path = folder / "rejects.csv"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    return path


def workbook(path: Path, **sheets: Sequence[int]) -> Path:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(path) as book:
        for name, numbers in sheets.items():
            page = book.add_worksheet(name)
            for number, row in enumerate([HEADER, *rows(*numbers)]):
                page.write_row(number, 0, row)
    return path
