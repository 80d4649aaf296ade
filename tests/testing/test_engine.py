"""Requests without a socket end as they do over one: carried out, cancelled, broken, refused."""

from __future__ import annotations

import asyncio
import gc
from base64 import b64encode
from contextlib import nullcontext
from typing import Any

import httpx
import pytest

from tests.support.facts import having
from tests.support.frames import leaks
from tests.testing.orders import count, create_command
from wosdk_async import (
    CallOptions,
    Client,
    Company,
    Credentials,
    Customer,
    Document,
    Limits,
    Location,
    Region,
    RetryPolicy,
    Timeouts,
    fields,
)
from wosdk_async.errors import InDoubtError, NoAnswerError, NotSentError, WosdkError
from wosdk_async.protocol.wire import Call
from wosdk_async.sandbox import Faults
from wosdk_async.sandbox.http.router import ServiceRequest
from wosdk_async.testing import Sandbox, SkippingClock
from wosdk_async.testing.engines import scope_of


@pytest.mark.parametrize("turns", range(12))
async def test_the_hook_hears_of_a_cancelled_create_that_may_have_been_carried_out(turns: int) -> None:
    """At whatever point it is cancelled: what was carried out was sent, and the client's hook heard of it."""
    notified: list[str | None] = []

    def on_in_doubt(call: Call[object], _: str) -> None:
        notified.append(call.request_id)

    with Sandbox() as sandbox:
        client = sandbox.client(on_in_doubt=on_in_doubt)
        acme = client.company()
        await acme.connect()
        create = asyncio.ensure_future(acme.run(create_command()))
        for _ in range(turns):
            await asyncio.sleep(0)
        create.cancel()
        outcome = (await asyncio.gather(create, return_exceptions=True))[0]
        found = await count(acme)
        assert found <= 1
        assert (found == 1) == (bool(notified) or not isinstance(outcome, BaseException))
        assert client.stats().in_flight == 0


async def test_a_cancelled_call_gives_its_place_back(wosdk_sandbox: Sandbox, wosdk_faults: Faults) -> None:
    """Hundreds of calls cancelled before their response leave none in flight, and the next one works."""
    client = wosdk_sandbox.client(in_flight=2)
    acme = client.company()
    await acme.connect()
    wosdk_faults.add("late_commit", operation="retrieve")
    for _ in range(100):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await acme.get(Customer, 512)
    wosdk_faults.clear()
    assert (await acme.get(Customer, 512)).id == 512
    assert (client.stats().in_flight, client.stats().connections_busy) == (0, 0)


async def test_the_read_timeout_passes_in_virtual_time(wosdk_sandbox: Sandbox) -> None:
    """It counts from the last part of the response, and a late commit comes after it."""
    once = CallOptions(retry=RetryPolicy(attempts=1))
    acme = wosdk_sandbox.client(timeouts=Timeouts(read=1), options=once).company()
    await acme.connect()
    wosdk_sandbox.faults.add("late_commit", operation="create", after=5)
    began = wosdk_sandbox.clock.now
    with pytest.raises(InDoubtError, match="test: the service sent nothing for 1 s"):
        await acme.create(Customer(name="Pier Tea", display_as="Pier Tea"))
    assert 1 < (wosdk_sandbox.clock.now - began).total_seconds() <= 1.3
    for pause, error in (
        (0.9, nullcontext()),
        (1.5, pytest.raises(NoAnswerError, match="sent nothing for 1 s")),
    ):
        wosdk_sandbox.faults.load({"rule": [{"fault": "slow_drip", "piece": 100, "pause": pause}]})
        with error:
            await acme.get(Customer, 512)
    wosdk_sandbox.faults.load({"rule": [{"fault": "latency", "fixed": 130, "operation": "retrieve"}]})
    patient = CallOptions(retry=RetryPolicy(attempts=1), deadline=200)
    with pytest.raises(NoAnswerError, match="sent nothing for 120 s"):
        await wosdk_sandbox.client(options=patient).company().get(Customer, 512)
    waiting = wosdk_sandbox.client(options=patient, timeouts=Timeouts(read=None)).company()
    assert (await waiting.get(Customer, 512)).id == 512


async def test_a_response_beyond_the_limit_is_refused(wosdk_sandbox: Sandbox) -> None:
    """As over a socket; only downloads may be longer."""
    whole, acme = (wosdk_sandbox.client(limits=limits).company() for limits in (Limits(), Limits(body=500)))
    made = await whole.run(create_command())
    kept = await whole.documents.attach(made.wo or 0, bytes(5000), file_name="hello.txt")
    document = await whole.get(Document, kept.id or 0)
    assert len(await acme.documents.download(document)) == 5000
    with pytest.raises(
        NoAnswerError, match="test: the response cannot be read: the response is longer than 500 b"
    ):
        await acme.query(Location).all()


async def test_faults_that_wait_end_for_clients_of_other_libraries(
    wosdk_sandbox: Sandbox, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    """The clock jumps for them, and a late commit does not wait for them to hang up."""
    transport = httpx.ASGITransport(wosdk_sandbox.app)
    async with Client.from_env(wosdk_sandbox.variables, transport=transport) as client:
        acme = client.company()
        await acme.connect()
        wosdk_faults.add("latency", fixed=600, operation="retrieve")
        wosdk_faults.add("late_commit", after=60, operation="create")
        before = wosdk_clock.now
        async with asyncio.timeout(20):
            assert (await acme.get(Customer, 512)).id == 512
            assert (wosdk_clock.now - before).total_seconds() == 600
            with pytest.raises(InDoubtError):
                await acme.create(Customer(name="Pier Tea", display_as="Pier Tea"))
            wosdk_faults.clear()
            while not wosdk_clock.sleepers:
                await asyncio.sleep(0)
            wosdk_clock.advance(60)
            while not await acme.query(Customer).where(fields(Customer).name == "Pier Tea").all():
                await asyncio.sleep(0)


async def test_nothing_but_the_company_is_there(wosdk_sandbox: Sandbox) -> None:
    """A client for another address reaches nothing, and no network."""
    client = wosdk_sandbox.client()
    elsewhere = Region("elsewhere", locator_url="https://locator.corrigo.com")
    other = client.company("Acme", region=elsewhere, credentials=Credentials("a", "b")).with_options(
        deadline=5
    )
    with pytest.raises(NotSentError, match=r"oauth-pro-v2\.corrigo\.com.*only-in-process\.wosdk\.test"):
        await other.get(Customer, 512)


async def test_a_company_that_is_gone_answers_nobody() -> None:
    """What still runs when its test is over gets an error that says so."""
    with Sandbox() as sandbox:
        acme = sandbox.client().company()
        await acme.connect()
    with pytest.raises(NotSentError, match="test has ended"):
        await acme.get(Customer, 512)


async def test_work_under_way_ends_with_the_test(wosdk_faults: Faults) -> None:
    """A request that waits at the end is given up, and its task does not stay."""
    with Sandbox() as sandbox:
        acme = sandbox.client().company()
        await acme.connect()
        sandbox.faults.add("late_commit", operation="WoCreateCommand", hold=None)
        create = asyncio.ensure_future(acme.run(create_command()))
        while not sandbox.faults.injected:
            await asyncio.sleep(0)
    with pytest.raises(InDoubtError):
        await create
    assert [task for task in asyncio.all_tasks() if task.get_name().startswith("sandbox")] == []


async def test_documents_are_fetched_in_the_process(wosdk_company: Company) -> None:
    """What was attached can be downloaded: files have no socket either."""
    made = await wosdk_company.run(create_command())
    kept = await wosdk_company.documents.attach(made.wo or 0, b"hello", file_name="hello.txt")
    document = await wosdk_company.get(Document, kept.id or 0)
    assert await wosdk_company.documents.download(document) == b"hello"


async def test_many_at_once(wosdk_client: Client) -> None:
    """Each gets its own response."""
    acme = wosdk_client.company()
    made = await asyncio.gather(*(acme.run(create_command(f"PO-{number}")) for number in range(100)))
    numbers = {result.wo.number for result in made if result.wo}
    assert len(numbers) == 100


async def test_a_failure_of_the_sandbox_is_a_500(
    wosdk_company: Company, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As at the service, a create is in doubt then; the log says what failed."""
    await wosdk_company.connect()
    monkeypatch.setattr("wosdk_async.sandbox.http.router.run_command", None)
    with pytest.raises(WosdkError, check=having(status=500)):
        await wosdk_company.run(create_command())
    assert "the sandbox failed" in caplog.text


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "status", "status": 401, "operation": ["token", "retrieve"]},
        {"fault": "garbage", "operation": ["token", "retrieve"]},
        {"fault": "half_reply", "operation": ["token", "retrieve"]},
        {"fault": "latency", "fixed": 600, "operation": ["token", "retrieve"]},
        {"fault": "expired_token", "operation": "retrieve"},
    ],
    ids=lambda fault: fault["fault"],
)
@pytest.mark.parametrize("connected", [True, False])
async def test_no_variable_of_a_traceback_shows_a_secret(
    wosdk_sandbox: Sandbox, wosdk_company: Company, fault: dict[str, Any], connected: bool
) -> None:
    """As ``pytest -l -vv`` prints them: of a log-in, and of a call."""
    if connected:
        await wosdk_company.connect()
    wosdk_sandbox.faults.add(fault)
    with pytest.raises(WosdkError) as caught:
        await wosdk_company.with_options(deadline=5).get(Customer, 99999)
    wosdk_sandbox.faults.clear()
    secret = wosdk_sandbox.variables["WOSDK_CLIENT_SECRET"]
    shown = {"secret": secret, "token": "Bearer ", "token response": '"access_token"'}
    assert leaks(caught.value, shown, deep=0) == set()


async def test_no_object_of_a_request_under_way_shows_a_secret(wosdk_sandbox: Sandbox) -> None:
    """Those of the fixtures and of the sandbox, to the fault that sends a token."""
    variables = wosdk_sandbox.variables
    pair = f"{variables['WOSDK_CLIENT_ID']}:{variables['WOSDK_CLIENT_SECRET']}"
    sent = f"Basic {b64encode(pair.encode()).decode()}"
    scope = scope_of("POST", variables["WOSDK_TOKEN_URL"], (("Authorization", sent),))
    shown = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"grant_type=client_credentials"}

    async def send(_: Any) -> None:
        kinds = ("wosdk_async.sandbox", "wosdk_async.testing")
        shown.extend(repr(each) for each in gc.get_objects() if str(type(each).__module__).startswith(kinds))

    wosdk_sandbox.faults.add("half_reply", operation="token")
    with pytest.raises(ConnectionResetError):
        await wosdk_sandbox.app(scope, receive, send)
    shown.append(repr(ServiceRequest("POST", (), {}, {"authorization": sent}, b"", "")))
    assert "BufferedResponse" in "".join(shown)
    assert [each for each in shown if sent in each or "access_token" in each] == []
