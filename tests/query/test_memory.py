"""A long query holds a page or two, however many rows it has (the command is ``benchmarks.stream_rows``)."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import aclosing

import pytest

from tests.support.order_pages import response_body
from tests.support.service import Answer, Request, Service
from wosdk_async import Trace, WorkOrder

PAGE, WARM = 25, 1_500
GROWTH = 225_000  # bytes: the pages that may be on their way just then, and a table that doubles


def as_ever(body: bytes, _: int) -> bytes:
    return body


def with_news(body: bytes, page: int) -> bytes:
    """Each page with a name and an enum value of its own, as no service should."""
    return body.replace(b"NotDocumented", b"News%d" % page).replace(b'"New"', b'"New%d"' % page)


@pytest.fixture
def traced() -> Iterator[None]:
    gc.freeze()  # what other tests left is not looked at in each collection
    tracemalloc.start()
    yield
    tracemalloc.stop()
    gc.unfreeze()


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(("total", "change"), [(6_000, as_ever), (3_000, with_news)])
async def test_memory_does_not_grow_with_the_rows(total: int, change: Callable[[bytes, int], bytes]) -> None:
    """From row 1,500 on it stays within a few pages: 50 bytes kept of each of 4,500 rows would leave it."""

    def page(request: Request) -> Answer:
        service.calls.clear()
        asked[0] += 1
        return Answer(body=change(response_body("", request.body, total, 0), asked[0]))

    asked, held, rows = [0], list[int](), 0
    async with Service(page) as service, service.client() as client:
        query = client.company().traced(Trace()).query(WorkOrder)
        async with aclosing(query.pages(PAGE)) as pages:
            async for found in pages:
                rows += len(found)
                if rows >= WARM:
                    held.append(tracemalloc.get_traced_memory()[0])
    assert (rows, len(held)) == (total, (total - WARM) // PAGE + 1)
    assert max(held) - held[0] < GROWTH
