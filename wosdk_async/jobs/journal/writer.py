"""Group commit: one thread writes what the event loop queues, many rows in one transaction."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

import attrs
import orjson

__all__ = ["Batch", "JobThread", "write_batch"]

T = TypeVar("T")


@attrs.define
class Batch:
    """What one transaction writes: values of rows, in the order in which they came, and who waits for it."""

    rows: list[tuple[Any, ...]] = attrs.field(factory=list)
    """Row and state, and the details of an outcome."""
    references: list[tuple[Any, ...]] = attrs.field(factory=list)
    others: list[Callable[[sqlite3.Connection], None]] = attrs.field(factory=list)
    waiting: list[asyncio.Future[None]] = attrs.field(factory=list)

    def __bool__(self) -> bool:
        return bool(self.rows or self.references or self.others)


_SAVE_ROWS = """REPLACE INTO outcome
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), ?2, json_extract(value, '$[2]')
FROM json_each(?1)"""
_SAVE_REFERENCES = """REPLACE INTO reference
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
    json_extract(value, '$[3]'), ?2, json_extract(value, '$[4]')
FROM json_each(?1)"""


def write_batch(db: sqlite3.Connection, batch: Batch, stamp: int) -> None:
    """Write a batch in one transaction.

    All rows go in one statement, as JSON: Python gives up its lock in each step of a statement, and beside a
    busy event loop it takes milliseconds to get it back.
    """
    if not batch.references and not batch.others:
        db.execute(_SAVE_ROWS, (_json(batch.rows), stamp))  # a transaction by itself
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute(_SAVE_ROWS, (_json(batch.rows), stamp))
        db.execute(_SAVE_REFERENCES, (_json(batch.references), stamp))
        for each in batch.others:
            each(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite ends it by itself when the disk is full
            db.execute("ROLLBACK")
        raise


def _json(values: list[tuple[Any, ...]]) -> str:
    try:
        return orjson.dumps(values).decode()
    except TypeError:  # half of a surrogate pair: no text that can be stored
        return orjson.dumps(_storable(values)).decode()


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    return [_storable(each) for each in value] if isinstance(value, list | tuple) else value


class JobThread:
    """A thread that carries out functions one after the other."""

    def __init__(self, name: str) -> None:
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def run(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Carry out a function in the thread; return a future of the running loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def task() -> None:
            result, error = None, None
            try:
                result = function()
            except BaseException as raised:
                error = raised
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(_settle, future, result, error)

        self._tasks.put(task)
        return future

    def end(self) -> None:
        """Let the thread end after what it was given, and wait for it."""
        self._tasks.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()


def _settle(future: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if future.done():  # cancelled
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
