"""Spec 7: the error body, each code with its conditions, and the exception the client makes of it."""

from __future__ import annotations

import itertools
from datetime import datetime

import pytest

from tests.spec.local import (
    OTHER_CUSTOMER,
    PROVIDER,
    Local,
    create_request,
    refused,
    succeeded,
)
from tests.spec.rules import differs, spec
from tests.spec.table import Json
from tests.support.laws import case
from tests.support.service import Answer, Service
from wosdk_async import (
    BusinessRuleError,
    Client,
    Company,
    ConflictError,
    Customer,
    InDoubtError,
    RefusedError,
    SendWorkOrderCommand,
    UnsupportedError,
    WorkOrder,
)

SEND_FAILED = (
    "The call failed unexpectedly. Requestor: Acme Facilities; target location: 660214; "
    "action: RequestorSend; service: https://network.example/requestor"
)


def body(code: str, message: str) -> Json:
    return {"ErrorMessage": message, "ErrorCode": code, "TimeStamp": "2024-05-14T13:15:07.2210413Z"}


# --- the client -------------------------------------------------------------------------------

CODES: list[tuple[str, str, type[RefusedError]]] = [
    ("BUSINESS_LOGIC_ERROR", "Modifications must be made in the context of parent 20440.", BusinessRuleError),
    ("BUSINESS_LOGIC_ERROR", SEND_FAILED, BusinessRuleError),
    ("ERROR_CODE_1000", "Create operation is not supported by WoFlag entity.", UnsupportedError),
    ("ERROR_CODE_1000", "Delete operation is not supported by WoFlag entity.", UnsupportedError),
    ("EMPTY_INPUT_PARAMETER", "Field 'body' is null or empty.", RefusedError),
    ("A_CODE_NOT_SHOWN", "The list of codes is not complete.", RefusedError),
]
STATUSES = [200, 400, 403, 404, 405, 409, 422]  # "HTTP status codes for errors: not shown"


@spec("4.9", 4)
@spec("7", "error body")
async def test_error_body() -> None:
    """Spec 7: ErrorMessage, ErrorCode and TimeStamp are on a typed exception, whatever the status."""
    async with Service() as service, service.client() as client:
        for (code, message, kind), status in itertools.product(CODES, STATUSES):
            with case(code, message, status):
                answer = Answer(status, body(code, message))
                service.handler = lambda _, answer=answer: answer
                service.calls.clear()
                with pytest.raises(RefusedError) as caught:
                    await client.company().run("WoCreateCommand", {})
                found = caught.value
                assert type(found) is kind
                assert (found.code, found.message) == (code, message)
                assert found.time_stamp == "2024-05-14T13:15:07.2210413Z"
                assert len(service.calls) == 1


@spec("7", "error body")
async def test_error_body_beside_a_result() -> None:
    """Null and an empty result are none; with a result, or in a 500, the call is in doubt."""
    refusal = body("ERROR_CODE_6", "Data was already modified by another user.")
    async with Service() as service, service.client() as client:
        for nothing in (None, {}):
            for answer in (refusal | {"CommandResult": nothing}, {"CommandResult": nothing} | refusal):
                service.handler = lambda _, answer=answer: Answer(200, answer)
                with pytest.raises(ConflictError):
                    await client.company().run("WoCreateCommand", {})
        service.handler = lambda _: Answer(200, refusal | {"Entities": []})
        with pytest.raises(ConflictError):
            await client.company().query(WorkOrder).all()
        result = {"CommandResult": {"Wo": {"Id": 7}}}
        for answer in (refusal | result, result | refusal):
            service.handler = lambda _, answer=answer: Answer(200, answer)
            with pytest.raises(InDoubtError, match="ERROR_CODE_6"):
                await client.company().run("WoCreateCommand", {})
        service.handler = lambda _: Answer(500, refusal)
        with pytest.raises(InDoubtError, match="already modified"):
            await client.company().run("WoCreateCommand", {})


@spec("7", "error body")
async def test_error_body_of_a_create_that_was_answered_without_a_specifier() -> None:
    """Facts 6: ENTITYSPECIFIER_NOT_FOUND may follow a create that was carried out, but no command."""
    answer = Answer(400, body("ENTITYSPECIFIER_NOT_FOUND", "EntitySpecifier is null or empty."))
    async with Service(lambda _: answer) as service, service.client() as client:
        with pytest.raises(InDoubtError, match="ENTITYSPECIFIER_NOT_FOUND"):
            await client.company().create(Customer(name="A"), check=False)
        with pytest.raises(RefusedError):
            await client.company().run("RestoreCommand", {})
        with pytest.raises(RefusedError):
            await client.company().query(WorkOrder).all()


@spec("7", "error body")
async def test_error_body_of_a_session_in_a_success() -> None:
    """The code decides, as with any other status: an expired token is renewed, and the call sent again."""
    answers = iter(
        [
            Answer(200, body("EXPIRED_TOKEN", "Token has expired")),
            Answer(body={"CommandResult": {"Wo": {"Id": 7}}}),
        ]
    )
    async with Service(lambda _: next(answers)) as service, service.client() as client:
        await client.company().run("WoCreateCommand", {})
    assert (len(service.calls), len(service.tokens)) == (2, 2)


# --- the sandbox ------------------------------------------------------------------------------


@spec("7", "error body")
def test_error_body_of_the_sandbox(local: Local) -> None:
    """Spec 7: ErrorMessage, ErrorCode and TimeStamp, ISO 8601 UTC with fractional seconds, and no more."""
    reply = local.send("DELETE", "base/WoFlag?ID=1")
    assert reply.json().keys() == {"ErrorMessage", "ErrorCode", "TimeStamp"}
    stamp = reply.json()["TimeStamp"]
    sent = datetime.strptime(reply.headers["Date"], "%a, %d %b %Y %H:%M:%S %Z")
    assert abs(datetime.fromisoformat(stamp.partition(".")[0]) - sent).total_seconds() < 5


def unreachable_provider(local: Local) -> int:
    """A provider whose place in the network does not exist."""
    entity = {
        "FirstName": "Gone Mechanical",
        "ActorTypeId": "Provider",
        "ProviderStatusId": "Connected",
        "WonMemberId": 0,
        "WonLocationId": 0,
    }
    made: int = succeeded(local.send("POST", "base/Employee", {"Entity": entity}))["EntitySpecifier"]["Id"]
    return made


@differs("`/cmd/SendWorkOrder`")
@spec("7", "BUSINESS_LOGIC_ERROR: sending fails")
def test_send_fails_in_the_provider_network(local: Local) -> None:
    """Spec 7 BUSINESS_LOGIC_ERROR: the provider network failed; names the action and the URL."""
    provider = unreachable_provider(local)
    order = local.new_order(EmployeeId=provider)
    message = refused(local.command("SendWorkOrder", {"WorkOrderId": order}), "BUSINESS_LOGIC_ERROR")
    assert "RequestorSend" in message
    assert "://" in message


EMPTY = [b"", b"   ", b"null", b"{}"]
MALFORMED = [
    b'{"Properties":["PoNumber"],"Entity":{"Id":1,',
    b'{"Properties":["PoNumber"] "Entity":{"Id":1,"PoNumber":"x"}}',
    b"{'Properties':['PoNumber'],'Entity':{'Id':1}}",
    b"Properties=PoNumber&Id=1",
    b"[]",
    b'"Entity"',
    b"\xff\xfe\x00",
]
TARGETS = [("PUT", "base/WorkOrder"), ("POST", "base/Contact"), ("POST", "cmd/WoCreateCommand")]


@spec("4.9", 4)
@spec("7", "EMPTY_INPUT_PARAMETER")
def test_empty_input(local: Local) -> None:
    """Spec 7 EMPTY_INPUT_PARAMETER: the body is null or empty, or not parsed into what is expected."""
    for method, path in TARGETS:
        for content in EMPTY + MALFORMED:
            with case(method, path, content):
                message = refused(local.send(method, path, content), "EMPTY_INPUT_PARAMETER")
                assert "body" in message
                assert "null or empty" in message


INSUFFICIENT: list[Json] = [
    {"Entity": {"StatusId": "Cancelled"}},
    {"Properties": ["StatusId"]},
    {"Properties": [], "Entity": {}},
]


@spec("7", "EMPTY_INPUT_PARAMETER")
@pytest.mark.parametrize("content", INSUFFICIENT, ids=repr)
def test_insufficient_status_change(local: Local, content: Json) -> None:
    """Spec 7 EMPTY_INPUT_PARAMETER: a PUT for a status change with an insufficient body."""
    order = local.new_order()
    if "Entity" in content:
        content = {**content, "Entity": {"Id": order, **content["Entity"]}}
    assert "body" in refused(local.send("PUT", "base/WorkOrder", content), "EMPTY_INPUT_PARAMETER")
    assert local.read("WorkOrder", order)["StatusId"] == "New"


@spec("7", "EMPTY_INPUT_PARAMETER")
def test_a_refusal_changes_nothing(local: Local) -> None:
    """Spec 7: a request that is rejected leaves no half of itself."""
    good, bad = ({"Asset": {"Id": 20530}, "Task": {"Id": task}} for task in (14214, 999999))
    customer = {"Id": OTHER_CUSTOMER}
    local.run("WoCreateCommand", create_request(Customer=customer, Items=[good]))
    before = local.rows("WorkOrder", "Customer.Id", OTHER_CUSTOMER)
    refused(local.command("WoCreateCommand", create_request(Customer=customer, Items=[good, bad])))
    assert local.rows("WorkOrder", "Customer.Id", OTHER_CUSTOMER) == before != []


# --- the client against the sandbox -----------------------------------------------------------


@spec("7", "EMPTY_INPUT_PARAMETER")
async def test_the_client_on_an_insufficient_update(company: Company, local: Local) -> None:
    """Spec 7: an update that names nothing to write does not reach the record."""
    order = local.new_order()
    with pytest.raises(RefusedError, match="body") as caught:
        await company.put(WorkOrder, {"Id": order}, properties=[])
    assert caught.value.code == "EMPTY_INPUT_PARAMETER"


@spec("7", "BUSINESS_LOGIC_ERROR: sending fails")
async def test_the_client_on_a_failed_send(variables: dict[str, str], local: Local) -> None:
    """Spec 7: a send that fails in the network is a BusinessRuleError that can be told from others."""
    order = local.new_order(EmployeeId=unreachable_provider(local))
    async with Client.from_env(variables) as client:
        with pytest.raises(BusinessRuleError, match="RequestorSend"):
            await client.company().run(SendWorkOrderCommand(work_order_id=order))
        await client.company().run(SendWorkOrderCommand(work_order_id=local.new_order(EmployeeId=PROVIDER)))
