"""The change feed by example: first runs, polling, bounds, what cannot be followed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.resources.moving import START, Moving, version_of
from tests.support.service import Answer, Service, error
from wosdk_async import (
    CallOptions,
    ChangeFeed,
    Company,
    Credentials,
    Customer,
    InvalidCallError,
    Location,
    Record,
    RefusedError,
    UnsupportedError,
    Watermark,
    WorkOrder,
    WosdkError,
)
from wosdk_async.calls.sender import CallSender
from wosdk_async.options import ClientOptions
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.loop_state import TransportSettings
from wosdk_async.transport.transport import Tenant, Transport


async def ids(feed: ChangeFeed[WorkOrder]) -> list[int | None]:
    return [order.id async for order in feed]


def of(rows: int) -> Moving:
    table = Moving()
    for _ in range(rows):
        table.create()
    return table


async def test_without_a_watermark_all_rows_come() -> None:
    """Also one that never moved; the next pass of the same feed gives what moved since, and then nothing."""
    table = of(5)
    table.rows[3].at = None
    async with Service(table) as service, service.client() as client:
        feed = client.company().changes(WorkOrder)
        assert await ids(feed) == [1, 2, 3, 4, 5]
        table.move(3)
        table.move(1)
        assert await ids(feed) == [1, 3]
        assert await ids(feed) == []
        assert feed.watermark.time == START + timedelta(seconds=table.now)


async def test_an_empty_company_moves_no_watermark() -> None:
    async with Service(Moving()) as service, service.client() as client:
        feed = client.company().changes(WorkOrder)
        assert await ids(feed) == []
        assert feed.watermark == Watermark(company="Acme Facilities")


async def test_a_time_is_looked_back_from() -> None:
    """By the overlap: whose clock it came from is not known. A time without a zone is refused."""
    async with Service(of(9)) as service, service.client() as client:
        acme = client.company()
        since = START + timedelta(seconds=6)
        assert await ids(acme.changes(WorkOrder, since=since, overlap=timedelta(seconds=2))) == [
            4,
            5,
            6,
            7,
            8,
            9,
        ]
        assert await ids(acme.changes(WorkOrder, since=since, overlap=timedelta(0))) == [6, 7, 8, 9]
        assert len(await ids(acme.changes(WorkOrder, since=datetime.min.replace(tzinfo=UTC)))) == 9
        with pytest.raises(InvalidCallError, match="needs a zone"):
            acme.changes(WorkOrder, since=datetime(2026, 3, 1))
        with pytest.raises(InvalidCallError, match="since takes a time in the years 1 to 9999"):
            acme.changes(WorkOrder, since=datetime.min.replace(tzinfo=timezone(timedelta(hours=14))))
        with pytest.raises(InvalidCallError, match="zero to one day"):
            acme.changes(WorkOrder, overlap=timedelta(seconds=-1))


async def test_rows_stamped_with_a_time_to_come_hide_nothing() -> None:
    """The watermark stays behind the service's own clock, and such a row comes once."""
    table = of(3)
    table.commit(2, at=10.0**7)
    async with Service(table) as service, service.client() as client:
        feed = client.company().changes(WorkOrder)
        assert await ids(feed) == [1, 2, 3]
        table.move(1)
        assert await ids(feed) == [1]


async def test_a_pass_ends_however_fast_rows_are_made() -> None:
    """Those made after it began are left for the next one."""
    table = of(4)
    table.before = lambda: (table.create(), table.create(), table.create(), None)[3]
    async with Service(table) as service, service.client() as client:
        feed = client.company().changes(WorkOrder)
        found = await ids(feed)
        assert len(found) < 20
        table.before = lambda: None
        assert [*found, *await ids(feed)] == list(range(1, len(table.rows) + 1))


async def test_only_the_pass_reads_the_chosen_properties() -> None:
    """And always what tells versions apart."""
    table = of(2)
    async with Service(table) as service, service.client() as client:
        await ids(client.company().changes(WorkOrder, properties=["Number", "Items.*"]))
    chosen = [asked["PropertySet"]["Properties"] for asked in table.asked]
    assert chosen[:2] == [["Id", "LastActionDateUtc"], ["Id"]]
    assert chosen[2:] == [["Number", "Items.*", "LastActionDateUtc", "ConcurrencyId", "Id"]] * 2


async def test_a_refusal_leaves_the_watermark_where_the_reader_is() -> None:
    """The feed goes on behind the rows that were read before a page was refused."""
    table = of(7)

    def failing() -> None:
        if len(table.asked) == 4:
            table.before = lambda: None
            table.asked.append({})
            raise RuntimeError

    async with Service() as service, service.client() as client:

        def answer(request: object) -> Answer:
            try:
                return table(request)  # type: ignore[arg-type]
            except RuntimeError:
                return error(400, "INCORRECT_MODEL")

        service.handler = answer
        table.before = failing
        feed = client.company().changes(WorkOrder)
        taken = []
        with pytest.raises(RefusedError):
            async for order in feed:
                taken += [order.id]
        again = client.company().changes(WorkOrder, since=Watermark.parse(str(feed.watermark)))
        assert taken == [1, 2, 3, 4, 5, 6]
        assert await ids(again) == [7]


async def test_a_watermark_is_bounded_and_repeats_what_it_forgot() -> None:
    """More rows moved within the overlap than are remembered: the others come again, and none is lost."""
    table = of(5010)
    table.page = 4000
    async with Service(table) as service, service.client() as client:
        feed = client.company().changes(WorkOrder, overlap=timedelta(days=1))
        assert await ids(feed) == list(range(1, 5011))
        assert len(feed.watermark.seen) == 5000
        assert await ids(feed) == list(range(5001, 5011))


@pytest.mark.parametrize(("entity", "remedy"), [(Customer, "ConcurrencyId"), (Location, "the records")])
async def test_what_cannot_be_followed_says_what_to_do(entity: type[Record], remedy: str) -> None:
    """Only work orders have a time of their last action."""
    async with Service() as service, service.client() as client:
        with pytest.raises(UnsupportedError, match=f"{entity.wire_name} has no .*{remedy}"):
            client.company().changes(entity)


async def test_a_service_that_ignores_descending_order_is_refused() -> None:
    """The lowest id would be taken for the highest, and what moved above it be missed."""
    table = of(5)
    table.ignores_descending = True
    async with Service(table) as service, service.client() as client:
        with pytest.raises(WosdkError, match="not in order of Id: 2 came after 1"):
            await ids(client.company().changes(WorkOrder))


@pytest.mark.parametrize("version", ["1", [1], True])
async def test_a_version_that_cannot_be_stored_repeats_its_record(version: object) -> None:
    """The watermark can be read again, and no move is lost."""
    table = of(3)
    table.show = lambda row: row | ({"ConcurrencyId": version} if row["Id"] == 2 else {})
    async with Service(table) as service, service.client() as client:
        feed = client.company().changes(WorkOrder)
        assert await ids(feed) == [1, 2, 3]
        assert await ids(feed) == [2]
        assert [record.id for record in Watermark.parse(str(feed.watermark)).seen] == [1, 3]


async def test_polling_waits_between_passes() -> None:
    """By the injected clock, as long as it is asked to; a loop that is left waits for nothing more."""
    table, slept = of(2), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        table.move(1 + len(slept) % 2)

    async with Service(table) as service:
        settings = TransportSettings(options=ClientOptions(in_flight=2), clock=TransportClock(sleep=sleep))
        tenant = Tenant("Acme Facilities", service.region(), Credentials("id-1", "s3cr3t"))
        async with closing(Transport(settings)) as transport:
            sender = CallSender(transport=transport, tenant=tenant, options=CallOptions())
            feed = Company(sender).changes(WorkOrder)
            async with aclosing(feed.poll(every=30)) as orders:
                found = [version_of(await anext(orders)) for _ in range(5)]
    assert found == [(1, 1), (2, 1), (2, 2), (1, 2), (2, 3)]
    assert slept == [30, 30, 30]


@asynccontextmanager
async def closing(transport: Transport) -> AsyncIterator[Transport]:
    try:
        yield transport
    finally:
        await transport.aclose()
