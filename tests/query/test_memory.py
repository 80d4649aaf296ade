"""A long query holds a page or two, however many rows it has (the command is ``benchmarks.stream_rows``)."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import aclosing

import pytest

from tests.support.laws import WHOLE
from tests.support.order_pages import response_body
from tests.support.service import Answer, Request, Service
from wosdk_async import Trace, WorkOrder

PAGE, WARM, TOTAL = 25, 1_500, 6_000 if WHOLE else 2_000
GROWTH = 100_000  # bytes: the pages that may be on their way just then, and a table that doubles


def with_news(body: bytes, page: int) -> bytes:
    """Each page with a name and an enum value of its own, as no service should."""
    return body.replace(b"NotDocumented", b"News%d" % page).replace(b'"New"', b'"New%d"' % page)


@pytest.fixture
def traced() -> Iterator[Callable[[], object]]:
    """Function that begins to trace, which makes each row three times as slow."""
    yield tracemalloc.start
    tracemalloc.stop()


async def test_memory_does_not_grow_with_the_rows(traced: Callable[[], object]) -> None:
    """From row 1,500 on it stays within a few pages: 150 bytes kept of each row would leave it."""

    def page(request: Request) -> Answer:
        service.calls.clear()
        asked[0] += 1
        return Answer(body=with_news(response_body("", request.body, TOTAL, 0), asked[0]))

    asked, held, rows = [0], list[int](), 0
    async with Service(page) as service, service.client() as client:
        query = client.company().traced(Trace()).query(WorkOrder)
        async with aclosing(query.pages(PAGE)) as pages:
            async for found in pages:
                rows += len(found)
                if rows == WARM - 10 * PAGE:
                    traced()
                if rows >= WARM:
                    gc.collect()
                    held.append(tracemalloc.get_traced_memory()[0])
    assert (rows, len(held)) == (TOTAL, (TOTAL - WARM) // PAGE + 1)
    assert max(held) - held[0] < GROWTH
