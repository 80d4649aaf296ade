"""A create that carries a key of the caller's own ends without doubt, whatever the service does and when."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of, examples
from tests.support.virtual import World, reply, settle
from wosdk_async import (
    Credentials,
    Customer,
    InDoubtError,
    InvalidCallError,
    Trace,
    WoAutoAssignRoutine,
    WoCreateCommand,
    WoPickUpCommand,
    WorkOrder,
    problem_of,
)
from wosdk_async.protocol.wire import Response
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.session.manager import ManagerCache

MARKER = "work_order.po_number"
PAGE = reply(b"<html>bad gateway</html>", 502)
SETTLE = 30.0


def create(key: str | None) -> WoCreateCommand:
    return WoCreateCommand(work_order=WorkOrder(po_number=key))


class ScriptedCompany(World):
    """Keeps work orders. The fate of a create: ``answer``, ``lost``, or seconds until it is committed."""

    def __init__(self, *fates: str | float, **options: Any) -> None:
        super().__init__(self.serve, **options)
        self.fates = iter(fates)
        self.orders: list[dict[str, Any]] = []
        self.request_ids: list[str] = []
        self.queries = 0
        self.broken_queries: Iterable[int] = ()

    async def serve(self, _: str, url: str, __: dict[str, str], body: bytes | None) -> Response:
        sent = json.loads(body or b"")
        if "/query/" in url:
            return self.rows(sent["QueryExpression"]["Criteria"]["Conditions"][0])
        self.request_ids.append(sent["RequestId"])
        fate, order = next(self.fates, "answer"), sent["Command"]["WorkOrder"]
        if isinstance(fate, str):
            if fate == "lost":
                return PAGE
            return reply({"CommandResult": {"Wo": self.commit(order)}})
        self.time.call_later(fate, lambda: self.commit(order) and None)
        return PAGE

    def commit(self, order: dict[str, Any]) -> dict[str, Any]:
        self.orders.append({**order, "Id": len(self.orders) + 1})
        return self.orders[-1]

    def rows(self, condition: dict[str, Any]) -> Response:
        self.queries += 1
        if self.queries in self.broken_queries:
            return PAGE
        keys = [key.casefold() for key in condition["Values"]]
        operator = "Equal" if len(keys) == 1 else "In"
        assert (condition["PropertyName"], condition["Operator"]) == ("PoNumber", operator)
        found = [order for order in self.orders if order["PoNumber"].casefold() in keys]
        return reply({"Entities": [{"Data": order} for order in found]})

    async def run(self, key: str = "key-1", **options: Any) -> Any:
        company = self.company(**{"settle": SETTLE, **options})
        task = asyncio.create_task(company.run(create(key), marker=MARKER))
        await self.time.finish(task)
        await self.time.pass_by(1000.0)
        return task.result()


fates = st.lists(st.just("lost") | st.floats(0.0, SETTLE - 0.1), max_size=3)


@examples(40)
@given(fates=fates, broken=st.sets(st.integers(1, 12), max_size=6))
async def test_exactly_one_is_made_and_it_is_the_one_returned(
    fates: list[str | float], broken: set[int]
) -> None:
    """Lost, committed at once or long after we gave up, with queries that fail: one order, no doubt."""

    service = ScriptedCompany(*fates)
    service.broken_queries = broken
    made = await service.run()
    (order,) = service.orders
    assert (made.wo.id, made.wo.po_number) == (order["Id"], "key-1")
    assert len(set(service.request_ids)) == 1


async def vault(_: str) -> Credentials:
    return Credentials("c", "s")


@each_of("other", [{"name": "ACME"}, {"credentials": vault}], ids=["case", "credentials"])
@each_of("fate", ["answer", 5.0])
async def test_all_handles_of_a_company_take_turns(other: dict[str, Any], fate: str | float) -> None:
    """One waits for the other, and while that is in doubt. Other credentials may not read its result."""
    service = ScriptedCompany(fate)
    handles = service.company(settle=SETTLE), service.company(**other, settle=SETTLE)
    tasks = [asyncio.create_task(each.run(create("key-1"), marker=MARKER)) for each in handles]
    for task in tasks:
        await service.time.finish(task)
    await service.time.pass_by(60.0)
    assert [task.result().wo.id for task in tasks] == [1, 1]
    assert (len(service.orders), service.queries > 0) == (1, True)


async def test_a_key_in_doubt_is_remembered_when_its_session_is_dropped() -> None:
    """The token ends within the settle time, and other Companies push the Company out."""
    service = ScriptedCompany(20.0)

    async def short(*_: Any) -> Response:
        return reply({"access_token": "t", "expires_in": 10})

    service.on_token = short
    doubtful = asyncio.create_task(service.company(deadline=3.0).run(create("key-1"), marker=MARKER))
    await service.time.finish(doubtful)
    assert isinstance(doubtful.exception(), InDoubtError)
    del doubtful  # its traceback would keep the session
    gc.collect()
    await service.time.pass_by(9.0)
    others = [service.company(f"other-{number}") for number in range(ManagerCache.MIN_SIZE)]
    for other in others:
        await service.time.finish(asyncio.create_task(other.run(create(None))))
    again = asyncio.create_task(service.company(settle=SETTLE).run(create("key-1"), marker=MARKER))
    await service.time.finish(again)
    await service.time.pass_by(60.0)
    assert [each["PoNumber"] for each in service.orders if "PoNumber" in each] == ["key-1"]


async def test_doubt_remains_while_queries_ignore_their_condition() -> None:
    """Records with other keys confirm no absence; the record itself is found all the same."""
    lost, late = ScriptedCompany("lost"), ScriptedCompany(20.0)
    for service in (lost, late):
        service.orders = [{"Id": 77, "PoNumber": "other"}]
        service.rows = lambda _, service=service: reply(  # type: ignore[method-assign, misc]
            {"Entities": [{"Data": order} for order in service.orders]}
        )
    with pytest.raises(InDoubtError, match="'other', which was not requested"):
        await lost.run()
    made = await late.run()
    assert (made.wo.po_number, len(lost.request_ids), len(late.request_ids)) == ("key-1", 1, 1)


async def test_doubt_remains_when_it_cannot_be_looked_up() -> None:
    """Queries that fail until twice the settle time leave it in doubt, and it is not sent again."""
    service = ScriptedCompany(0.0)
    service.broken_queries = range(1000)
    with pytest.raises(InDoubtError, match="the look-up failed"):
        await service.run()
    assert len(service.request_ids) == 1


@each_of(
    ("command", "marker"),
    [
        (create(None), MARKER),
        (create(" padded "), MARKER),
        (WoCreateCommand(), MARKER),
        (create("k"), "po_number"),
        (create("k"), "work_order"),
        (create("k"), "compute_schedule"),
        (create("k"), "work_order.no_such_field"),
        (create("k"), "wp_tree.id"),
        (WoCreateCommand(work_order=WorkOrder(is_warranty=True)), "work_order.is_warranty"),
        (WoCreateCommand(work_order=WorkOrder(won_id=0)), "work_order.won_id"),
        (WoPickUpCommand(work_order_id=1), "work_order_id"),
        (WoAutoAssignRoutine(work_order=WorkOrder(po_number="k")), MARKER),
        ("WoCreateCommand", MARKER),
    ],
)
async def test_a_marker_that_cannot_work_is_refused_before_anything_is_sent(
    command: Any, marker: str
) -> None:
    """No key, no record around it, a result that holds no such record, or a command that is only named."""
    service = ScriptedCompany()
    with pytest.raises(InvalidCallError, match="marker"):
        await service.company().run(command, marker=marker)
    assert service.engines == []


class Telling(ScriptedCompany):
    """Commits each create and loses its response; ``told`` makes the row of a look-up from the order."""

    def __init__(self, told: Callable[[dict[str, Any]], dict[str, Any]], **options: Any) -> None:
        super().__init__(*[0.0] * 9, **options)
        self.told = told

    def rows(self, condition: dict[str, Any]) -> Response:
        (key,) = condition["Values"]
        found = [self.told(order) for order in self.orders if str(order["PoNumber"]) == key]
        return reply({"Entities": [{"Data": row} for row in found]})


async def test_what_is_found_without_its_key_is_not_absent() -> None:
    """A response may leave out any field: nobody can tell then, and nothing is sent again."""
    service = Telling(lambda order: {"Id": order["Id"]})
    with pytest.raises(InDoubtError, match="but omitted that property"):
        await service.run("k")
    assert len(service.orders) == 1


async def test_a_key_that_comes_back_as_a_number_is_the_key() -> None:
    """Numbers and texts of their digits are one key."""
    service = Telling(lambda order: {"Id": order["Id"], "PoNumber": 123})
    made = await service.run("123")
    assert made.wo.id == 1
    assert len(service.orders) == 1


NAMELESS: list[dict[str, Any]] = [
    *(
        {},
        {"Wo": None},
        {"Wo": {}},
        {"Wo": {"Number": "A1"}},
        {"Wo": {"Id": 0}},
        {"Wo": {"Id": ""}},
        {"Wo": 5},
    ),
    *({"WorkOrder": {"Id": 5}}, {"ErrorInfo": {"Number": 0, "Description": ""}}, {"ErrorInfo": []}),
    {"Wo": {"Id": 1}, "ErrorInfo": {"Number": 6, "Description": "modified"}},
]
"""Results with status 200 that do not show that an order was created (spec 4.3, facts 5)."""


@each_of("is_stored", [True, False])
@each_of("result", NAMELESS, ids=str)
async def test_a_success_that_names_no_record_is_looked_up(result: dict[str, Any], is_stored: bool) -> None:
    """One order in the end: the one that was stored, or that of another attempt."""
    service = ScriptedCompany()
    sent = 0

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        nonlocal sent
        if "/query/" not in url and (sent := sent + 1) == 1:
            if is_stored:
                await service.serve(method, url, headers, body)
            return reply({"CommandResult": result})
        return await service.serve(method, url, headers, body)

    service.handler = serve
    made = await service.run("k")
    assert (made.wo.id, made.wo.po_number, len(service.orders), sent) == (1, "k", 1, 1 if is_stored else 2)


async def answered(found: Response) -> Response:
    return found


@each_of(
    "page",
    [
        {"Entities": {}},
        {"Entities": ""},
        {"Entities": [], "ErrorInfo": {"Number": 5, "Description": "no"}},
        {"Entities": [], "errorinfo": "no"},
    ],
    ids=str,
)
async def test_a_page_that_is_no_list_of_rows_does_not_say_that_nothing_is_there(page: Any) -> None:
    """The create was carried out and its response lost: it is not sent again."""
    service = ScriptedCompany(0.0)

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        got = await service.serve(method, url, headers, body)
        return reply(page) if "/query/" in url else got

    service.handler = serve
    with pytest.raises(InDoubtError, match="the look-up failed"):
        await service.run("k")
    assert len(service.orders) == 1


async def test_a_look_up_believes_no_response_of_another_call() -> None:
    """It sends a RequestId; an empty page that carries another one does not say that nothing is there."""
    service = ScriptedCompany(0.0)
    ids: list[str] = []

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        got = await service.serve(method, url, headers, body)
        if "/query/" not in url:
            return got
        ids.append(json.loads(body or b"")["RequestId"])
        if len(ids) > 3:
            return reply({**json.loads(got.body), "RequestId": ids[-1]})
        return reply({"Entities": [], "RequestId": "f" * 32})

    service.handler = serve
    made = await service.run("k")
    assert made.wo.id == 1
    assert len(service.orders) == 1


async def test_a_look_up_without_a_request_id_is_believed_beside_commands_that_have_one() -> None:
    """A host may send it in results of commands alone."""
    service = ScriptedCompany("answer", 0.0)

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        got = await service.serve(method, url, headers, body)
        if "/query/" in url or got.status != 200:
            return got
        return reply({**json.loads(got.body), "RequestId": json.loads(body or b"")["RequestId"]})

    service.handler = serve
    assert (await service.run("first")).wo.id == 1
    assert (await service.run("second")).wo.id == 2


def looks_at(service: ScriptedCompany) -> list[float]:
    """Return the times of all look-ups from now on, in seconds."""
    looks: list[float] = []
    rows, begun = service.rows, service.time.seconds

    def noting(condition: dict[str, Any]) -> Response:
        looks.append(service.time.seconds - begun)
        return rows(condition)

    service.rows = noting  # type: ignore[method-assign]
    return looks


async def test_absent_is_what_two_looks_did_not_find_after_it_settled() -> None:
    """One look may have read the response of another call: the second attempt comes after two."""
    service = ScriptedCompany("lost", "lost")
    looks = looks_at(service)
    await service.run(deadline=300.0)
    assert len(service.request_ids) == 3
    first = [at for at in looks if at < looks[-1] / 2 + 1]
    assert len([at for at in first if at >= SETTLE]) >= 2


async def test_an_error_of_no_library_passes_as_it_is() -> None:
    """A marked call raises what the program's own transport raised, unchanged."""
    failure = ZeroDivisionError("of the program")

    async def broken(*_: Any) -> Response:
        raise failure

    task = asyncio.create_task(World(broken).company().run(create("k"), marker=MARKER))
    await settle()
    assert task.exception() is failure


async def test_looks_become_rarer() -> None:
    """Each wait is twice as long as the one before, up to 5 s: the service is not asked all the time."""
    service = ScriptedCompany(29.0)
    looks = looks_at(service)
    await service.run()
    assert looks[:7] == pytest.approx([0.0, 0.25, 0.75, 1.75, 3.75, 7.75, 12.75], abs=0.01)


# --- looked for before the first attempt -----------------------------------------------------------


async def test_what_is_there_is_not_sent() -> None:
    """The result holds the record, as after a doubt, and the trace says that it was found."""
    service, trace = ScriptedCompany(), Trace()
    service.orders = [{"Id": 7, "PoNumber": "k", "Number": "WO-7"}]
    call = service.company().traced(trace).run(create("k"), marker=MARKER, look_first=True)
    task = asyncio.create_task(call)
    await service.time.finish(task)
    made = task.result()
    assert (made.wo.id, made.wo.number) == (7, "WO-7")
    assert (trace.found, trace.attempts, trace.sent) == (True, 0, False)
    assert service.request_ids == []


@pytest.mark.parametrize("look_first", [True, False])
async def test_a_doubt_says_whether_the_key_was_looked_for(look_first: bool) -> None:
    """Then the same call with the same key can safely be made again."""
    service = ScriptedCompany("lost")
    company = service.company(deadline=5.0, settle=SETTLE)
    task = asyncio.create_task(company.run(create("k"), marker=MARKER, look_first=look_first))
    await service.time.finish(task)
    error = task.exception()
    assert isinstance(error, InDoubtError)
    assert error.look_first is look_first
    assert error.remedies == ((Remedy.SAME_KEY,) if look_first else (Remedy.LOOK,))
    assert ("with the same key" in problem_of(error).body["detail"]) is look_first


async def test_look_first_without_a_marker_is_refused() -> None:
    """There is no key to look for."""
    company = ScriptedCompany().company()
    for call in (
        company.run(create("k"), look_first=True),
        company.create(Customer(name="A"), look_first=True),
    ):
        with pytest.raises(InvalidCallError, match="look_first needs a marker"):
            await call
    with pytest.raises(InvalidCallError, match="look_first needs a marker"):
        company.run_many([create("k")], look_first=True)
