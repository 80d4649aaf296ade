"""What a call makes of a response: refusals, envelopes, codings; and what errors show."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.facts import having
from tests.support.laws import each_of
from tests.support.service import COMPANY, RESET, Answer, Service, error
from wosdk_async import (
    BusinessRuleError,
    CompositeCommand,
    InDoubtError,
    NotFoundError,
    SpaceCreateCommand,
    WoCopyCommand,
    WoCreateCommand,
    WorkOrder,
    WorkZone,
    WorkZoneCreateCommand,
    WoStartCommand,
)


async def test_a_refusal_is_raised_at_once_with_all_it_says() -> None:
    """An error body of spec 7: code, message, time, RequestId, operation and Company are on the error."""
    refusal = error(400, "BUSINESS_LOGIC_ERROR", "no\nway")
    async with Service(lambda _: refusal) as service, service.client() as client:
        with pytest.raises(BusinessRuleError, match=r"no\\nway") as caught:
            await client.company().run("WoCreateCommand", {})
    found = caught.value
    assert (found.code, found.status) == ("BUSINESS_LOGIC_ERROR", 400)
    assert found.time_stamp == "2024-05-14T13:15:07.2210413Z"
    assert found.request_id == service.calls[0].json["RequestId"]
    assert (found.company, found.operation, len(service.calls)) == (COMPANY, "WoCreateCommand", 1)


async def test_error_info_in_a_success_is_a_refusal() -> None:
    """A command may fail with status 200 and ErrorInfo in its result (facts 5)."""
    info = {"Number": 1019, "Description": "gone", "Type": "X"}
    async with Service(lambda _: Answer(body={"CommandResult": {"ErrorInfo": info}})) as service:
        async with service.client() as client:
            with pytest.raises(NotFoundError, check=having(code="ERROR_CODE_1019")):
                await client.company().run("WoStartCommand", {})


@pytest.mark.parametrize("transactional", [False, True])
async def test_error_info_in_an_element_leaves_the_call_in_doubt(transactional: bool) -> None:
    """The service may have run the other commands of a CompositeCommand."""
    elements = [{"Wo": {"Id": 5}}, {"ErrorInfo": {"Number": 6, "Description": "modified\nby another user"}}]
    command = CompositeCommand(is_transactional=transactional, commands=[WoStartCommand(work_order_id=5)])
    async with Service(lambda _: Answer(body={"CommandResult": {"Responses": elements}})) as service:
        async with service.client() as client:
            acme = client.company()
            for call in (acme.run(command, check=False), acme.run("CompositeCommand", {}, check=False)):
                with pytest.raises(InDoubtError, match=r"command 2 .*ERROR_CODE_6: modified\\nby another"):
                    await call
    assert len(service.calls) == 2


@pytest.mark.parametrize(
    ("status", "success"), [(201, True), (299, True), (300, False), (307, False), (399, False)]
)
async def test_only_a_status_below_300_is_a_success(status: int, success: bool) -> None:
    """A body like that of a success changes nothing: what a redirect did is not known."""
    answer = Answer(status, {"CommandResult": {"Wo": {"Id": 7}}})
    async with Service(lambda _: answer) as service, service.client() as client:
        call = client.company().run("WoCreateCommand", {})
        if success:
            assert await call == {"Wo": {"Id": 7}}
        else:
            with pytest.raises(InDoubtError, check=having(status=status)):
                await call
    assert len(service.calls) == 1


async def test_a_company_name_that_is_not_ascii() -> None:
    """The name goes into its header as UTF-8 (assumed)."""
    async with Service() as service, service.client() as client:
        await client.company("Kälte & Söhne 東").get("Thing", 1)
    assert service.calls[0].headers["companyname"].encode("latin-1").decode() == "Kälte & Söhne 東"


async def test_a_negative_id_that_was_asked_for_is_believed() -> None:
    """Only a new record cannot have one."""
    async with Service(lambda _: Answer(body={"Data": {"Id": -5}})) as service, service.client() as client:
        assert await client.company().get("Thing", -5) == {"Id": -5}


async def test_headers_of_a_call_are_sent_beside_those_of_the_session() -> None:
    """And with no other call."""
    done = Answer(body={"EntitySpecifier": {"EntityType": "Thing", "Id": 5}})
    async with Service(lambda _: done) as service, service.client() as client:
        for missing_ok in (True, False):
            await client.company().delete("Thing", 5, missing_ok=missing_ok)
    first, second = (call.headers for call in service.calls)
    assert first["ignoremissingentityondelete"] == "true"
    assert "ignoremissingentityondelete" not in second
    assert first["companyname"] == second["companyname"] == COMPANY


MISSING = error(400, "ERROR_CODE_1019", "Thing entity with id 5 is not found.")


@each_of("first", [None, Answer(500), RESET])
@each_of("id", [5, {"A": 1, "B": 2}])
async def test_a_missing_record_is_not_an_error_even_if_the_service_says_so(
    first: Answer | None, id: Any
) -> None:
    """The header for it is known from one page only (facts 3.8). A lost delete is repeated."""
    answers = iter([first] if first else [])
    async with Service(lambda _: next(answers, MISSING)) as service, service.client() as client:
        acme = client.company()
        done = await acme.delete("Thing", id, missing_ok=True)
        assert (done.entity_type, done.id) == ("Thing", id)
        with pytest.raises(NotFoundError):
            await acme.delete("Thing", id)
    assert len(service.calls) == (3 if first else 2)


async def test_another_refusal_of_a_delete_is_an_error() -> None:
    """Only the missing record is what the caller allows."""
    refusal = error(400, "BUSINESS_LOGIC_ERROR", "in use")
    async with Service(lambda _: refusal) as service, service.client() as client:
        with pytest.raises(BusinessRuleError):
            await client.company().delete("Thing", 5, missing_ok=True)


async def test_a_new_record_may_have_a_compound_key() -> None:
    """Its id is a JSON object (facts 3.1)."""
    key = {"A": 1, "B": 2}
    made = Answer(body={"EntitySpecifier": {"EntityType": "Thing", "Id": key}})
    async with Service(lambda _: made) as service, service.client() as client:
        assert (await client.company().create("Thing", {"Name": "x"})).id == key


CREATES: dict[str, tuple[Any, str]] = {
    "order": (WoCreateCommand(work_order=WorkOrder(po_number="k")), "Wo"),
    "copy": (WoCopyCommand(work_order_id=5), "Wo"),
    "space": (SpaceCreateCommand(customer_id=5), "NewSpace"),
    "zone": (WorkZoneCreateCommand(work_zone=WorkZone(display_as="Z")), "WorkZone"),
    "by name": ("wocreatecommand", "wo"),
    "generic": ("CreateCommand", "EntitySpecifier"),
}


@each_of("name", CREATES)
async def test_a_create_that_names_no_record_is_in_doubt(name: str) -> None:
    """Sent once; with a record it is done (spec 4.3, 4.4, facts 5)."""
    command, member = CREATES[name]
    nameless = ({}, {member: None}, {member: {}}, {member: {"Id": 0}}, {member: {"Id": True}}, {member: []})
    answers = iter(
        [*({"CommandResult": result} for result in nameless), {"CommandResult": {member: {"Id": 9}}}]
    )
    async with Service(lambda _: Answer(body=next(answers))) as service, service.client() as client:
        fields = ({},) if isinstance(command, str) else ()
        for _ in nameless:
            with pytest.raises(InDoubtError, match=r"it names no record|which no record can have"):
                await client.company().run(command, *fields, check=False)
        assert await client.company().run(command, *fields, check=False)
    assert len(service.calls) == len(nameless) + 1


@pytest.mark.parametrize("specifier", [{}, {"EntityType": "Customer"}, {"Id": None}, {"Id": ""}], ids=str)
async def test_a_create_without_a_command_that_names_no_record_is_in_doubt(specifier: Any) -> None:
    """facts 6: a create that was answered without a specifier is an error."""
    async with Service(lambda _: Answer(body={"EntitySpecifier": specifier})) as service:
        async with service.client() as client:
            with pytest.raises(InDoubtError, match="it names no record"):
                await client.company().create("Customer", {"Name": "A"}, check=False)
    assert len(service.calls) == 1
