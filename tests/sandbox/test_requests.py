"""Requests that a local Company received."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from tests.sandbox.faulty import creates, raw_client
from tests.testing.orders import create_command
from wosdk_async import Client, Company, Customer, InDoubtError
from wosdk_async.sandbox import LocalCompany, VirtualClock
from wosdk_async.sandbox.http.recorder import RequestRecorder
from wosdk_async.testing import Sandbox


async def test_requests_of_a_local_company() -> None:
    """As of the fixtures: in order, without secrets, and each is there when its response is."""
    with LocalCompany() as local:
        assert not local.requests
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            await acme.run(create_command("PO-1"))
            for count in range(1, 50):
                await acme.get(Customer, 512)
                assert len(local.requests) == count + 3
        created = local.requests[2]
        assert (created.path, created.status, created.company) == (
            "/api/v1/cmd/WoCreateCommand",
            200,
            "AcmeFacilities",
        )
        assert created.json["Command"]["WorkOrder"]["PoNumber"] == "PO-1"
        secret = local.variables["WOSDK_CLIENT_SECRET"]
        shown = repr([(request.headers, request.body) for request in local.requests])
        assert secret not in shown
        assert "Bearer" not in shown


async def test_a_step_sees_its_requests_after_older_ones_were_dropped(
    wosdk_sandbox: Sandbox, wosdk_company: Company
) -> None:
    """Positions stay; what would need a dropped request raises, so that "nothing was sent" cannot pass.

    Dropped are those that would fill the memory: bodies of up to 64 MiB are kept, each whole.
    """

    async def in_pieces() -> AsyncIterator[bytes]:
        yield bytes(8 << 20)
        yield bytes(4 << 20)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(wosdk_sandbox.app)) as http:
        for _ in range(6):
            await http.post("http://acme.test/nowhere", content=in_pieces())
    assert [len(each.body) for each in wosdk_sandbox.requests.stored] == [12 << 20] * 5
    await wosdk_company.connect()
    before = len(wosdk_sandbox.requests)
    await wosdk_company.get(Customer, 512)
    assert [each.path for each in wosdk_sandbox.requests[before:]] == ["/api/v1/base/Customer/512"]
    assert wosdk_sandbox.requests[-1].method == "GET"
    assert wosdk_sandbox.requests[before + 1 :] == ()
    need_dropped: list[Callable[[], object]] = [
        lambda: wosdk_sandbox.requests[0],
        lambda: wosdk_sandbox.requests[:1],
        lambda: wosdk_sandbox.requests[::-1],
        lambda: list(wosdk_sandbox.requests),
        lambda: wosdk_sandbox.requests.count(wosdk_sandbox.requests[-1]),
    ]
    for ask in need_dropped:
        with pytest.raises(RuntimeError, match=r"The first \d of 9 requests are no longer stored"):
            ask()
    wosdk_sandbox.clear_requests()
    before = wosdk_sandbox.requests
    assert before == wosdk_sandbox.requests == () == before
    assert before == []
    await wosdk_company.get(Customer, 512)
    assert before != wosdk_sandbox.requests
    assert [each.method for each in wosdk_sandbox.requests] == ["GET"]


async def test_ten_thousand_requests_are_stored() -> None:
    """One more drops the first."""

    async def app(*_: Any) -> None: ...

    recorder = RequestRecorder(app)
    scope = {"type": "http", "method": "GET", "query_string": b"", "headers": []}
    for number in range(10_001):
        assert len(recorder.requests) == number or number % 1000
        await recorder({**scope, "path": f"/{number}"}, app, app)  # type: ignore[arg-type]
    seen = recorder.requests
    assert (len(seen), len(seen.stored)) == (10_001, 10_000)
    assert (seen[1].path, seen[-1].path, seen[10_000].path) == ("/1", "/10000", "/10000")
    with pytest.raises(RuntimeError, match="first 1 of 10001 requests"):
        seen[0]
    with pytest.raises(IndexError):
        seen[10_001]


async def test_a_reset_keeps_faults_and_requests() -> None:
    """They are cleared by themselves, so that a test may reset the records in the middle."""
    with LocalCompany(clock=VirtualClock()) as local:
        local.faults.add("latency", fixed=0, operation="retrieve", first=5)
        local.clock.advance(days=1)
        async with Client.from_env(local.variables) as client:
            await client.company().get(Customer, 512)
        before = local.requests, local.clock.now, local.faults.report()
        local.reset()
        assert (local.requests, local.clock.now, local.faults.report()) == before
        local.faults.clear()
        local.clear_requests()
        assert (local.requests, local.faults.injected, local.faults.unmatched()) == ((), {}, [])


ENDINGS = [
    creates("status", status=500, carried_out=True),
    creates("status", status=400, code="BUSINESS_LOGIC_ERROR"),
    creates("reset", carried_out=True),
    creates("half_reply"),
    creates("garbage"),
    creates("request_id"),
    creates("slow_drip", piece=500, pause=0.001),
    creates("late_commit", after=0.01, hold=0.01),
]


@pytest.mark.parametrize("script", ENDINGS, ids=lambda script: script["rule"][0]["fault"])
def test_a_request_is_there_when_its_caller_knows_how_it_ended(script: dict[str, Any]) -> None:
    """Whatever a fault did: "sent once" and "not sent again" can be asserted without waiting."""
    with LocalCompany(faults=script) as local, raw_client(local) as raw:
        for number in range(1, 16):
            local.clear_requests()
            seen = raw.create(f"PO-{number}")
            (sent,) = local.requests
            assert sent.json["RequestId"] == f"PO-{number}"
            assert sent.status == (seen.status if seen.data.startswith(b"HTTP/") else None)


@pytest.mark.parametrize("kind", ["socket", "process"])
async def test_a_request_that_its_caller_gave_up_is_there(kind: str) -> None:
    """Before it is carried out, and without a status."""
    slow = {"rule": [{"fault": "latency", "fixed": 30, "operation": "WoCreateCommand"}]}
    with LocalCompany(faults=slow) as local, Sandbox() as sandbox:
        sandbox.faults.load(slow)
        served: LocalCompany | Sandbox = local if kind == "socket" else sandbox
        async with Client.from_env(local.variables) if kind == "socket" else sandbox.client() as client:
            await client.company().connect()
            served.clear_requests()
            with pytest.raises(InDoubtError):
                await client.company().with_options(deadline=0.5).run(create_command())
            (sent,) = served.requests
            assert (sent.path, sent.status) == ("/api/v1/cmd/WoCreateCommand", None)
