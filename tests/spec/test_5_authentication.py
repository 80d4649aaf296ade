"""Spec 5: four headers on every call, and a token that is renewed together with the host."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.spec.local import Local, create_request, refused
from tests.spec.rules import spec
from tests.support.laws import case
from tests.support.service import COMPANY, Answer, Request, Service, error
from wosdk_async import (
    BusinessRuleError,
    Client,
    Company,
    Contact,
    Customer,
    WoCreateCommand,
    WorkOrder,
    WosdkError,
)
from wosdk_async.sandbox import LocalCompany, VirtualClock

ANSWER = {
    "CommandResult": {"Wo": {"Id": 7}},
    "Entities": [{"Data": {"Id": 7}}],
    "EntitySpecifier": {"EntityType": "Contact", "Id": 7},
}


async def every_operation(company: Company) -> None:
    await company.run(WoCreateCommand(work_order=WorkOrder()))
    await company.run("AnyCommand", {})
    await company.get(Contact, 7)
    await company.create(Contact(first_name="Ines"))
    await company.update(Contact(id=7), first_name="Eva")
    await company.delete(Contact, 7)
    await company.query(Contact, {"Count": 1})


@spec("5", "headers")
async def test_headers_of_every_call() -> None:
    """Spec 5: the header table, on commands, base operations, queries and discovery alike."""
    async with Service(lambda _: Answer(body=ANSWER)) as service, service.client() as client:
        await every_operation(client.company())
    assert [call.method for call in service.calls] == ["POST", "POST", "GET", "POST", "PUT", "DELETE", "POST"]
    for call in (*service.discoveries, *service.calls):
        assert call.headers["authorization"] == "Bearer token-1"
        assert call.headers["companyname"] == COMPANY
        assert call.headers["content-type"] == "application/json"
        assert call.headers["accept-encoding"].replace(" ", "") == "gzip,deflate"


@spec("5", "headers")
@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_compressed_answers(name: str, pack: Any) -> None:
    """Spec 5: what Accept-Encoding offers can be read, discovery and errors included."""

    def packed(answer: Answer) -> Answer:
        headers = {"Content-Encoding": name, "Content-Type": "application/json"}
        return Answer(answer.status, pack(json.dumps(answer.body).encode()), headers)

    answers = [
        Answer(body={"Entities": [{"Data": {"Id": 7, "FirstName": "Åsa"}}]}),
        error(400, "BUSINESS_LOGIC_ERROR", "Nej, Åsa"),
    ]
    async with Service(lambda _: packed(answers.pop(0))) as service, service.client() as client:
        plain = service.on_discovery
        service.on_discovery = lambda request: packed(plain(request))  # type: ignore[arg-type]
        assert await client.company().get(Contact, 7) == Contact(id=7, first_name="Åsa")
        with pytest.raises(BusinessRuleError, match="Nej, Åsa"):
            await client.company().get(Contact, 7)


@spec("5", 2)
async def test_companies_have_their_own_headers() -> None:
    """Spec 1, 5 rule 2: credentials belong to a Company, and each call names its own."""
    async with Service(lambda _: Answer(body=ANSWER)) as service, service.client() as client:
        for name in ("Acme Facilities", "Northwind"):
            await client.company(name).get(Contact, 7)
    sent = [(call.headers["companyname"], call.headers["authorization"]) for call in service.calls]
    assert sent == [("Acme Facilities", "Bearer token-1"), ("Northwind", "Bearer token-2")]
    assert [call.json["Command"]["CompanyName"] for call in service.discoveries] == [
        "Acme Facilities",
        "Northwind",
    ]


@spec("4.1", "discovery")
@spec("5", 1)
async def test_the_host_is_asked_for_with_every_token() -> None:
    """Spec 5 rule 1: an expired token is refreshed, discovery runs again, the call goes to the new host."""
    async with (
        Service(lambda _: Answer(body=ANSWER)) as new_host,
        Service() as service,
        service.client() as client,
    ):

        def expired(_: Request) -> Answer:
            service.company_url = new_host.url
            return error(403, "EXPIRED_TOKEN", "Token has expired")

        service.handler = expired
        company = client.company()
        await company.run("AnyCommand", {})
        assert company.host == new_host.url
        await company.run("AnyCommand", {})
    assert (len(service.tokens), len(service.discoveries), len(service.calls), len(new_host.calls)) == (
        2,
        2,
        1,
        2,
    )
    assert service.discoveries[1].headers["authorization"] == "Bearer token-2"
    assert {call.headers["authorization"] for call in new_host.calls} == {"Bearer token-2"}
    assert new_host.calls[0].json["RequestId"] == service.calls[0].json["RequestId"]


@spec("5", 1)
async def test_one_session_serves_many_calls() -> None:
    """Spec 5 rule 1: a token that lives is neither refreshed nor rediscovered."""
    async with Service(lambda _: Answer(body=ANSWER)) as service, service.client() as client:
        for _ in range(3):
            await every_operation(client.company())
    assert (len(service.tokens), len(service.discoveries)) == (1, 1)


# --- the sandbox ------------------------------------------------------------------------------


@pytest.fixture
def bare() -> Iterator[httpx.Client]:
    """Yield a client that sends no header of its own accord but httpx's."""
    with httpx.Client() as client:
        yield client


@spec("5", "headers")
def test_no_call_without_a_token(local: Local, bare: httpx.Client) -> None:
    """Spec 5: Authorization is on every call, discovery and Company host alike."""
    for path in ["base/Customer?ID=512", "cmd/WoCreateCommand", "cmd/GetCompanyWsdkUrlCommand"]:
        for headers in [{}, {"Authorization": "Bearer nonsense"}, {"Authorization": "nonsense"}]:
            with case(path, headers):
                url = f"{local.base_url}/api/v1/{path}"
                named = {"CompanyName": local.variables["WOSDK_COMPANY"], **headers}
                body = {"Command": create_request()} if path.startswith("cmd") else None
                refused(bare.request("POST" if body else "GET", url, headers=named, json=body))


@spec("5", "headers")
def test_no_call_without_a_company(local: Local, bare: httpx.Client) -> None:
    """Spec 5: CompanyName is on every call, and names the Company."""
    for path in ["base/Customer?ID=512", "cmd/GetCompanyWsdkUrlCommand"]:
        for name in [None, "", "No Such Company"]:
            with case(path, name):
                headers = local.headers(local.token())
                del headers["CompanyName"]
                if name is not None:
                    headers["CompanyName"] = name
                company = local.variables["WOSDK_COMPANY"]
                command = {"ApiType": "REST", "CompanyName": company, "Protocol": "HTTPS"}
                body = {"Command": command} if path.startswith("cmd") else None
                url = f"{local.base_url}/api/v1/{path}"
                refused(bare.request("POST" if body else "GET", url, headers=headers, json=body))


@spec("5", 2)
async def test_wrong_credentials(variables: dict[str, str]) -> None:
    """Spec 5 rule 2: only the credentials of the Company open a session."""
    async with Client.from_env({**variables, "WOSDK_CLIENT_SECRET": "guessed"}) as client:
        with pytest.raises(WosdkError):
            await client.company().connect()


@pytest.fixture
def clocked() -> Iterator[LocalCompany]:
    """A sandbox on a socket, with a clock of the test's."""
    with LocalCompany(clock=VirtualClock()) as local:
        yield local


@spec("5", 1)
def test_tokens_expire(clocked: LocalCompany) -> None:
    """Spec 5 rule 1: a token is short-lived; a new one works where the old one is refused."""
    with Local(clocked.variables) as local:
        local.read("Customer", 512)
        clocked.clock.advance(hours=1)
        refused(local.send("GET", "base/Customer?ID=512"))
        refused(local.discover())
        local.http.headers = httpx.Headers(local.headers(local.token()))
        local.read("Customer", 512)


@spec("5", 1)
async def test_the_client_outlives_its_token(clocked: LocalCompany) -> None:
    """Spec 5 rule 1: the client refreshes an expired token, and the caller notices nothing."""
    async with Client.from_env(clocked.variables) as client:
        company = client.company()
        await company.get(Customer, 512)
        clocked.clock.advance(hours=1)
        assert (await company.get(Customer, 512)).id == 512
