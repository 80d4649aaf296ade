"""Jobs for the tests: an import of the examples, and a journal as a kill leaves it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path

from tests.cli.conftest import EXAMPLES, Wosdk
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.journal.store import JOURNAL

MAP = EXAMPLES / "sf311.toml"


def imported(wosdk: Wosdk, file: Path, store: Path, *more: str) -> Path:
    assert wosdk("import", file, "--map", MAP, "--sandbox", store, *more).exit_code in (0, 1)
    return file.with_name(f"{file.name}.job")


def killed(folder: Path, *rows: int) -> None:
    """Leave the journal as a kill of the last run does while these rows are being sent."""

    async def begin() -> None:
        journal = Journal.open(folder)
        await journal.begin(rows)
        journal.abandon()

    asyncio.run(begin())
    with contextlib.closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as db:
        db.execute("UPDATE outcome SET run = (SELECT max(number) FROM run) WHERE run = 0")
