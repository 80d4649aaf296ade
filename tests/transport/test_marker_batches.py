"""Look-ups of many keys: in one query where they wait at the same time, and no key spoils another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.facts import having
from tests.support.laws import each_of
from tests.support.virtual import World, reply, settle
from tests.transport.test_marker import MARKER, PAGE, SETTLE, ScriptedCompany, create
from wosdk_async import (
    AssetInfo,
    BusinessRuleError,
    Contact,
    Customer,
    DeadlineError,
    Done,
    InvalidCallError,
    NoAnswerError,
    NotUniqueError,
    RefusedError,
    RetryPolicy,
    UnsupportedError,
    WoCreateCommand,
    WoFlagCommand,
    WorkOrder,
)
from wosdk_async.protocol.wire import Response

Row = dict[str, Any]


class Asked(World):
    """Answers queries alone: ``rows`` gives those of the keys that were asked for, after ``seconds``."""

    def __init__(self, rows: Callable[[list[str]], list[Row] | Response], seconds: float = 0.0) -> None:
        super().__init__(self.serve)
        self.rows = rows
        self.seconds = seconds
        self.asked: list[list[str]] = []
        self.most = self.under_way = 0

    async def serve(self, _: str, __: str, ___: dict[str, str], body: bytes | None) -> Response:
        keys = json.loads(body or b"")["QueryExpression"]["Criteria"]["Conditions"][0]["Values"]
        self.asked.append(keys)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if self.seconds:
                await self.time.sleep(self.seconds)
        finally:
            self.under_way -= 1
        rows = self.rows(keys)
        return rows if isinstance(rows, Response) else reply({"Entities": [{"Data": row} for row in rows]})

    async def find(self, keys: Any, **options: Any) -> dict[Any, list[Any]]:
        call = self.company(**options).find_marked(WoCreateCommand, MARKER, keys)
        task: asyncio.Task[dict[Any, list[Any]]] = asyncio.create_task(call)
        await self.time.finish(task)
        return task.result()


def there(keys: list[str]) -> list[Row]:
    return [{"Id": int(key[1:]), "PoNumber": key} for key in keys]


def names(count: int) -> list[str]:
    return [f"k{number}" for number in range(1, count + 1)]


# --- many keys of one caller ----------------------------------------------------------------


@each_of("count", [0, 1, 199, 200, 201, 2000])
async def test_two_hundred_keys_in_a_query(count: int) -> None:
    """Every key is asked for once, at most four queries are under way, and each key has its record."""
    service = Asked(there, seconds=0.1)
    found = await service.find(names(count))
    assert [(key, [order.id for order in orders]) for key, orders in found.items()] == [
        (key, [number]) for number, key in enumerate(names(count), 1)
    ]
    assert len(service.asked) == -(-count // 200)
    assert sorted(key for keys in service.asked for key in keys) == sorted(names(count))
    assert service.most <= 4


async def test_a_query_as_the_service_has_it() -> None:
    """One key by Equal, several by In, values as texts, with the Id as order and everything selected."""
    bodies: list[Any] = []

    async def serve(_: str, url: str, __: dict[str, str], body: bytes | None) -> Response:
        bodies.append((url, json.loads(body or b"")))
        return reply({"Entities": []})

    world = World(serve)
    company = world.company()
    await company.find_marked(WorkOrder, "po_number", ["a"])
    await company.find_marked(WorkOrder, "won_id", [7, 8])
    await company.find_marked(WorkOrder, "customer.tenant_code", ["T"])
    assert all(url.endswith("/api/v1/query/WorkOrder") for url, _ in bodies)
    assert all(len(body.pop("RequestId")) == 32 for _, body in bodies)
    expressions = [body["QueryExpression"] for _, body in bodies]
    # facts 4: ConditionExpression, FilterExpression, Orders; values are texts
    conditions = [expression["Criteria"]["Conditions"] for expression in expressions]
    assert conditions == [
        [{"PropertyName": "PoNumber", "Operator": "Equal", "Values": ["a"]}],
        [{"PropertyName": "WonId", "Operator": "In", "Values": ["7", "8"]}],
        [{"PropertyName": "Customer.TenantCode", "Operator": "Equal", "Values": ["T"]}],
    ]
    assert expressions[2]["PropertySet"] == {"Properties": ["*", "Customer.TenantCode"]}
    assert all(expression["Count"] < 4000 for expression in expressions)  # facts 7
    assert all(
        expression["Orders"] == [{"PropertyName": "Id", "OrderType": "Ascending"}]
        for expression in expressions
    )


async def test_properties_to_read() -> None:
    """Those that are named, the key and the id; without any, what the service sends by default."""
    sets: list[Any] = []

    async def serve(_: str, __: str, ___: dict[str, str], body: bytes | None) -> Response:
        sets.append(json.loads(body or b"")["QueryExpression"]["PropertySet"]["Properties"])
        return reply({"Entities": []})

    company = World(serve).company()
    await company.find_marked(WorkOrder, "po_number", ["a"], properties=["Number", "Items.*"])
    await company.find_marked(WorkOrder, "po_number", ["a"])
    assert sets == [["Number", "Items.*", "PoNumber", "Id"], ["*", "PoNumber"]]
    with pytest.raises(InvalidCallError, match="unknown property 'Numbr'"):
        await company.find_marked(WorkOrder, "po_number", ["a"], properties=["Numbr"])


async def test_removed_records_are_there() -> None:
    """facts 3.4: a query returns them as well; their key is used up."""

    async def serve(*_: Any) -> Response:
        return reply({"Entities": [{"Data": {"Id": 5, "TenantCode": "T", "IsRemoved": True}}]})

    found = await World(serve).company().find_marked(Customer, "tenant_code", ["T", "U"])
    ((customer,), nobody) = found["T"], found["U"]
    assert (customer.id, customer.is_removed, nobody) == (5, True, [])


async def test_every_record_with_a_key_is_returned() -> None:
    """Those that the service takes for equal, and that are not, are left out."""
    rows = [{"Id": n, "PoNumber": key} for n, key in enumerate(("a", "A", " a ", "a", "C", 12), 1)]
    found = await Asked(lambda _: rows).find(iter(["a", "12", "c", "a"]))
    assert {key: [order.id for order in orders] for key, orders in found.items()} == {
        "a": [1, 3, 4],
        "12": [6],
        "c": [],
    }


@each_of("keys", ["abc", b"abc", 7, None, [""], [" a"], [None], [True], [1.5], [0]])
async def test_what_cannot_be_a_key_is_refused(keys: Any) -> None:
    """Before anything is sent."""
    service = Asked(there)
    with pytest.raises(InvalidCallError, match="key"):
        await service.company().find_marked(WoCreateCommand, MARKER, keys)
    assert not service.asked


async def test_a_key_that_does_not_fit_is_refused() -> None:
    """Only if the length of the field is documented."""
    service = Asked(lambda _: [])
    with pytest.raises(InvalidCallError):
        await service.company().find_marked(WorkOrder, "contact_name", ["k" * 257])
    assert not service.asked
    await service.company().find_marked(WorkOrder, "contact_name", ["k" * 256])
    await service.company().find_marked(WorkOrder, "po_number", ["k" * 257])
    assert len(service.asked) == 2


@each_of(
    ("owner", "path", "message"),
    [
        (WoCreateCommand, "po_number", "no field 'po_number'"),
        (WoCreateCommand, "work_order.po_numbr", "did you mean"),
        (WoCreateCommand, "work_order.number", "the service sets WorkOrder.Number itself"),
        (WoCreateCommand, "work_order.short_location", "the service sets WorkOrder.ShortLocation itself"),
        (WoCreateCommand, "work_order.task_refinement", "the service sets WorkOrder.TaskRefinement itself"),
        (WoCreateCommand, "work_order.flag_id", "the service sets WorkOrder.FlagId itself"),
        (WoCreateCommand, "work_order.induction_and_safety_status_id", "the service sets"),
        (WoCreateCommand, "work_order.contactid", "a string property"),
        (WoCreateCommand, "work_order.won_id", "the service sets WorkOrder.WonId itself"),
        (WoCreateCommand, "work_order.customer.name", "a string property"),
        (WoCreateCommand, "work_order.address.street", "a string property"),
        (Contact, "display_as", "the service sets Contact.DisplayAs itself"),
        (WoCreateCommand, "work_order.id", "the service sets WorkOrder.Id itself"),
        (WoCreateCommand, "work_order.customer", "names a record"),
        (WoCreateCommand, "work_order.items.comment", "names a list"),
        (WoFlagCommand, "comment", "name a record and its field"),
        (Customer, "concurrency_id", "the service sets"),
        (Customer, 7, "a marker is a string"),
        ("WoCreateCommand", MARKER, "needs the class of a command"),
        (WorkOrder(), "po_number", "needs the class of a command"),
    ],
)
async def test_a_field_that_keeps_no_key_is_refused(owner: Any, path: Any, message: str) -> None:
    """Before anything is sent, with what to name instead."""
    service = Asked(there)
    with pytest.raises(InvalidCallError, match=message):
        await service.company().find_marked(owner, path, ["k1"])
    assert not service.asked


# --- one key spoils nothing for the others ------------------------------------------------------


def refusing(bad: str) -> Callable[[list[str]], list[Row] | Response]:
    def rows(keys: list[str]) -> list[Row] | Response:
        if bad in keys:
            return reply({"ErrorCode": "INCORRECT_MODEL", "ErrorMessage": f"bad {bad}"}, 400)
        return there(keys)

    return rows


def crowded(bad: str) -> Callable[[list[str]], list[Row] | Response]:
    def rows(keys: list[str]) -> list[Row] | Response:
        crowd = [{"Id": 10_000 + n, "PoNumber": bad} for n in range(1500)] if bad in keys else []
        return [*there([key for key in keys if key != bad]), *crowd][:1000]

    return rows


def keyless(bad: str) -> Callable[[list[str]], list[Row] | Response]:
    return lambda keys: [{"Id": 1} if key == bad else there([key])[0] for key in keys]


def foreign(bad: str) -> Callable[[list[str]], list[Row] | Response]:
    return lambda keys: [{"Id": 1, "PoNumber": "x"} if key == bad else there([key])[0] for key in keys]


@each_of(
    ("rows", "error"),
    [
        (refusing, RefusedError),
        (crowded, NotUniqueError),
        (keyless, NoAnswerError),
        (foreign, NoAnswerError),
    ],
)
@each_of("bad", [1, 2, 100, 101, 150, 200])
async def test_an_error_of_one_key_is_that_of_this_key_alone(
    rows: Any, error: type[Exception], bad: int
) -> None:
    """All other keys of the query have their records; few queries find out which key it was."""
    service = Asked(rows(f"k{bad}"))
    commands = [create(key) for key in names(200)]

    async def all_of_them() -> list[Any]:
        company = service.company()
        async with company.run_many(commands, marker=MARKER, look_first=True, limit=200) as run:
            return [outcome async for outcome in run]

    task = asyncio.create_task(all_of_them())
    await service.time.finish(task)
    failed = [outcome for outcome in task.result() if not isinstance(outcome, Done)]
    assert [outcome.input.work_order.po_number for outcome in failed] == [f"k{bad}"]
    assert type(failed[0].error) is error
    assert all(outcome.found for outcome in task.result() if isinstance(outcome, Done))
    assert len(service.asked) < 30


async def test_what_is_refused_for_all_keys_is_asked_thrice() -> None:
    """The query and its halves: no key is to blame, and each has the error."""
    refusal = reply({"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "no right to read"}, 400)
    service = Asked(lambda _: refusal)
    with pytest.raises(BusinessRuleError, check=having(code="BUSINESS_LOGIC_ERROR")):
        await service.find(names(200))
    assert len(service.asked) == 3


async def test_one_key_of_too_many_records_is_an_error_of_a_search() -> None:
    """Each record must be returned, and they do not fit."""
    with pytest.raises(NotUniqueError, match="1000 or more"):
        await Asked(crowded("k7")).find(names(10))


@each_of("keys", [["k7"], ["k7", "k8"]])
@each_of("other", ["k70", "k", "", "7", "\u03ba7"])
async def test_a_record_with_a_key_that_was_not_asked_for_makes_no_other_absent(
    other: str, keys: list[str]
) -> None:
    """A service or proxy that ignores the condition answers so; what it shows is there nevertheless."""
    rows = [{"Id": 1, "PoNumber": other}]
    with pytest.raises(NoAnswerError, match="was not requested"):
        await Asked(lambda _: rows).find(keys)
    found = await Asked(lambda asked: rows + there(asked)).find(keys)
    assert [len(orders) for orders in found.values()] == [1] * len(keys)


@each_of("alike", ["K7", " k7 ", "\u1e317", "k\u0301\uff17", "k\u200b7", "k7 (deleted)"])
async def test_a_record_whose_key_a_database_may_take_for_equal_is_not_the_one(alike: str) -> None:
    """Letter case, blanks, accents, width, invisible characters, and the ending of removed records."""
    rows = [{"Id": 1, "PoNumber": alike}]
    found = await Asked(lambda _: rows).find(["k7"])
    assert len(found["k7"]) == (alike.strip() == "k7")


@pytest.mark.parametrize("with_key", [0, 1])
async def test_a_full_page_of_other_keys_says_nothing_of_this_one(with_key: int) -> None:
    """A service that ignores the condition: neither several records, nor none, nor one."""
    others = [{"Id": n, "PoNumber": f"z{n}"} for n in range(1, 1001 - with_key)]
    service = Asked(lambda keys: [*there(keys)[:with_key], *others])
    with pytest.raises(NoAnswerError, match=f"{with_key} of them with this key"):
        await service.find(["k7"])
    with pytest.raises(NoAnswerError, match="more may exist"):
        await Asked(lambda _: others[:1000] + others[-1:]).find(names(5))


async def test_a_query_that_fails_ends_the_search() -> None:
    """The error is that of the query, and those that hang are not waited for."""
    ended: list[int] = []
    begun: list[int] = []

    async def serve(*_: Any) -> Response:
        begun.append(number := len(begun))
        if number == 2:
            return PAGE
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)
        raise AssertionError

    company = World(serve).company(retry=RetryPolicy(attempts=1))
    task = asyncio.create_task(company.find_marked(WoCreateCommand, MARKER, names(3000)))
    await settle()
    with pytest.raises(NoAnswerError):
        await asyncio.wait_for(task, 1.0)
    assert sorted([*ended, 2]) == begun
    assert len(begun) <= 5


# --- one key each of many callers -----------------------------------------------------------


async def looked_up(service: Asked, keys: list[str], **options: Any) -> list[asyncio.Task[Any]]:
    company = service.company(**options)
    return [asyncio.create_task(company.run(create(key), marker=MARKER, look_first=True)) for key in keys]


async def test_the_first_goes_at_once_and_the_next_gather() -> None:
    """While a query is under way the keys wait for it, and then share one."""
    service = Asked(there, seconds=0.1)
    first = await looked_up(service, ["k1"])
    await service.time.pass_by(0.05)
    assert service.asked == [["k1"]]
    others = []
    for number in range(2, 40):
        others += await looked_up(service, [f"k{number}"])
        await service.time.pass_by(0.001)
    await service.time.finish(*first, *others)
    assert service.asked == [["k1"], [f"k{number}" for number in range(2, 40)]]
    assert [task.result().wo.id for task in others] == list(range(2, 40))


async def test_a_query_that_hangs_holds_up_the_next_for_a_quarter_of_a_second() -> None:
    """Keys gather for so long at most."""
    service = Asked(there, seconds=40.0)
    first = await looked_up(service, ["k1"])
    await service.time.pass_by(1.0)
    service.seconds = 0.0
    begun = service.time.seconds
    second = await looked_up(service, ["k2"])
    await service.time.finish(*second)
    assert service.time.seconds - begun == pytest.approx(0.25, abs=0.02)
    await service.time.finish(*first)


async def test_each_waits_for_a_shared_query_as_long_as_its_own_deadline() -> None:
    """The one with the short deadline ends in time, and takes nothing from the other."""
    service = Asked(there, seconds=10.0)
    (short,) = await looked_up(service, ["k1"], deadline=4.0)
    (long,) = await looked_up(service, ["k2"], deadline=100.0)
    begun = service.time.seconds
    await service.time.finish(short)
    assert service.time.seconds - begun <= 4.02
    with pytest.raises(DeadlineError, match="not sent: the look-up of its key failed"):
        short.result()
    await service.time.finish(long)
    assert long.result().wo.id == 2
    assert service.asked[0] == ["k1", "k2"]
    assert (
        service.asked[1:] == [["k1"]] * 2
    )  # the short one asks again, the other is served by the first query


@each_of("turns", range(8))
async def test_one_that_is_cancelled_takes_the_query_from_nobody(turns: int) -> None:
    """Whoever asked first; the query ends when none waits for it."""
    service = Asked(there, seconds=1.0)
    first, second = await looked_up(service, ["k1", "k2"])
    for _ in range(turns):
        await asyncio.sleep(0)
    first.cancel()
    await service.time.finish(second)
    assert second.result().wo.id == 2
    (third,) = await looked_up(service, ["k3"])
    await service.time.pass_by(0.5)
    third.cancel()
    await settle()
    assert service.under_way == 0


async def test_calls_in_doubt_at_once_cost_one_query_in_a_round() -> None:
    """A server that fails for all of them is not asked by each."""
    service = ScriptedCompany(*["lost"] * 64)
    company = service.company(settle=SETTLE)
    tasks = [asyncio.create_task(company.run(create(f"k{n}"), marker=MARKER)) for n in range(64)]
    await service.time.finish(*tasks)
    assert len(service.orders) == 64
    assert {task.result().wo.po_number for task in tasks} == {f"k{n}" for n in range(64)}
    assert service.queries <= 15  # at 0, 0.25, 0.75, 1.75, 3.75, 7.75, then every 5 s, and a last one


async def test_a_look_first_that_cannot_look_sends_nothing() -> None:
    """It says so, and the call is not in doubt."""
    service = ScriptedCompany()
    service.broken_queries = range(100)
    task = asyncio.create_task(
        service.company(retry=RetryPolicy(attempts=2)).run(create("k"), marker=MARKER, look_first=True)
    )
    await service.time.finish(task)
    with pytest.raises(NoAnswerError, match="not sent: the look-up of its key failed") as caught:
        task.result()
    assert (caught.value.attempts, caught.value.operation) == (0, "WoCreateCommand")
    assert service.request_ids == []


async def test_a_deadline_of_nothing_looks_for_nothing() -> None:
    """Neither a query nor a log-in leaves."""
    service = ScriptedCompany()
    with pytest.raises(DeadlineError) as caught:
        await service.company(deadline=0.0).run(create("k"), marker=MARKER, look_first=True)
    assert (caught.value.phase, service.queries, service.tokens) == ("queue", 0, 0)


async def test_an_entity_that_is_not_queried_is_refused() -> None:
    """The catalogue says so (spec 2.11); nothing is sent."""
    service = Asked(there)
    for call in (
        service.company().find_marked(AssetInfo, "tag_id", ["k1"]),
        service.company().create(AssetInfo(tag_id="k1"), marker="tag_id", check=False),
    ):
        with pytest.raises(UnsupportedError, check=having(code="ERROR_CODE_1000")):
            await call
    assert not service.asked
