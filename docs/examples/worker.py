"""Worker that follows the work orders of a Company: keeps them in a table, flags those without a PO number.

    pip install .  # in a clone
    python worker.py orders.db            # the WOSDK_* variables name the Company

It may be killed at any moment and started again: what was done and how far it has read are one transaction.
SIGTERM ends it after the current record. Its tests are in ``tests/examples/test_worker.py``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sqlite3
import sys
from pathlib import Path

from wosdk_async import (
    Client,
    Company,
    InDoubtError,
    RefusedError,
    SessionError,
    ThrottledError,
    Watermark,
    WorkOrder,
    WosdkError,
)

log = logging.getLogger(__name__)

EVERY = 60.0  # seconds between two passes; also after an error, when a call in doubt may still take effect
FLAG = "Needs attention"
COMMIT = 100  # records; the watermark is a text of up to half a megabyte, so not after each

SCHEMA = """
    CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, number TEXT, status TEXT);
    CREATE TABLE IF NOT EXISTS failures (id INTEGER PRIMARY KEY, error TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS place (company TEXT PRIMARY KEY, watermark TEXT NOT NULL);
"""


class Store:
    """Table of work orders, and the place in the feed up to which it is complete."""

    def __init__(self, path: str | Path) -> None:
        self._db = sqlite3.connect(path)
        self._db.executescript(SCHEMA)

    def watermark(self, company: str) -> Watermark | None:
        """Return the place where the last run stopped; None the first time."""
        row = self._db.execute("SELECT watermark FROM place WHERE company = ?", (company,)).fetchone()
        return None if row is None else Watermark.parse(row[0])

    def put(self, order: WorkOrder) -> None:
        """Write a work order; it is kept with the next watermark."""
        row = (order.id, order.number, order.status_id)
        self._db.execute("INSERT OR REPLACE INTO orders VALUES (?, ?, ?)", row)
        self._db.execute("DELETE FROM failures WHERE id = ?", (order.id,))

    def put_aside(self, order: WorkOrder, error: WosdkError) -> None:
        """Keep the error of a work order that somebody has to look at; its next change is processed again."""
        self._db.execute("INSERT OR REPLACE INTO failures VALUES (?, ?)", (order.id, str(error)))

    def commit(self, company: str, watermark: Watermark) -> None:
        """Keep what was written since the last commit, and the place that belongs to it."""
        self._db.execute("INSERT OR REPLACE INTO place VALUES (?, ?)", (company, str(watermark)))
        self._db.commit()

    def close(self) -> None:
        """Close the file; what was not committed is read again by the next run."""
        self._db.close()


async def follow(acme: Company, store: Store, stop: asyncio.Event, every: float = EVERY) -> None:
    """Process what moves, pass after pass, each from where the last one stopped, until ``stop``."""
    feed = acme.changes(WorkOrder, since=store.watermark(acme.name), properties=["*", "Flags.*"])
    while not stop.is_set():
        try:
            async with contextlib.aclosing(aiter(feed)) as orders:
                count = 0
                async for order in orders:
                    if count and count % COMMIT == 0:
                        store.commit(acme.name, feed.watermark)  # the current record is not in it yet
                    if stop.is_set():
                        break
                    await process(acme, store, order)
                    count += 1
        except InDoubtError as error:  # the next pass begins with this record, and looks first
            log.warning("it may have been done: %s", error)
        except WosdkError as error:
            log.warning("will resume in the next pass: %s", error)
        store.commit(acme.name, feed.watermark)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), every)


async def process(acme: Company, store: Store, order: WorkOrder) -> None:
    """Do what there is to do for one work order. It may run twice for the same state, so it looks first."""
    store.put(order)
    if order.po_number or order.flags:
        return
    try:
        await acme.work_orders.set_flags(order, [FLAG], comment="The PO number is missing")
    except (ThrottledError, SessionError):  # refused, but not because of this work order
        raise
    except RefusedError as error:  # it would be refused again, and the worker would not get past it
        log.warning("work order %s cannot be flagged: %s", order.number, error)
        store.put_aside(order, error)


async def main(path: str) -> None:
    """Run until SIGTERM or Ctrl-C."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    store = Store(path)
    try:
        async with Client.from_env() as client:
            await follow(client.company(), store, stop)
    finally:
        store.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main(sys.argv[1]))
