"""Grants are written before they leave, replies may be lost, and each row has one outcome."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from tests.jobs.cluster.pools import SETUP
from tests.support.waiting import until_true
from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted
from wosdk_async.errors import InDoubtError, SessionError, WosdkError
from wosdk_async.jobs.cluster.allocator import Allocator, Changes
from wosdk_async.jobs.cluster.coordinator import ClusterRun, Coordinator
from wosdk_async.jobs.cluster.job_workers import SessionPusher
from wosdk_async.jobs.cluster.leases import MAX_LOSSES, ClusterOptions, LeasedRows, boottime
from wosdk_async.jobs.cluster.messages import Order, PushedSession, RowReport, Setup, from_bytes, to_bytes
from wosdk_async.jobs.errors import JournalError
from wosdk_async.model import Customer
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.telemetry.statistics import Trace

OPTIONS = ClusterOptions(lease=0.5, deadline=0.2, skew=0.0, in_flight=4, rows_per_grant=4)
SESSION = PushedSession(number=1, token="t-of-the-company", base_url="https://a.example", expires_in=60.0)


class Link:
    """A worker that carries out each row at once, over a link that the test breaks."""

    def __init__(self, name: str) -> None:
        self.name, self.lost, self.closed = name, "", False
        self.held = LeasedRows(name, 0.2, boottime)
        self.orders: list[Order] = []
        self.sent: list[int] = []
        self.before: Callable[[Order], None] = lambda _: None
        self.after: Callable[[Order], None] = lambda _: None
        self.result: Callable[[int], dict[str, Any]] = lambda row: {"result": "done", "id": row}

    async def exchange(self, order: bytes) -> bytes:
        read = from_bytes(order, Order)
        self.before(read)
        self.orders.append(read)
        self.held.obey(read)
        while (row := self.held.next_row()) is not None:
            row.begin()
            self.sent.append(row.granted.row)
            self.held.end(row, self.result(row.granted.row))
        self.after(read)
        return to_bytes(self.held.report(session=1))

    async def aclose(self) -> None:
        self.closed = True


class Ledger:
    """A journal in memory."""

    run = 3

    def __init__(self, losses: dict[int, int] | None = None) -> None:
        self.granted: list[Any] = []
        self.ended: dict[int, Sequence[int]] = {}
        self.lost = losses or {}
        self.full = False

    async def last_epoch(self) -> int:
        return 41

    async def losses(self) -> dict[int, int]:
        return self.lost

    async def grant(self, record: Any) -> None:
        if self.full:
            raise JournalError("the disk is full")
        await asyncio.sleep(0)
        self.granted.append(record)

    def end_grant(self, epoch: int, *, lost: Sequence[int] = ()) -> None:
        self.ended[epoch] = lost

    def secrets(self) -> Secrets:
        return Secrets("t-of-the-company")


class Pool:
    name = "links"

    def __init__(self, *links: Link) -> None:
        self.links = links

    async def open(self, _: Setup, joined: Any, broken: Any) -> None:
        self.joined, self.broken = joined, broken
        for link in self.links:
            joined(link)

    async def aclose(self) -> None:
        pass


class Claims:
    def __init__(self, *numbers: int) -> None:
        record = Customer(name="c")
        self.left = [
            SimpleNamespace(row=SimpleNamespace(number=number), record=record, started=0.0)
            for number in numbers
        ]

    def __aiter__(self) -> Claims:
        return self

    async def __anext__(self) -> Any:
        if not self.left:
            raise StopAsyncIteration
        return self.left.pop(0)


async def ran(
    pool: Pool, claims: Claims, ledger: Ledger | None = None, options: ClusterOptions = OPTIONS
) -> tuple[dict[int, Any], list[str]]:
    """Run claims; return the outcomes, and what was said of workers."""
    said: list[str] = []
    found: dict[int, Any] = {}
    async with asyncio.timeout(20), started(pool, ledger or Ledger(), options, said) as coordinator:
        async with coordinator.run(claims) as run:
            async for outcome in run:
                assert outcome.input.row.number not in found
                found[outcome.input.row.number] = outcome
    return found, said


@asynccontextmanager
async def started(
    pool: Pool, ledger: Ledger, options: ClusterOptions, said: list[str]
) -> AsyncIterator[Coordinator]:
    coordinator = Coordinator(
        pool, ledger, options=options, on_event=said.append,  # type: ignore[arg-type]
        session=lambda used, _: None if used else SESSION,
    )  # fmt: skip
    coordinator.claimed_ahead = 8
    async with aclosing(coordinator):
        await coordinator.start(SETUP)
        yield coordinator


async def test_a_lost_reply_is_not_a_lost_worker() -> None:
    """The order was obeyed; the next report says what became of it."""
    link = Link("a")
    lost = 0

    def lose(order: Order) -> None:
        nonlocal lost
        if order.grants and lost < 3:
            lost += 1
            raise OSError("Unable to contact Actor's worker")

    link.after = lose
    found, said = await ran(
        Pool(link), Claims(1, 2, 3), options=ClusterOptions(lease=30, deadline=5, in_flight=4)
    )
    assert (sorted(link.sent), lost, said) == ([1, 2, 3], 3, [])
    assert {type(each) for each in found.values()} == {Done}


async def test_another_worker_behind_a_link_is_not_the_one_before() -> None:
    link = Link("a")

    def replace(order: Order) -> None:
        if order.grants:
            link.held = LeasedRows("other", 0.2, boottime)

    link.before = replace
    found, said = await ran(Pool(link, Link("b")), Claims(*range(1, 21)))
    assert "another worker took its place" in said[0]
    assert link.sent == []
    assert len(found) == 20


async def test_a_grant_that_cannot_be_written_does_not_leave_and_ends_the_run() -> None:
    link, ledger = Link("a"), Ledger()
    ledger.full = True
    with pytest.raises(JournalError, match="the disk is full"):
        await ran(Pool(link), Claims(1, 2), ledger)
    assert link.sent == []


async def test_a_run_without_workers_ends() -> None:
    options = ClusterOptions(lease=0.2, deadline=0.1, no_progress=0.3)
    with pytest.raises(WosdkError, match=r"no row could be sent for \d s: no worker responded \(links\)"):
        await ran(Pool(), Claims(1), options=options)


async def test_a_row_that_was_lost_too_often_is_refused() -> None:
    link = Link("a")
    found, _ = await ran(Pool(link), Claims(1, 2), Ledger({1: MAX_LOSSES, 2: MAX_LOSSES - 1}))
    assert isinstance(found[1], Failed)
    assert "the worker with this row was lost 4 times" in str(found[1].error)
    assert (isinstance(found[2], Done), link.sent) == (True, [2])


async def test_an_exception_in_the_block_gives_each_row_an_outcome_and_leaves_leases_open() -> None:
    link, ledger = Link("a"), Ledger()
    held: list[Order] = []

    def hang(order: Order) -> None:
        if order.grants:
            held.append(order)
            raise OSError("no reply")

    link.before = hang
    outcomes: list[Any] = []
    options = ClusterOptions(lease=60, deadline=20, in_flight=2)
    async with started(Pool(link), ledger, options, []) as coordinator:
        run = coordinator.run(Claims(*range(1, 41)))
        with pytest.raises(ZeroDivisionError):
            async with run:
                await until_true(lambda: held)
                raise ZeroDivisionError
        outcomes = [outcome async for outcome in run]
    assert sorted(each.input.row.number for each in outcomes) == list(range(1, 41))
    assert {type(each) for each in outcomes} == {InDoubt, NotStarted}
    assert set(ledger.ended).isdisjoint(grant.epoch for order in held for grant in order.grants)


async def test_a_result_that_comes_as_its_call_is_cancelled_counts() -> None:
    """The row was carried out: as one that was not started it would be sent again."""
    allocator = Allocator(OPTIONS, epoch=0, now=0.0)
    run = ClusterRun(Claims(), allocator, Counter(), limit=1, secrets=Secrets)
    (claim,) = Claims(7).left
    call = asyncio.create_task(run.send(claim, Trace()))
    await until_true(lambda: allocator.waiting)
    run.apply(Changes(ended=[RowReport(number=1, epoch=1, row=7, result="done", entity="Customer", id=70)]))
    call.cancel()
    assert (await call).id == 70


async def test_outcomes_keep_the_class_and_the_facts_of_errors_and_no_secret() -> None:
    link = Link("a")
    refused = {"result": "failed", "error": "ThrottledError", "reason": "t-of-the-company", "status": 429}
    doubt = {"result": "in_doubt", "error": "InDoubtError", "reason": "no response", "request_id": "r"}
    link.result = lambda row: refused if row == 1 else doubt
    found, _ = await ran(Pool(link), Claims(1, 2))
    error = found[1].error
    assert (type(error).__name__, error.status, "t-of-the-company" in str(error)) == (
        "ThrottledError",
        429,
        False,
    )
    assert (type(found[2].error), found[2].error.request_id) == (InDoubtError, "r")


async def test_a_record_that_cannot_be_encoded_fails_alone() -> None:
    claims, link = Claims(1, 2), Link("a")
    claims.left[0].record = object()
    found, _ = await ran(Pool(link), claims)
    assert (type(found[1]), type(found[2])) == (Failed, Done)


# --- sessions -------------------------------------------------------------------------------------


class Manager:
    """What opens sessions, and how often it was asked."""

    def __init__(self, error: WosdkError | None = None) -> None:
        self.error, self.renewals, self.generation = error, 0, 0
        self.clock = SimpleNamespace(now=lambda: 10.0)

    def current(self) -> Any:
        grant = SimpleNamespace(token="token", base_url="https://a.example")
        return (
            SimpleNamespace(generation=self.generation, grant=grant, expires_at=70.0)
            if self.generation
            else None
        )

    async def renew(self, after: int, _: float) -> None:
        self.renewals += 1
        if self.error is not None:
            raise self.error
        self.generation = max(self.generation, after + 1)


async def test_a_refused_session_is_renewed_once_for_all_workers() -> None:
    manager, failures = Manager(), []
    pusher = SessionPusher(manager, failures.append)  # type: ignore[arg-type]
    assert pusher.session_for(0, 0) is None
    assert pusher.session_for(0, 0) is None
    await until_true(lambda: manager.generation == 1)
    first = pusher.session_for(0, 0)
    assert (first.number, first.expires_in, pusher.session_for(1, 0)) == (1, 60.0, None)
    assert [pusher.session_for(1, 1) for _ in range(3)] == [None] * 3
    await until_true(lambda: manager.generation == 2)
    assert (manager.renewals, failures) == (2, [])
    await pusher.aclose()


async def test_a_service_that_refuses_every_session_ends_the_run() -> None:
    manager, failures = Manager(), []
    pusher = SessionPusher(manager, failures.append)  # type: ignore[arg-type]
    for number in range(6):
        pusher.session_for(number, number)
        await until_true(lambda number=number: manager.generation > number or failures)
    assert isinstance(failures[0], SessionError)
    await pusher.aclose()


async def test_a_log_in_that_fails_ends_the_run() -> None:
    manager, failures = Manager(WosdkError("wrong secret")), []
    pusher = SessionPusher(manager, failures.append)  # type: ignore[arg-type]
    pusher.session_for(0, 0)
    await until_true(lambda: failures)
    assert manager.renewals == 1
    await pusher.aclose()
