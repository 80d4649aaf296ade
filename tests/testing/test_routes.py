"""respx routes from the catalogue: the whole client runs, and nothing reaches the network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import respx

from tests.support.laws import each_of, some
from tests.testing.orders import create_command
from wosdk_async import (
    Client,
    Company,
    Credentials,
    Customer,
    EntitySpecifier,
    Region,
    SendWorkOrderCommand,
    WoActionResponse,
    WoCreateCommand,
    WoPickUpCommand,
    WoPriority,
    WorkOrder,
)
from wosdk_async.catalogue import load
from wosdk_async.errors import InDoubtError, InvalidCallError, NotFoundError
from wosdk_async.testing import Routes, routes

ENTITIES = sorted(name for name, entity in load().entities.items() if entity.kind == "entity")
COMMANDS = sorted(load().commands)


@pytest.fixture
def mocked() -> Any:
    with respx.mock(assert_all_called=True) as router:
        yield router


@pytest.fixture
def service(mocked: respx.MockRouter) -> Routes:
    return routes(mocked)


@pytest.fixture
async def acme(service: Routes) -> AsyncIterator[Company]:
    async with Client(credentials=Credentials("id", "secret"), company="AcmeFacilities") as client:
        yield client.company()


async def test_every_entity_answers_an_example(acme: Company) -> None:
    """Each operation of each entity type, read by the client without anything left over."""
    for name in some(ENTITIES, 3):
        found = await acme.get(name, 7)
        assert found["Id"] == 7
        assert [row["Id"] async for row in acme.query(name, check=False)] == [1]
        assert (await acme.create(name, {}, check=False)).id == 1
        assert (await acme.delete(name, 8, check=False)).id == 8


async def test_every_command_answers_an_example(acme: Company) -> None:
    """Its result has every documented field but the one of failures."""
    for name in COMMANDS:
        found = await acme.run(name, {}, check=False)
        assert set(found) == {field.name for field in load().commands[name].response} - {"ErrorInfo"}


async def test_commands_by_their_other_paths(service: Routes, acme: Company) -> None:
    """In any letter case, with an example or a response that was set."""
    command = SendWorkOrderCommand(work_order_id=1)
    assert command.path == "SendWorkOrder"
    await acme.run(command, check=False)
    assert "Wo" in (await acme.post("cmd/workorder/create", {}))["CommandResult"]
    service.on(WoCreateCommand).answers({"Wo": {"Id": 8}})
    assert (await acme.post("cmd/workorder/create", {}))["CommandResult"] == {"Wo": {"Id": 8}}


async def test_a_command_on_a_work_order_answers_with_this_order(acme: Company) -> None:
    made = await acme.run(WoPickUpCommand(work_order_id=90417))
    assert made.wo is not None
    assert made.wo.id == 90417
    assert (await acme.work_orders.start(7)).id == 7


async def test_examples_are_typed(acme: Company) -> None:
    """They are read into the classes of the model."""
    order = await acme.get(WorkOrder, 90417)
    assert (order.id, order.extra) == (90417, None)
    assert order.dt_created is not None
    made = await acme.run(create_command())
    assert made.wo is not None
    assert made.wo.id == 1


async def test_answers_in_turn(service: Routes, acme: Company) -> None:
    """One after the other, the last one from then on; the requests are on the route."""
    orders = service.on(WoCreateCommand).answers(
        WoActionResponse(wo=WorkOrder(id=7, number="A7")), {"Wo": {"Id": 8}}
    )
    made = [await acme.run(create_command()) for _ in range(3)]
    assert [each.wo and each.wo.id for each in made] == [7, 8, 8]
    assert orders.route.call_count == 3
    assert service.on("WoCreateCommand") is orders
    assert "called=3" in repr(orders)


async def test_responses_of_each_operation(service: Routes, acme: Company) -> None:
    """Records, lists, ids and specifiers, each where it belongs; the others keep their examples."""
    service.on(Customer).answers(Customer(id=5, name="Five"))
    service.on(Customer, "query").answers([Customer(id=5), Customer(id=6)], [])
    service.on(Customer, "create").answers(77)
    service.on(Customer, "update").answers(EntitySpecifier(id=5, concurrency_id=3))
    service.on("Priority", "query").answers([WoPriority(id=3)])
    assert (await acme.get(Customer, 5)).name == "Five"
    assert [row.id async for row in acme.query(Customer)] == [5, 6]
    assert [row.id async for row in acme.query(Customer)] == []
    assert (await acme.create(Customer(name="x", display_as="x"))).id == 77
    assert (await acme.update(Customer(id=5), name="y")).concurrency_id in (None, 3)
    assert [row.id async for row in acme.query(WoPriority)] == [3]
    assert (await acme.delete(Customer, 4)).id == 4


async def test_refusals(service: Routes, acme: Company) -> None:
    """An error of the service by its code; and what respx itself can do, on the same route."""
    service.on(Customer).refuses("ERROR_CODE_1019", "There is none.")
    with pytest.raises(NotFoundError, match="There is none"):
        await acme.get(Customer, 1)
    service.on(WoCreateCommand).route.respond(500)
    with pytest.raises(InDoubtError):
        await acme.run(create_command())


async def test_unknown_paths_fail_the_test(service: Routes, acme: Company) -> None:
    """With the path and the remedy, until a response is set."""
    with pytest.raises(AssertionError, match=r"POST /api/v1/cmd/NewCommand is not an operation .*on\(name\)"):
        await acme.run("NewCommand", {})
    with pytest.raises(AssertionError, match="POST /api/v1/batch/Reports"):
        await acme.post("batch/Reports", {})
    assert len(service.unexpected) == 2
    service.unexpected.clear()
    service.on("NewCommand").answers({"Done": True})
    assert await acme.run("NewCommand", {}) == {"Done": True}


async def test_without_examples_unnamed_operations_fail_the_test(mocked: respx.MockRouter) -> None:
    """Log-ins and operations with ``on`` get their responses, also an example."""
    service = routes(mocked, company="Strict", examples=False)
    service.on(Customer)
    async with Client(credentials=Credentials("id", "secret"), company="Strict") as client:
        strict = client.company()
        assert (await strict.get(Customer, 7)).id == 7
        for unexpected in (
            strict.get(WorkOrder, 7),
            strict.query(Customer).all(),
            strict.delete(Customer, 7),
        ):
            with pytest.raises(AssertionError, match="was not expected"):
                await unexpected
    assert len(service.unexpected) == 3
    service.unexpected.clear()


async def test_another_company_fails_the_test(mocked: respx.MockRouter) -> None:
    """A request under another name is a mistake of the program, and says so."""
    service = routes(mocked, company="Lakeside", region=Region.EMEA)
    async with Client(credentials=Credentials("id", "secret"), region=Region.EMEA) as client:
        assert (await client.company("lakeside").get(Customer, 3)).id == 3
        with pytest.raises(AssertionError, match=r"'Acme'.*'Lakeside'"):
            await client.company("Acme").get(Customer, 3)
    assert len(service.unexpected) == 1
    service.unexpected.clear()


async def test_several_companies(mocked: respx.MockRouter) -> None:
    """Each has its own responses, whichever was mocked first; a third one fails the test."""
    north, south = (routes(mocked, company=name) for name in ("North", "South"))
    for name, service in (("Cold Ltd", north), ("Warm Ltd", south)):
        service.on(Customer).answers(Customer(id=3, name=name))
    south.on(Customer, "query").answers([Customer(id=7)])
    north.on(WorkOrder).answers(WorkOrder(id=5, number="N5"))
    async with Client(credentials=Credentials("id", "secret")) as client:
        for name, expected in (("North", "Cold Ltd"), ("south", "Warm Ltd"), ("North", "Cold Ltd")):
            assert (await client.company(name).get(Customer, 3)).name == expected
        found = [[row.id async for row in client.company(n).query(Customer)] for n in ("North", "South")]
        assert found == [[1], [7]]
        assert (await client.company("North").get(WorkOrder, 5)).number == "N5"
        assert (await client.company("South").get(WorkOrder, 5)).number != "N5"
        with pytest.raises(AssertionError, match=r"'East'.*'North', 'South'.*company='East'"):
            await client.company("East").get(Customer, 3)
    assert [len(each.unexpected) for each in (north, south)] in ([0, 1], [1, 0])
    for each in (north, south):
        each.unexpected.clear()


CAUGHT = """
    import asyncio
    import contextlib

    import pytest
    import respx
    from wosdk_async import Client, Credentials, Customer, WoPickUpCommand
    from wosdk_async.testing import routes

    async def many(acme):
        async with acme.run_many([WoPickUpCommand(work_order_id=7)]) as run:
            assert len([outcome async for outcome in run]) == 1

    async def careful(acme):
        with contextlib.suppress(Exception):
            await acme.get(Customer, 7)

    async def unknown(acme):
        with contextlib.suppress(Exception):
            await acme.run("NewCommand", {})

    def run(program, company="North"):
        async def closing():
            async with Client(credentials=Credentials("id", "secret"), company=company) as client:
                await program(client.company())
        asyncio.run(closing())

    @pytest.mark.parametrize("program", [many, careful])
    def test_unexpected(program, respx_mock):
        routes(respx_mock, company="North", examples=False)
        run(program)

    @pytest.mark.parametrize("program", [many, careful])
    def test_other_company(program, respx_mock):
        routes(respx_mock, company="North")
        run(program, "South")

    def test_unknown_path(respx_mock):
        routes(respx_mock, company="North")
        run(unknown)

    def test_router_of_its_own():
        with respx.mock() as router:
            routes(router, company="North", examples=False)
            run(careful)

    @pytest.fixture
    def program_that_ends_late(respx_mock):
        routes(respx_mock, company="North", examples=False)
        yield
        run(careful)

    def test_fixture(program_that_ends_late): ...

    def test_fails_itself(respx_mock):
        routes(respx_mock, company="North", examples=False)
        run(careful)
        assert False

    def test_intended(respx_mock):
        service = routes(respx_mock, company="North", examples=False)
        run(careful)
        assert len(service.unexpected) == 1
        service.unexpected.clear()

    def test_expected(respx_mock):
        service = routes(respx_mock, company="North", examples=False)
        service.on(Customer)
        run(careful)
"""


def test_an_unexpected_request_whose_error_is_caught_fails_the_test(quick_kit: pytest.Pytester) -> None:
    """``run_many`` makes it an outcome, and a program may handle it; a test that follows is not blamed."""
    quick_kit.makepyfile(CAUGHT)
    done = quick_kit.runpytest_subprocess("-q", "-p", "respx.plugin")
    done.assert_outcomes(passed=9, failed=1, errors=7)
    caught = [
        f"{test}[[]{program}" for test in ("unexpected", "other_company") for program in ("many", "careful")
    ]
    for name in (*caught, "unknown_path", "router_of_its_own", "fixture"):
        done.stdout.fnmatch_lines([f"*ERROR at teardown of test_{name}*", "*of 1 unexpected requests*"])


def test_results_that_an_operation_cannot_have() -> None:
    """The error comes when the response is set, not when a request asks for it."""
    service = routes(respx.mock(assert_all_called=False))
    with pytest.raises(InvalidCallError, match="list of records"):
        service.on(Customer, "query").answers(Customer())
    with pytest.raises(InvalidCallError, match="an id"):
        service.on(Customer, "create").answers("5")
    with pytest.raises(InvalidCallError, match="needs at least one result"):
        service.on(Customer, "update").answers()
    with pytest.raises(InvalidCallError, match="unknown operation 'read'"):
        service.on(Customer, "read")


UNTYPED: Any = WoPickUpCommand


@each_of(
    ("mistake", "expected"),
    [
        (lambda each: each.on("Custmer"), "no entity or command 'Custmer'; did you mean 'Customer'?"),
        (lambda each: each.on("WoPickup"), "'WoPickup'; did you mean 'WoPickUpCommand'?"),
        (lambda each: each.on("WoPickUpComand"), "'WoPickUpComand'; did you mean 'WoPickUpCommand'?"),
        (lambda each: each.on(UNTYPED(work_order_id=1)), "not a WoPickUpCommand; pass WoPickUpCommand"),
        (lambda each: each.on(None), "or a name, not None"),
        (lambda each: each.on(WoPickUpCommand, "create"), "is a command; leave out the operation 'create'"),
        (lambda each: each.on(Customer, "command"), "is an entity, not a command; use one of retrieve"),
        (lambda each: each.on("create"), "'create' is an operation; pass an entity or command first"),
        (lambda each: each.on(WorkOrder, "create"), "WoCreateCommand); use one of retrieve, update, query"),
        (lambda each: each.on(Customer).answers(WorkOrder()), "returns Customer, not a WorkOrder; pass"),
        (lambda each: each.on(Customer, "query").answers([WorkOrder()]), "returns Customer, not a WorkOrder"),
        (
            lambda each: each.on(WoPickUpCommand).answers(WorkOrder()),
            "command WoPickUpCommand returns WoActionResponse, not a WorkOrder; pass WoActionResponse(...)",
        ),
        (lambda each: each.on(Customer).answers({"Nme": "x"}), "has no 'Nme'; did you mean 'Name'?"),
        (lambda each: each.on(Customer).answers({"Nmae": "x"}), "has no 'Nmae'; did you mean 'Name'?"),
        (lambda each: each.on(Customer, "create").answers({"EntityTyp": "x"}), "did you mean 'EntityType'?"),
        (lambda each: each.on(Customer).refuses(404), "such as 'ERROR_CODE_1019', not 404"),
        (
            lambda each: each.on(Customer).refuses("BUSINES_LOGIC_ERROR"),
            "no error has the code 'BUSINES_LOGIC_ERROR'; did you mean 'BUSINESS_LOGIC_ERROR'?",
        ),
        (lambda each: each.on(Customer).refuses("typo code"), "; pass one such as ERROR_CODE_1019"),
        (lambda each: each.on(Customer).refuses("NotFoundError"), "; pass ERROR_CODE_1019"),
    ],
)
def test_a_mistake_is_reported_when_it_is_made(mistake: Callable[[Any], object], expected: str) -> None:
    """A route that never matches, or a result of another kind, would make a test that shows nothing."""
    with pytest.raises(InvalidCallError) as caught:
        mistake(routes(respx.mock(assert_all_called=False)))
    assert expected in caught.value.message


def test_what_is_no_router_is_refused() -> None:
    """The message names the fixture."""
    none: Any = None
    with pytest.raises(InvalidCallError, match="takes a respx router, not None; pass the respx_mock fixture"):
        routes(none)


def test_names_that_the_catalogue_does_not_know_are_allowed() -> None:
    """The service may know more than this release does."""
    each = routes(respx.mock(assert_all_called=False))
    each.on("Quantum", "query").answers([{"Id": 1, "Spin": 2}])
    each.on("MakeQuantumCommand").answers({"Done": True})
    each.on(Customer).answers({"Id": 1, "QuantumState": 2, "name": "x"})
    each.on(Customer).refuses("ERROR_CODE_1018").refuses("NOBODY_SAW_IT")


async def test_a_response_that_no_request_asks_for(acme: Company) -> None:
    """A router that wants all routes called checks those whose response was set, not the examples."""
    router = respx.mock(assert_all_called=True)
    with router:
        routes(router)
    with pytest.raises(AssertionError, match="not called"), router:
        routes(router).on(Customer).answers(Customer(id=1))
    await acme.get(Customer, 1)
