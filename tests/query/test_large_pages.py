"""Pages that take long to decode: other tasks run in between, and the records are those of the page."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.frames import leaks
from wosdk_async import NoAnswerError, Query, WorkOrder, codec
from wosdk_async.protocol.wire import Call

ROW = {"Number": "RS00042", "StatusId": "New", "Customer": {"Id": 512}, "ShortLocation": 20 * "suite 214 "}
TURN = 128 * 1024  # at least one turn of the event loop for so many bytes
PAGES: dict[str, tuple[int, dict[str, Any]]] = {  # number of rows, what is unusual about each
    "large": (9000, {"ShortLocation": 90 * "suite 214 "}),
    "a number as enum value": (2000, {"StatusId": 5}),
    "an id as object": (2000, {"Customer": 512}),
    "another spelling": (2000, {"duration": 60}),
    "another key": (2000, {}),  # beside the rows
}


def sending(body: bytes) -> Any:
    """Return what sends a query, as a Company does, and responds with ``body``."""

    async def send(call: Call[Any]) -> Any:
        codec.READING.origin = "Acme"
        try:
            return call.decode(body)
        finally:
            codec.READING.origin = None

    return send


async def test_a_row_that_cannot_be_decoded_is_no_answer() -> None:
    """The error shows nothing of the page, also in its traceback's locals."""
    secret, number = "tokAbCdEfGhIjKlMnOpQrStUvWx", "9" * 5000
    rows = [codec.dumps({"Data": {**ROW, "Id": 1, "Note": secret}}), b'{"Data": {"Id": 2, "New": %s}}']
    body = b'{"Entities": [%b, %b]}' % (rows[0], rows[1] % number.encode())
    with pytest.raises(NoAnswerError) as caught:
        await Query(WorkOrder, sending(body)).limit(2).all()
    assert leaks(caught.value, {"secret": secret}) == set()


@pytest.mark.parametrize("cls", [WorkOrder, "WorkOrder"])
@pytest.mark.parametrize("kind", PAGES)
async def test_other_tasks_run_while_a_page_is_decoded(cls: Any, kind: str) -> None:
    count, odd = PAGES[kind]
    rows = [{**ROW, "Id": id} | odd for id in range(1, count + 1)]
    total = {"Total": count} if kind == "another key" else {}
    body = codec.dumps({"Entities": [{"Data": row} for row in rows], **total})
    codec.decode(codec.dumps(ROW | {"Id": 1}), WorkOrder)
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(turn())
    found = await Query(cls, sending(body)).limit(count).all()
    other.cancel()
    assert codec.READING.origin is None
    if cls is WorkOrder:
        assert found == codec.structure(rows, list[WorkOrder])
        assert {order.origin for order in found} == {"Acme"}
    else:
        assert found == rows
    if cls is WorkOrder or kind == "large":  # the values of a dict are not looked at
        assert turns > len(body) / TURN
