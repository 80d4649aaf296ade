"""What is sent again, and what is in doubt, when no clear response comes: real sockets."""

from __future__ import annotations

import email.utils
import socket
import time
from typing import Any

import pytest

from tests.errors.test_faults import FAULTS, check
from tests.support.laws import case, each_of
from tests.support.service import COMPANY, SECRET, Answer, Service, error
from tests.transport.script import DONE, FOUND, QUICK, Script
from wosdk_async import (
    Client,
    Customer,
    InDoubtError,
    NoAnswerError,
    NotFoundError,
    NotSentError,
    ThrottledError,
)

DOUBTFUL = {
    **FAULTS,
    "half an answer": Answer(body={"CommandResult": {"Wo": {"Id": 7}}}, cut=60),
    "a 500": error(500, "BUSINESS_LOGIC_ERROR"),
    "a 503 page": Answer(503, b"<html>no server is available</html>"),
    "a 408 page": Answer(408, b"<html>request timeout</html>"),
    "a 404 page": Answer(404, b"<html>not found</html>"),
    "no result": Answer(200, {}),
    "a result that is null": Answer(200, {"CommandResult": None}),
    "a result that is a list": Answer(200, {"CommandResult": []}),
    "a result that is a text": Answer(200, {"CommandResult": ""}),
    "a result that is a number": Answer(200, {"CommandResult": 0}),
    "a result that is false": Answer(200, {"CommandResult": False}),
    "another call's response": Answer(200, {"CommandResult": {"Wo": {"Id": 7}}, "RequestId": "f" * 32}),
    "no JSON": Answer(200, b"{]"),
    "another envelope": Answer(200, {"Result": {}}),
}


async def test_a_create_without_a_clear_response_is_in_doubt() -> None:
    """Sent without a conclusive response: InDoubtError with the RequestId, and no second attempt."""
    async with Service() as service, service.client(options=QUICK) as client:
        for number, (name, answer) in enumerate(DOUBTFUL.items()):
            service.handler = lambda _, answer=answer: answer
            with case(name):
                with pytest.raises(InDoubtError) as caught:
                    await client.company().run("WoCreateCommand", {"WorkOrder": {}})
                assert len(service.calls) == number + 1
                assert caught.value.request_id == service.calls[-1].json["RequestId"]
                assert (caught.value.company, caught.value.operation) == (COMPANY, "WoCreateCommand")
                check(caught.value, "token-1", SECRET)


async def test_a_read_without_a_clear_response_is_repeated() -> None:
    """As often as the policy says, until a response can be read."""
    async with Service() as service:
        doubtful = {**DOUBTFUL, "no result": Answer(200, {"RequestID": 1})}  # {} means "no such record"
        for name, answer in doubtful.items():
            service.calls.clear()
            service.handler = Script(answer)
            async with service.client(options=QUICK) as client:  # whose first connection is new
                with case(name):
                    with pytest.raises(NoAnswerError) as caught:
                        await client.company().get("Thing", 1)
                    assert len(service.calls) == caught.value.attempts == 3
                    check(caught.value, "token-1", SECRET)
                    service.handler = Script(answer, FOUND)
                    assert await client.company().get("Thing", 1) == {"Id": 1}
                    assert len(service.calls) == 3 + 2


@each_of("status", [429, 503])
@each_of("wait", ["0", "0.01", None, "soon", "-1", "Wed, 21 Oct 2015 07:28:00 GMT"])
async def test_a_service_that_asks_to_wait_is_asked_again(status: int, wait: str | None) -> None:
    """429 and 503 mean that nothing was done: even a create is sent again, under the same RequestId."""
    body = {"ErrorMessage": "busy", "ErrorCode": "BUSY"}
    # A 503 without it is a gateway's, if it names no wait that can be read.
    is_page = wait and (status == 429 or wait not in ("soon", "-1"))
    busy = Answer(status, b"busy" if is_page else body, {"Retry-After": wait} if wait else {})
    async with Service(Script(busy, DONE)) as service, service.client(options=QUICK) as client:
        made = await client.company().run("WoCreateCommand", {})
    assert made == {"Wo": {"Id": 7}}
    assert len({request.json["RequestId"] for request in service.calls}) == 1
    assert len(service.calls) == 2


async def test_a_wait_that_is_too_long_is_the_callers_to_decide() -> None:
    """Above the patience of the policy the call ends at once and the error says how long to wait."""
    in_an_hour = email.utils.formatdate(time.time() + 3600, usegmt=True)
    for wait in ("3600", in_an_hour):
        busy = Answer(429, b"", {"Retry-After": wait})
        async with Service(lambda _, busy=busy: busy) as service, service.client() as client:
            with pytest.raises(ThrottledError) as caught:
                await client.company().run("WoCreateCommand", {})
        assert caught.value.retry_after == pytest.approx(3600, abs=5)
        assert len(service.calls) == 1


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


async def test_a_create_that_was_never_sent_is_sent_again() -> None:
    """A refused connection is no doubt: retried until the deadline, then NotSentError."""
    async with Service() as service, service.client(options=QUICK) as client:
        service.company_url = f"http://127.0.0.1:{closed_port()}"
        company = client.company().with_options(deadline=2.0)
        with pytest.raises(NotSentError, match=service.company_url) as caught:
            await company.run("WoCreateCommand", {})
    assert 2 <= caught.value.attempts <= 8


@pytest.mark.parametrize("look_first", [False, True])
async def test_a_marked_create_names_the_service_that_cannot_be_reached(look_first: bool) -> None:
    """A look-up before the create fails for the same reason."""
    url = f"http://127.0.0.1:{closed_port()}"
    addresses = {"WOSDK_TOKEN_URL": f"{url}/OAuth/token", "WOSDK_LOCATOR_URL": url}
    pair = {"WOSDK_COMPANY": "Acme", "WOSDK_CLIENT_ID": "id", "WOSDK_CLIENT_SECRET": "secret"}
    async with Client.from_env({**addresses, **pair}) as client:
        acme = client.company().with_options(deadline=1.0)
        with pytest.raises(NotSentError, match=url):
            await acme.create(Customer(tenant_code="k"), marker="tenant_code", look_first=look_first)


@each_of("entity", ["Customer", Customer])
@each_of(
    "body",
    [
        {"Entities": []},
        {"Entities": None},
        {"Data": None},
        {},
        {"Entities": [{}]},
        {"Entities": [{"Data": None}]},
    ],
    ids=str,
)
async def test_a_record_that_is_not_there(entity: Any, body: Any) -> None:
    """An empty page of the older envelope says so, and a null, which may be left out (facts 3.4)."""
    async with Service(lambda _: Answer(body=body)) as service, service.client() as client:
        with pytest.raises(NotFoundError) as caught:
            await client.company().get(entity, 1)
    assert (caught.value.code, len(service.calls)) == ("ERROR_CODE_1019", 1)


@each_of("entity", ["Customer", Customer])
@each_of("other", ["Message", "data", "CommandResult"])
async def test_an_object_of_another_kind_does_not_say_that_a_record_is_missing(
    entity: Any, other: str
) -> None:
    """Such as the page of a proxy."""
    service = Service(lambda _: Answer(body={other: {"Id": 1}}))
    async with service, service.client(options=QUICK) as client:
        with pytest.raises(NoAnswerError):
            await client.company().get(entity, 1)
    assert len(service.calls) == 3


@each_of("entity", ["Customer", Customer])
@each_of("data", [[], "text", 7])
async def test_a_record_that_is_not_an_object_is_no_response(entity: Any, data: object) -> None:
    """Read again as often as the policy says, and never handed out."""
    for body in ({"Data": data}, {"Entities": [{"Data": data}]}):
        async with (
            Service(lambda _, b=body: Answer(body=b)) as service,
            service.client(options=QUICK) as client,
        ):
            with pytest.raises(NoAnswerError):
                await client.company().get(entity, 1)
        assert len(service.calls) == 3


@each_of("specifier", [None, [], "text", 7])
async def test_a_write_whose_result_is_not_an_object_is_in_doubt(specifier: object) -> None:
    """Nothing says that the record was created."""
    answer = Answer(body={"EntitySpecifier": specifier})
    async with Service(lambda _: answer) as service, service.client(options=QUICK) as client:
        for entity, content in (("Customer", {"Name": "A"}), (Customer(name="A"), None)):
            with pytest.raises(InDoubtError):
                await client.company().create(entity, *([content] if content else []))
    assert len(service.calls) == 2


@each_of("call", ["create", "query", "get", "run"])
async def test_error_info_beside_a_result_says_neither(call: str) -> None:
    """No source shows it there: a write may have been carried out, and a read is repeated."""
    body = {
        "EntitySpecifier": {"EntityType": "Customer", "Id": 1},
        "Entities": [],
        "Data": {"Id": 1},
        "CommandResult": {"Wo": {"Id": 1}},
    }
    answer = Answer(body={**body, "ErrorInfo": {"Number": 5, "Description": "half done"}})
    async with Service(lambda _: answer) as service, service.client(options=QUICK) as client:
        acme = client.company()
        calls: Any = {
            "create": lambda: acme.create(Customer(name="A"), check=False),
            "query": lambda: acme.query(Customer).all(),
            "get": lambda: acme.get(Customer, 1),
            "run": lambda: acme.run("WoCreateCommand", {}),
        }
        is_read = call in ("query", "get")
        with pytest.raises(NoAnswerError if is_read else InDoubtError, match="ERROR_CODE_5: half done"):
            await calls[call]()
    assert len(service.calls) == (3 if is_read else 1)
