"""The Company of one test: what it starts with, what it keeps, and that no other Company sees it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.testing.orders import count, create_command
from wosdk_async import (
    BusinessRuleError,
    Client,
    Company,
    Customer,
    Employee,
    InDoubtError,
    VerifyWorkCommand,
    WorkOrder,
    WorkZone,
    fields,
)
from wosdk_async.errors import ConfigurationError, CredentialsError, NameNotFoundError
from wosdk_async.sandbox import Faults, StoreError
from wosdk_async.testing import Sandbox
from wosdk_async.transport.session.credentials import Credentials


async def names(sandbox: Sandbox) -> list[str | None]:
    """Of all customers that tests made."""
    f = fields(Customer)
    query = sandbox.client().company().query(Customer).where(f.name.like("made%"))
    return [customer.name async for customer in query]


@pytest.mark.parametrize("_run", [1, 2])
async def test_each_test_starts_anew(wosdk_company: Company, _run: int) -> None:
    """What the first run writes is not there in the second: the same number is given out again."""
    assert await count(wosdk_company) == 0
    made = await wosdk_company.run(create_command())
    assert made.wo is not None
    assert made.wo.number == "RSC000001"


STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["create", "snapshot", "reset", "back"])), max_size=12
)


@examples(20)
@given(STEPS)
def test_nothing_leaks_between_companies(steps: list[tuple[int, str]]) -> None:
    """Whatever is written, kept and taken back in one, the others show only their own."""

    async def run() -> None:
        sandboxes = [Sandbox() for _ in range(3)]
        expected: list[list[str | None]] = [[] for _ in sandboxes]
        kept = [(sandbox.snapshot(), list[str | None]()) for sandbox in sandboxes]
        for number, (which, step) in enumerate(steps):
            sandbox = sandboxes[which]
            if step == "create":
                name = f"made {number}"
                await sandbox.client().company().create(Customer(name=name, display_as=name))
                expected[which].append(name)
            elif step == "snapshot":
                kept[which] = (sandbox.snapshot(), list(expected[which]))
            elif step == "reset":
                sandbox.reset()
                expected[which] = []
            else:
                sandbox.reset(kept[which][0])
                expected[which] = list(kept[which][1])
        assert [await names(sandbox) for sandbox in sandboxes] == expected
        for sandbox in sandboxes:
            sandbox.close()

    asyncio.run(run())


async def test_clients_stay_connected_over_a_reset(wosdk_sandbox: Sandbox, wosdk_company: Company) -> None:
    """Rows are taken back, the session goes on."""
    await wosdk_company.run(create_command())
    wosdk_sandbox.reset()
    assert await count(wosdk_company) == 0
    assert [seen.path for seen in wosdk_sandbox.requests].count("/OAuth/token") == 1


async def test_a_reset_drops_what_is_still_waiting(wosdk_sandbox: Sandbox, wosdk_company: Company) -> None:
    """A create that ended in doubt before the reset does not appear after it."""
    await wosdk_company.connect()
    for fault in ({"fault": "late_commit", "after": 30}, {"fault": "latency", "fixed": 90}):
        wosdk_sandbox.faults.add(operation="WoCreateCommand", **fault)
        with pytest.raises(InDoubtError):
            await wosdk_company.with_options(deadline=5).run(create_command())
        wosdk_sandbox.faults.clear()
        wosdk_sandbox.reset()
        wosdk_sandbox.clock.advance(minutes=5)
        await wosdk_sandbox.clock.settle()
        assert await count(wosdk_company) == 0


async def test_a_reset_during_a_call_is_named(wosdk_sandbox: Sandbox, wosdk_company: Company) -> None:
    """The error does not blame a fault for the lost response."""
    await wosdk_company.connect()
    wosdk_sandbox.faults.add("latency", fixed=3, operation="WoCreateCommand")
    create = asyncio.ensure_future(wosdk_company.run(create_command()))
    while not wosdk_sandbox.faults.injected:
        await asyncio.sleep(0)
    wosdk_sandbox.reset()
    with pytest.raises(InDoubtError, match="The Company was reset during the request"):
        await create


async def test_no_cached_name_survives_a_reset(wosdk_sandbox: Sandbox, wosdk_company: Company) -> None:
    """A client cached an id that belongs to another record after the reset."""
    wosdk_sandbox.seed({"Customer": [{"Id": 900, "Name": "Blue", "DisplayAs": "Blue"}]})
    assert (await wosdk_company.resolve(Customer, name="Blue")).id == 900
    wosdk_sandbox.reset()
    wosdk_sandbox.seed(
        {
            "Customer": [
                {"Id": id, "Name": name, "DisplayAs": name} for id, name in ((900, "Red"), (901, "Blue"))
            ]
        }
    )
    assert (await wosdk_company.resolve(Customer, name="Blue")).id == 901


async def test_requests_are_seen_without_secrets(wosdk_sandbox: Sandbox, wosdk_company: Company) -> None:
    """Method, path, body and status of each; neither token nor client secret."""
    await wosdk_company.run(create_command("PO-9"))
    token, discovery, made = wosdk_sandbox.requests
    assert (token.path, token.body, token.json) == ("/OAuth/token", b"", None)
    assert (made.method, made.path, made.status) == ("POST", "/api/v1/cmd/WoCreateCommand", 200)
    assert made.json["Command"]["WorkOrder"]["PoNumber"] == "PO-9"
    assert made.headers["companyname"] == made.company == "AcmeFacilities"
    assert token.company is None
    assert "authorization" not in {*discovery.headers, *made.headers}


@pytest.mark.wosdk(company="Lakeside", now=datetime(2025, 3, 1, tzinfo=UTC))
async def test_a_marker_names_the_company_and_the_moment(
    wosdk_sandbox: Sandbox, wosdk_client: Client
) -> None:
    """The marker decides how the Company is made."""
    made = await wosdk_client.company().run(create_command())
    assert wosdk_sandbox.name == wosdk_client.company().name == "Lakeside"
    assert made.wo is not None
    order = await wosdk_client.company().get(WorkOrder, made.wo.id or 0, properties=["*"])
    assert order.dt_created is not None
    assert order.dt_created.date().isoformat() in ("2025-02-28", "2025-03-01")


@pytest.mark.wosdk(seed={"Customer": [{"Id": 900, "Name": "made before"}, {"Name": "made, too"}]})
async def test_rows_of_ones_own(wosdk_sandbox: Sandbox, wosdk_company: Company) -> None:
    """Rows that the marker brings are there at the start, and after a reset again."""
    await wosdk_company.update(await wosdk_company.get(Customer, 900), name="made new")
    wosdk_sandbox.reset()
    assert (await wosdk_company.get(Customer, 900)).name == "made before"
    assert await names(wosdk_sandbox) == ["made before", "made, too"]


@pytest.mark.wosdk(
    empty=True,
    seed={"WorkZone": [{"Id": 14, "DisplayAs": "Mine"}], "Customer": [{"Id": 512, "WorkZone": {"Id": 14}}]},
)
async def test_a_company_with_only_rows_of_ones_own(wosdk_sandbox: Sandbox, wosdk_company: Company) -> None:
    """Ids that the initial records have, too; at the start and after a reset."""
    for _ in range(2):
        assert (
            await wosdk_company.get(Customer, 512, properties=["WorkZone.DisplayAs"])
        ).work_zone == WorkZone(id=14, display_as="Mine")
        assert await wosdk_company.query(Employee).all() == []
        wosdk_sandbox.reset()
    with Sandbox() as usual:
        assert await usual.client().company().query(Employee).all()


async def test_rows_by_the_class_of_their_entity(wosdk_sandbox: Sandbox) -> None:
    """The client's classes tell which entity is meant."""
    rows: Any = {Customer: [{"Name": "made by class"}]}
    wosdk_sandbox.seed(rows)
    assert await names(wosdk_sandbox) == ["made by class"]


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ({"Custmer": [{}]}, "Custmer"),
        ({"Customer": [{"Nmae": "x"}]}, "Nmae"),
        ({"Customer": [{"Id": 512, "Name": "x"}]}, "512"),
    ],
)
async def test_rows_that_do_not_fit(
    wosdk_sandbox: Sandbox, rows: dict[str, list[dict[str, object]]], wrong: str
) -> None:
    """None is kept, and the error names what is wrong."""
    with pytest.raises(StoreError, match=wrong):
        wosdk_sandbox.seed({"Contract": [{"DisplayAs": "made first"}], **rows})
    assert await names(wosdk_sandbox) == []


async def test_the_sandbox_checks_credentials(wosdk_sandbox: Sandbox, wosdk_client: Client) -> None:
    """In the process, too, a wrong secret opens nothing."""
    other = wosdk_client.company(credentials=Credentials("sandbox-client", "wrong"))
    with pytest.raises(CredentialsError):
        await other.get(Customer, 512)


def test_a_client_goes_on_in_another_loop(wosdk_company: Company) -> None:
    """Fixtures are made outside of any loop; each ``asyncio.run`` may use them."""
    for _ in range(2):
        assert asyncio.run(wosdk_company.get(Customer, 512)).id == 512


async def test_nothing_is_left_open() -> None:
    """An open client and the Company of a test leave nothing that causes a warning."""
    with Sandbox() as sandbox:
        await sandbox.client().company().get(Customer, 512)
    del sandbox
    gc.collect()
    assert [task for task in asyncio.all_tasks() if "sandbox" in task.get_name()] == []


UNTYPED: Any = Sandbox  # as programs without a type checker call it


@pytest.mark.parametrize(
    ("mistake", "expected"),
    [
        (lambda each: each.faults.add("rest"), "fault is 'rest' (did you mean reset?)"),
        (lambda each: each.faults.add("status"), "status is missing; add it, as in status = 503"),
        (
            lambda each: each.faults.add("status", 503),
            "503 must be a keyword argument, as in add(",
        ),
        (
            lambda each: each.faults.add("reset", company="Nope"),
            "company is 'Nope'; known:",
        ),
        (lambda each: each.reset("nope"), "reset takes a snapshot from snapshot(), not 'nope'"),
        (
            lambda each: each.seed({"Customer": {"Name": "x"}}),
            "rows of Customer are {'Name': 'x'}, not a list.",
        ),
        (lambda each: each.seed({"Customer": ["x"]}), "record 1 of Customer is 'x', not an object. Write {"),
        (lambda each: each.seed([{"Name": "x"}]), "The rows are [{'Name': 'x'}], not an object. Write {"),
        (lambda each: each.seed({5: [{"Name": "x"}]}), "5 is not an entity type. Write {"),
        (
            lambda _: UNTYPED(company=""),
            "company is ''; a name must not be empty. Omit company= to use AcmeFacilities.",
        ),
        (lambda _: UNTYPED(company=["North", " "]), "company is ['North', ' ']; a name must not be empty."),
        (lambda _: UNTYPED(company=5), "company is 5; it must be a name, or a list of names"),
        (lambda _: UNTYPED(company=["a", 5]), "company is ['a', 5]; it must be a name"),
        (lambda _: UNTYPED(now="2026-01-01"), "now is '2026-01-01'; it must be a datetime"),
        (lambda _: UNTYPED(now=datetime(2026, 1, 1)), "now 2026-01-01 00:00:00 has no time zone"),
    ],
)
def test_a_mistake_names_the_value_and_the_remedy(
    wosdk_sandbox: Sandbox, mistake: Callable[[Any], object], expected: str
) -> None:
    with pytest.raises((ValueError, TypeError, StoreError)) as raised:
        mistake(wosdk_sandbox)
    assert expected in str(raised.value)
    assert wosdk_sandbox.faults.idle


async def test_a_company_without_verification() -> None:
    """The client gets the refusal as a business rule; a reset keeps the switch."""
    with Sandbox(verification=False) as sandbox:
        sandbox.reset()
        acme = sandbox.client().company()
        order = (await acme.run(create_command())).wo
        assert order is not None
        for action in ("pick_up", "start", "complete"):
            await getattr(acme.work_orders, action)(order.id)
        with pytest.raises(BusinessRuleError, match="verification"):
            await acme.run(VerifyWorkCommand(work_order_id=order.id, wo_rating_id="Positive"))


async def test_a_name_added_after_a_look_up_is_found_although_the_clock_stands_still(
    wosdk_company: Company, wosdk_sandbox: Sandbox
) -> None:
    wosdk_sandbox.seed({"WorkOrder": [{"Id": 7, "Number": "RSC000007", "StatusId": "Open"}]})
    await wosdk_company.work_orders.reasons("OnHold")
    with pytest.raises(NameNotFoundError):
        await wosdk_company.work_orders.hold(7, reason="Strike")
    wosdk_sandbox.seed({"WoActionReasonLookup": [{"DisplayAs": "Strike", "ActionId": "OnHold"}]})
    assert (await wosdk_company.work_orders.hold(7, reason="Strike")).id == 7


async def test_a_second_event_loop_is_refused_while_the_first_has_a_request(
    wosdk_sandbox: Sandbox, wosdk_faults: Faults
) -> None:
    """Its store has no lock: one loop's rollback would take another's write."""
    await wosdk_sandbox.client().company().connect()
    wosdk_faults.add("latency", fixed=60, operation="retrieve")
    here = asyncio.create_task(wosdk_sandbox.client().company().get(Customer, 512))
    while not wosdk_faults.injected:
        await asyncio.sleep(0)
    there = wosdk_sandbox.client().company()
    with ThreadPoolExecutor(1) as pool, pytest.raises(ConfigurationError):
        pool.submit(asyncio.run, there.get(Customer, 512)).result()  # this loop stands still meanwhile
    assert (await here).id == 512


async def test_calls_that_wait_for_their_rate_take_no_time(wosdk_sandbox: Sandbox) -> None:
    acme = wosdk_sandbox.client(rate=4).company()
    before = wosdk_sandbox.clock.now
    await asyncio.gather(*(acme.get(Customer, 512) for _ in range(9)))
    assert 1.9 < (wosdk_sandbox.clock.now - before).total_seconds() < 3


def test_a_closed_sandbox_says_that_it_is_closed() -> None:
    """Whatever needs its rows; what it has received can still be read."""
    with Sandbox() as sandbox:
        kept = sandbox.snapshot()
    for use in (sandbox.snapshot, sandbox.reset, lambda: sandbox.seed({}), lambda: sandbox.reset(kept)):
        with pytest.raises(StoreError, match="closed"):
            use()
    assert len(sandbox.requests) == 0
    sandbox.close()
