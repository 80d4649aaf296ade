"""Spec 4.1 against a scripted service: how the client finds the host of a Company."""

from __future__ import annotations

from tests.spec.rules import spec
from tests.support.service import COMPANY, Answer, Service
from wosdk_async import GetCompanyWsdkUrlCommand


@spec("4.1", "discovery")
async def test_discovery() -> None:
    """Spec 4.1: POST to the locator with ApiType, CompanyName and Protocol, and no RequestId."""
    async with Service() as service, service.client() as client:
        company = client.company()
        await company.connect()
        (call,) = service.discoveries
        assert (call.method, call.path) == ("POST", "/api/v1/cmd/GetCompanyWsdkUrlCommand")
        assert call.json == {"Command": {"ApiType": "REST", "CompanyName": COMPANY, "Protocol": "HTTPS"}}
        assert (company.host, company.version, company.id) == (service.url, "9.21.4.118", 40217)


@spec("4.1", "discovery")
async def test_the_discovered_host_is_the_base_url() -> None:
    """Spec 4.1: Url is the host of all further calls; the locator gets none of them."""
    async with (
        Service(lambda _: Answer(body={"CommandResult": {}})) as host,
        Service() as locator,
        locator.client() as client,
    ):
        locator.company_url = host.url
        await client.company().run("AnyCommand", {})
    assert (len(host.calls), len(locator.calls), len(locator.discoveries), len(host.discoveries)) == (
        1,
        0,
        1,
        0,
    )


@spec("4.1", "discovery")
async def test_discovery_as_a_typed_command() -> None:
    """Spec 4.1: a caller may run it; it goes to the locator without RequestId, and its result is typed."""
    command = GetCompanyWsdkUrlCommand(api_type="REST", company_name=COMPANY, protocol="HTTPS")
    async with Service() as host, Service() as locator, locator.client() as client:
        locator.company_url = host.url
        found = await client.company().run(command)
    assert host.discoveries == []
    assert [call.json.keys() for call in locator.discoveries] == [{"Command"}] * 2
    assert (found.url, found.company_name, found.protocol) == (host.url, COMPANY, "HTTPS")
    assert (found.company_version, found.company_id) == ("9.21.4.118", 40217)
