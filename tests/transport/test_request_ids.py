"""Responses of another call are not believed: a RequestId, an entity type or an id that was not sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from tests.support.laws import each_of
from tests.support.service import Answer, Request, Service, error
from tests.transport.script import DONE, FOUND, QUICK, Script
from wosdk_async import (
    BusinessRuleError,
    Company,
    Customer,
    GetDocDownloadUrlCommand,
    InDoubtError,
    NoAnswerError,
    WorkOrder,
)

ANOTHER = "f" * 32
REFUSAL = {"ErrorMessage": "no", "ErrorCode": "BUSINESS_LOGIC_ERROR", "TimeStamp": "2024-05-14T13:15:07.22Z"}
RESULT = {"CommandResult": {"Wo": {"Id": 7}}}


def without(answer: Answer) -> Answer:
    return Answer(answer.status, answer.body, answer.headers, echo=False)


def under(change: Callable[[str], Any], body: Any = RESULT, status: int = 200) -> Callable[[Request], Answer]:
    """Respond with what ``change`` makes of the RequestId of the request."""
    return lambda request: Answer(status, {**body, "RequestId": change(request.json["RequestId"])})


@pytest.mark.parametrize("answer", [(200, RESULT), (400, REFUSAL), (403, REFUSAL), (429, REFUSAL)])
async def test_another_request_id_leaves_a_command_in_doubt(answer: tuple[int, Any]) -> None:
    """A success and an error alike (facts 5): sent once, the option is named, the connection is closed."""
    status, body = answer
    first = Answer(status, {**body, "RequestId": ANOTHER})
    async with Service(Script(first, DONE)) as service, service.client(options=QUICK) as client:
        acme = client.company()
        await acme.connect()
        before = service.connections
        with pytest.raises(InDoubtError, match=rf"'{ANOTHER}' of another call.*check_request_ids=False"):
            await acme.run("WoCreateCommand", {})
        assert len(service.calls) == 1
        assert await acme.run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}
        assert service.connections - before == 2


@pytest.mark.parametrize("status", [401, 429])
async def test_an_id_of_a_gateway_says_nothing_of_the_host(status: int) -> None:
    """One response that is numbered in another way does not make every later refusal a doubt."""
    numbered = without(Answer(status, {"message": "no more", "requestId": "gw-1"}))
    refusal = without(Answer(400, REFUSAL))
    service = Service(Script(numbered, refusal, refusal))
    async with service, service.client(options=QUICK) as client:
        acme = client.company()
        with pytest.raises(InDoubtError, match="'gw-1' of another call"):
            await acme.run("WoCreateCommand", {})
        for _ in range(2):
            with pytest.raises(BusinessRuleError):
                await acme.run("WoCreateCommand", {})


@each_of("change", [str.upper, lambda id: f"  {id}\n", str], ids=["case", "blanks", "same"])
@each_of("key", ["RequestId", "requestID"])
async def test_the_same_request_id_in_other_words(change: Callable[[str], str], key: str) -> None:
    """Compared without outer blanks and letter case; names ignore letter case (facts 3.3)."""

    def handler(request: Request) -> Answer:
        return Answer(200, {key: change(request.json["RequestId"]), **RESULT}, echo=False)

    async with Service(handler) as service, service.client(options=QUICK) as client:
        assert await client.company().run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}


@each_of("odd", [7, {"a": 1}, "", "x" * 100_000], ids=["number", "object", "empty", "long"])
async def test_what_is_no_request_id_is_another_one(odd: Any) -> None:
    """Whatever stands there; a long one is cut in the error."""
    async with Service(under(lambda _: odd)) as service, service.client(options=QUICK) as client:
        with pytest.raises(InDoubtError, match="of another call") as caught:
            await client.company().run("WoCreateCommand", {})
    assert len(caught.value.message) < 500
    if isinstance(odd, str):
        assert f" {odd[:80]!r} of another call" in caught.value.message


async def test_a_success_without_one_is_believed_until_its_host_has_sent_one() -> None:
    """Then it is in doubt."""
    answers = Script(without(DONE), without(DONE), DONE, without(DONE))
    async with Service(answers) as service, service.client(options=QUICK) as client:
        acme = client.company()
        for _ in range(3):
            assert await acme.run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}
        with pytest.raises(InDoubtError, match=r"carries no RequestId.*check_request_ids=False"):
            await acme.run("WoCreateCommand", {})


async def test_an_error_without_one_is_believed_until_its_host_has_sent_one_in_an_error() -> None:
    """Spec 7 shows an error body of three members, facts 12 row 9 one with the RequestId: both are known."""
    refusal = Answer(400, REFUSAL)
    answers = Script(DONE, without(refusal), refusal, without(refusal))
    async with Service(answers) as service, service.client(options=QUICK) as client:
        acme = client.company()
        await acme.run("WoCreateCommand", {})
        for _ in range(2):
            with pytest.raises(BusinessRuleError):
                await acme.run("WoCreateCommand", {})
        with pytest.raises(InDoubtError, match="carries no RequestId"):
            await acme.run("WoCreateCommand", {})


async def test_each_host_is_learned_by_itself() -> None:
    """What one host sends says nothing of another."""
    async with Service(lambda _: without(DONE)) as other, Service(lambda _: DONE) as service:
        async with service.client(options=QUICK) as client:
            await client.company().run("WoCreateCommand", {})
            service.company_url = other.url
            assert await client.company("Elsewhere").run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}


async def test_refused_tokens_and_waits_need_none() -> None:
    """They may get a response before the body is read (not shown; assumed)."""
    dead, wait = without(error(403, "EXPIRED_TOKEN")), without(Answer(429, REFUSAL))
    answers = Script(DONE, Answer(400, REFUSAL), dead, wait, DONE)
    async with Service(answers) as service, service.client(options=QUICK) as client:
        acme = client.company()
        await acme.run("WoCreateCommand", {})
        with pytest.raises(BusinessRuleError):
            await acme.run("WoCreateCommand", {})
        assert await acme.run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}
    assert len(service.calls) == 5


@pytest.mark.parametrize("answer", [Answer(200, RESULT), Answer(400, REFUSAL)], ids=["success", "error"])
async def test_the_check_can_be_turned_off(answer: Answer) -> None:
    """For a host that changes RequestIds."""
    changed = Answer(answer.status, {**answer.body, "RequestId": ANOTHER})
    async with Service(lambda _: changed) as service:
        async with service.client(options=QUICK, check_request_ids=False) as client:
            if answer.status == 200:
                assert await client.company().run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}
            else:
                with pytest.raises(BusinessRuleError):
                    await client.company().run("WoCreateCommand", {})


async def test_a_command_that_only_reads_is_sent_again() -> None:
    """It is safe to repeat, so the response of another call causes a retry and no doubt."""
    asked = {"DocumentIds": [1]}
    good = Answer(body={"CommandResult": {"Results": []}})
    stray = Answer(body={"CommandResult": {"Results": [1]}, "RequestId": ANOTHER})
    async with Service(Script(stray, good)) as service, service.client(options=QUICK) as client:
        found = await client.company().run(GetDocDownloadUrlCommand(document_ids=[1]))
    assert (found.results, len(service.calls), asked) == ([], 2, service.calls[1].json["Command"])


# --- base calls, whose responses carry no RequestId ---------------------------------------------


def specifier(entity: str, id: int) -> Answer:
    return Answer(body={"EntitySpecifier": {"EntityType": entity, "Id": id}})


WRITES: dict[str, tuple[Callable[[Company], Any], Answer]] = {
    "create": (lambda acme: acme.create("Customer", {"Name": "x"}), specifier("Contact", 9)),
    "update, id": (lambda acme: acme.update(Customer(id=7), name="x"), specifier("Customer", 9)),
    "update, type": (lambda acme: acme.update(Customer(id=7), name="x"), specifier("Contact", 7)),
    "delete, id": (lambda acme: acme.delete(Customer, 7), specifier("Customer", 9)),
    "delete, type": (lambda acme: acme.delete("Customer", 7), specifier("Contact", 7)),
}


@each_of("case", WRITES)
async def test_a_write_that_names_another_record_is_in_doubt(case: str) -> None:
    """Spec 4.9: the EntitySpecifier has the type and id of what was written; the connection is closed."""
    write, stray = WRITES[case]
    async with Service(lambda _: stray) as service, service.client(options=QUICK) as client:
        acme = client.company()
        await acme.connect()
        before = service.connections
        for _ in range(2):
            with pytest.raises(InDoubtError, match="it belongs to another call"):
                await write(acme)
        assert service.connections - before == 2


async def test_a_record_with_another_id_is_read_again() -> None:
    """A read is safe to repeat: the error says in the end which id was requested."""
    stray = Answer(body={"Data": {"Id": 9}})
    async with Service(lambda _: stray) as service, service.client(options=QUICK) as client:
        with pytest.raises(NoAnswerError, match="it has the id '9', not 7"):
            await client.company().get(WorkOrder, 7)
    assert len(service.calls) == 3


SPELLINGS = [
    ("BillingAccount", "Billingaccount"),
    ("Priority", "WoPriority"),
    ("Asset", "Location"),
    ("CustomField", "CustomField2"),
    ("NotInTheCatalogue", "notinthecatalogue"),
]


@each_of(("sent", "answered"), SPELLINGS)
async def test_other_names_of_a_type_are_the_type(sent: str, answered: str) -> None:
    """The server responds in its own spelling (facts 3.3), under the name that it knows (facts 3.9)."""
    async with Service(lambda _: specifier(answered, 7)) as service, service.client() as client:
        assert (await client.company().delete(sent, 7)).id == 7


async def test_what_a_response_does_not_name_is_not_compared() -> None:
    """A specifier without type and id, a record without an id."""
    async with Service(lambda _: Answer(body={"EntitySpecifier": {}, "Data": {}})) as service:
        async with service.client() as client:
            assert (await client.company().delete(Customer, 7)).id is None
            assert await client.company().get("Customer", 7) == {}


async def test_an_asset_tree_shows_the_id_of_its_parent() -> None:
    """facts 3.4: that of the row itself is not in it."""
    async with Service(lambda _: Answer(body={"Data": {"Id": 9}})) as service, service.client() as client:
        assert await client.company().get("AssetTree", 7) == {"Id": 9}


async def test_an_error_that_names_a_command_is_not_believed_by_a_base_call() -> None:
    """A base call sends no RequestId, and only what was sent comes back (facts 5)."""
    stray = Answer(400, {**REFUSAL, "RequestId": ANOTHER})
    async with Service(lambda _: stray) as service, service.client(options=QUICK) as client:
        acme = client.company()
        with pytest.raises(InDoubtError, match=r"none was sent.*check_request_ids=False"):
            await acme.create("Contact", {"LastName": "Stray"}, check=False)
        with pytest.raises(BusinessRuleError):  # what a program posts itself may carry one
            await acme.post("batch/Create", [{"RequestId": ANOTHER}])
    trusting = {"options": QUICK, "check_request_ids": False}
    async with Service(lambda _: stray) as service, service.client(**trusting) as client:
        with pytest.raises(BusinessRuleError):
            await client.company().create("Contact", {"LastName": "Stray"}, check=False)


async def test_a_base_call_believes_no_request_id_in_a_success_or_in_an_error_of_a_read() -> None:
    """A record that was created by another call is not this one; a read is sent again until it is its own."""
    stray = Answer(200, {"EntitySpecifier": {"Id": 9}, "RequestId": ANOTHER}, echo=False)
    async with Service(lambda _: stray) as service, service.client(options=QUICK) as client:
        with pytest.raises(InDoubtError, match=r"none was sent.*check_request_ids=False"):
            await client.company().create("Contact", {"LastName": "Stray"}, check=False)
    assert len(service.calls) == 1
    refusal = Answer(400, {**REFUSAL, "RequestId": ANOTHER}, echo=False)
    async with Service(Script(refusal, FOUND)) as service, service.client(options=QUICK) as client:
        assert await client.company().get("Thing", 1) == {"Id": 1}
    assert len(service.calls) == 2


@each_of("id", ["9", 9.0, [9], {"Id": 9}], ids=str)
async def test_an_id_of_another_type_is_compared_too(id: Any) -> None:
    """A text of digits and a number with a fraction of zero are the id; anything else is another one."""
    stray = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": id}})
    async with Service(lambda _: stray) as service, service.client() as client:
        with pytest.raises(InDoubtError, match="it belongs to another call"):
            await client.company().delete(Customer, 7)
    for same in (7, "7", 7.0):
        good = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": same}})
        async with Service(lambda _, good=good: good) as service, service.client() as client:
            await client.company().delete(Customer, 7)


@each_of("id", [0, -5, True])
async def test_what_is_not_the_id_of_a_record_was_not_created(id: Any) -> None:
    """Ids begin at 1."""
    odd = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": id}})
    async with Service(lambda _: odd) as service, service.client() as client:
        with pytest.raises(InDoubtError, match="which no record can have"):
            await client.company().create(Customer(name="x"), check=False)


@each_of("key", [{"Id": 512}, {"Id": 512, "Kind": 1}], ids=str)
async def test_the_id_in_a_compound_key_is_compared(key: dict[str, int]) -> None:
    """A record with another id is the response of another call."""
    stray = Answer(body={"Data": {"Id": 513}})
    async with Service(lambda _: stray) as service, service.client(options=QUICK) as client:
        with pytest.raises(NoAnswerError, match="it belongs to another call"):
            await client.company().get("Thing", key)


@each_of("content", [{"Id": 512}, {"id": 512}, {"Id": "512"}], ids=str)
async def test_the_id_in_what_the_caller_put_is_compared(content: dict[str, Any]) -> None:
    """In whatever letter case and type it was given."""
    for id, good in ((512, True), (513, False)):
        said = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": id}})
        async with Service(lambda _, said=said: said) as service, service.client() as client:
            put = client.company().put("Customer", content, properties=[])
            if good:
                await put
            else:
                with pytest.raises(InDoubtError, match="it belongs to another call"):
                    await put


async def test_a_first_request_id_of_another_call_is_one_that_the_host_sent() -> None:
    """The response after it, which has none, is in doubt as well."""
    answers = Script(Answer(200, {**RESULT, "RequestId": ANOTHER}), without(DONE))
    async with Service(answers) as service, service.client(options=QUICK) as client:
        for why in ("of another call", "carries no RequestId"):
            with pytest.raises(InDoubtError, match=why):
                await client.company().run("WoCreateCommand", {})


# --- other bytes in the same segment ------------------------------------------------------------


@attrs.frozen
class Twice(Answer):
    """The response, and behind it another one that nobody asked for."""

    def raw(self) -> bytes:
        stray = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": 8}, "Entities": []})
        return super().raw() + stray.raw()


async def test_a_response_that_comes_with_another_one() -> None:
    """Which of the two is ours? A RequestId tells; without it a write is in doubt, and a read is repeated."""
    made = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": 7}})
    rows = Answer(body={"Entities": [{"Data": {"Id": 7}}]})
    answers = Script(Twice(body=RESULT), Twice(body=made.body), Twice(body=rows.body), rows)
    async with Service(answers) as service, service.client(options=QUICK) as client:
        acme = client.company()
        assert await acme.run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}
        with pytest.raises(InDoubtError, match="surplus bytes followed the response"):
            await acme.create("Customer", {"Name": "x"})
        assert [row["Id"] for row in await acme.query("Customer", {"Count": 1})] == [7]
    assert len(service.calls) == 4


@each_of("key", ["requestid", "REQUESTID", "requestId"])
async def test_another_id_is_found_wherever_it_stands_and_however_it_is_spelt(key: str) -> None:
    """Not only as the last key: names ignore letter case (facts 3.3), and an order is not promised."""
    answer = Answer(200, {key: ANOTHER, "CommandResult": {"Wo": {"Id": 7}}}, echo=False)
    async with Service(lambda _: answer) as service, service.client() as client:
        with pytest.raises(InDoubtError, match=f"'{ANOTHER}' of another call"):
            await client.company().run("WoCreateCommand", {})
    assert len(service.calls) == 1


async def test_the_id_of_another_call_is_found_at_the_end_of_a_long_response() -> None:
    """A response above a megabyte is not parsed for it, but its end is read."""
    long = "x" * 1_100_000
    text = f'{{"CommandResult": {{"Wo": {{"Number": "{long}"}}}}, "RequestId" : "{ANOTHER}" }}\n'
    answer = Answer(200, text.encode(), echo=False)
    async with Service(lambda _: answer) as service, service.client() as client:
        with pytest.raises(InDoubtError, match=f"'{ANOTHER}' of another call"):
            await client.company().run("WoCreateCommand", {})
