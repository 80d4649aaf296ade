"""Receiver of the events that the service posts: kept on the disk before the response, worked off by a task.

    pip install . starlette uvicorn  # in a clone
    WEBHOOK_KEY=... uvicorn webhook_receiver:app    # subscribe with https://HOST/events/KEY

How the service signs its posts is not public. So the address holds a key, and an event only says *which* work
order to read: nothing else in it is believed. The access log of uvicorn shows ``/events/***``. Its tests
are in ``tests/examples/test_webhook_receiver.py``.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wosdk_async import (
    Client,
    Company,
    NotFoundError,
    PayloadError,
    WorkOrder,
    WosdkError,
    problem_of,
    read_event,
)

log = logging.getLogger(__name__)

MAX_BODY = 1024 * 1024  # bytes
MAX_WAITING = 10_000  # work orders on the disk that are still to be read; with more, the response is 503
GRACE = 10.0  # seconds that the current work order gets when the receiver ends
PAUSE = 5.0  # seconds after a failure of the service
TRIES = 17_280  # of one work order, a day of pauses: no failure of the service is so long

Key = int | str
"""Id of a work order; its number, if an event has no id."""

SCHEMA = """
    CREATE TABLE IF NOT EXISTS events (key PRIMARY KEY, number INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS failures (key PRIMARY KEY, tries INTEGER NOT NULL, error TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, number TEXT, status TEXT);
"""


# --- events on the disk ---------------------------------------------------------------------


class Inbox:
    """Work orders that are still to be read, and what was read. Events of one work order are one."""

    def __init__(self, path: str | Path, tries: int = TRIES) -> None:
        self.tries = tries
        self.arrived = asyncio.Event()
        self._db = sqlite3.connect(path)
        self._db.execute("PRAGMA journal_mode = WAL")  # a commit takes about a millisecond
        self._db.executescript(SCHEMA)
        (self._last,) = self._db.execute("SELECT coalesce(max(number), 0) FROM events").fetchone()

    def add(self, keys: list[Key]) -> None:
        """Keep events. They are on the disk when this returns."""
        self._last += 1
        with self._db:
            self._db.executemany(
                "INSERT INTO events VALUES (?, ?) ON CONFLICT DO UPDATE SET number = excluded.number",
                [(key, self._last) for key in keys],
            )
        self.arrived.set()

    def next(self) -> tuple[Key, int] | None:
        """Return the oldest event, with its number."""
        found: tuple[Key, int] | None
        found = self._db.execute("SELECT key, number FROM events ORDER BY number LIMIT 1").fetchone()
        return found

    def finish(self, key: Key, number: int, order: WorkOrder | None) -> None:
        """Keep what was read, and forget the event unless a newer one of the work order has come since."""
        with self._db:
            if order is not None:
                row = (order.id, order.number, order.status_id)
                self._db.execute("INSERT OR REPLACE INTO orders VALUES (?, ?, ?)", row)
            self._db.execute("DELETE FROM events WHERE key = ? AND number = ?", (key, number))
            self._db.execute("DELETE FROM failures WHERE key = ?", (key,))

    def fail(self, key: Key, number: int, error: str, *, passes: bool) -> bool:
        """Record that a work order could not be read; return whether it will be retried, after all others.

        After ``tries``, or a permanent error, the event is deleted, and its error stays in ``failures``.
        """
        self._last += 1
        with self._db:
            (tries,) = self._db.execute(
                "INSERT INTO failures VALUES (?, 1, ?)"
                " ON CONFLICT DO UPDATE SET tries = tries + 1, error = excluded.error RETURNING tries",
                (key, error),
            ).fetchone()
            again = passes and tries < self.tries
            change = "UPDATE events SET number = ?" if again else "DELETE FROM events"
            values = (self._last,) if again else ()
            self._db.execute(f"{change} WHERE key = ? AND number = ?", (*values, key, number))
        return again

    def waiting(self) -> int:
        """Return how many work orders are still to be read."""
        return int(self._db.execute("SELECT count(*) FROM events").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()


# --- receiving ------------------------------------------------------------------------------


async def receive_event(request: Request) -> Response:
    """Keep an event and respond; the work is done later.

    A body with an entry that cannot be read is refused as a whole: the sender sees the 400, and a repeat of
    what was good is harmless.
    """
    inbox: Inbox = request.app.state.inbox
    if not hmac.compare_digest(request.path_params["key"].encode(), request.app.state.key.encode()):
        return Response(status_code=404)
    try:
        body = await read_body(request)
        keys = [key_of(order) for order in read_event(body, WorkOrder)]
    except PayloadError as error:
        log.warning("not an event: %s", error)
        problem = problem_of(error)
        return Response(problem.content, problem.status, dict(problem.headers))
    if inbox.waiting() + len(keys) > MAX_WAITING:
        return Response(status_code=503, headers={"Retry-After": "60"})
    inbox.add(keys)
    return Response(status_code=204)


async def read_body(request: Request) -> bytes:
    """Return the body of a request. Raises PayloadError when it is too long, before all of it has come."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise PayloadError(f"the body has more than {MAX_BODY} bytes")
    return bytes(body)


def key_of(order: WorkOrder) -> Key:
    """Return what identifies the work order of an event. Anybody may have written it."""
    if type(order.id) is int and 0 < order.id < 2**31:  # True is not an id
        return order.id
    if isinstance(order.number, str) and 0 < len(order.number) <= 64 and order.number.isprintable():
        return order.number
    raise PayloadError("the event has neither the id nor the number of a work order")


def without_key(record: logging.LogRecord) -> bool:
    """Hide the key in a record of uvicorn's access log, which has the path among its arguments."""
    if isinstance(record.args, tuple):
        record.args = tuple(
            "/events/***" if isinstance(each, str) and "/events/" in each else each for each in record.args
        )
    return True


# --- working off ----------------------------------------------------------------------------


async def work_off(inbox: Inbox, acme: Company, stop: asyncio.Event, pause: float = PAUSE) -> None:
    """Read the work orders of events, one after the other, until ``stop``."""
    while not stop.is_set():
        inbox.arrived.clear()
        event = inbox.next()
        if event is None:
            await inbox.arrived.wait()  # ``stop`` comes with it
            continue
        key, number = event
        try:
            inbox.finish(key, number, await read_order(acme, key))
        except Exception as error:  # one work order must not stop the others
            passes = isinstance(error, WosdkError) and may_pass(error)
            again = inbox.fail(key, number, str(error), passes=passes)
            log.warning(
                "work order %r could not be read%s: %s", key, "" if again else " and is put aside", error
            )
            if passes:
                await asyncio.sleep(pause)


def may_pass(error: WosdkError) -> bool:
    """Return whether the same call may succeed later."""
    return problem_of(error).status in (502, 503, 504)


async def read_order(acme: Company, key: Key) -> WorkOrder | None:
    """Return a work order as it is now; None if there is none, as in an event that somebody made up."""
    try:
        if isinstance(key, int):
            return await acme.get(WorkOrder, key)
        return await acme.work_orders.by_number(key)
    except NotFoundError:
        return None


# --- the application ------------------------------------------------------------------------


def create_app(
    connect: Callable[[], Client] = Client.from_env,
    path: str | Path = "events.db",
    key: str | None = None,
    pause: float = PAUSE,
    tries: int = TRIES,
) -> Starlette:
    """Return the application. Tests pass a client, a file and a key of their own."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.key = key or os.environ["WEBHOOK_KEY"]
        app.state.inbox = inbox = Inbox(path, tries)
        stop = asyncio.Event()
        async with connect() as client:
            worker = asyncio.create_task(work_off(inbox, client.company(), stop, pause))
            try:
                yield
            finally:  # no request comes any more; what is still to be read is read after the next start
                stop.set()
                inbox.arrived.set()
                await asyncio.wait([worker], timeout=GRACE)
                worker.cancel()
                await asyncio.wait([worker])
                inbox.close()

    logging.getLogger("uvicorn.access").addFilter(without_key)
    return Starlette(routes=[Route("/events/{key}", receive_event, methods=["POST"])], lifespan=lifespan)


app = create_app()
