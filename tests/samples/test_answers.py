"""Every sample of an answer becomes typed objects with nothing lost, or a typed error that says the same."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

import wosdk_async as wosdk
from tests.samples.expected import ERRORS, SESSIONS, TYPED, UPDATES
from tests.samples.sample import COMPANY, Json, body_bytes, comparable, load, names
from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import Client
from wosdk_async.codec import dumps, loads, unstructure
from wosdk_async.model import Record


def answering(name: str) -> Service:
    """A service that answers every call of a Company with the sample, digit by digit."""
    sample = load(name, "response")
    return Service(lambda _: Answer(sample["status"], body_bytes(name), sample["headers"]))


def client_of(service: Service) -> Client:
    """A client that takes the RequestIds of the samples for those of its own commands."""
    return service.client(company=COMPANY, check_request_ids=False)


def test_every_sample_has_a_case() -> None:
    """A new file without a case fails."""
    cases = [*TYPED, *UPDATES, *SESSIONS, *ERRORS, "error_internal"]
    assert sorted(cases) == names("response")


def extras(value: Any) -> dict[str, Any]:
    """What of the objects in ``value`` the catalogue does not know."""
    found: dict[str, Any] = {}
    if isinstance(value, Record):
        found |= value.extra or {}
        for name in value.__wire__:
            found |= extras(getattr(value, name))
    elif isinstance(value, list):
        for item in value:
            found |= extras(item)
    return found


def written(found: Any) -> Any:
    """What the client would send for it; numbers as they stand in the text."""
    return loads(dumps(unstructure(found)))


@each_of("name", TYPED)
async def test_answer(name: str) -> None:
    """An object of the documented class, nothing of it unknown, that gives all of the JSON back."""
    ask, inner, cls = TYPED[name]
    async with answering(name) as service, client_of(service) as client:
        found = await ask(client.company())
        again = await ask(client.company())  # by then the quick reader may have taken over
    sent = inner(load(name, "response")["body"])
    assert isinstance(found, cls)
    assert extras(found) == {}
    assert comparable(written(found)) == comparable(written(again)) == comparable(sent)


@pytest.mark.parametrize("name", TYPED)
async def test_what_nobody_documented_is_kept(name: str) -> None:
    """Unknown fields, at the top and further in, are in ``extra`` and go back as they came."""
    ask, inner, _ = TYPED[name]
    body = load(name, "response")["body"]
    for part in parts(inner(body)):
        part["NotDocumented"] = {"Deep": [1, None, Decimal("0.10")]}
    async with Service(lambda _: Answer(body=dumps(body))) as service, client_of(service) as client:
        found = await ask(client.company())
    assert comparable(written(found)) == comparable(inner(body))


def parts(value: Any) -> list[Json]:
    """The objects in some JSON."""
    if isinstance(value, dict):
        return [value, *(part for inner in value.values() for part in parts(inner))]
    return [part for inner in value for part in parts(inner)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", UPDATES)
async def test_update(name: str) -> None:
    """The answer of an update is the record's new version, where it has one."""
    record = UPDATES[name]
    async with answering(name) as service, client_of(service) as client:
        updated = await client.company().update(record, perform_deletion=False)
    specifier = load(name, "response")["body"]["EntitySpecifier"]
    version = specifier.get("ConcurrencyId", getattr(record, "concurrency_id", None))
    assert (updated.wire_name, updated.id) == (specifier["EntityType"], specifier["Id"])
    assert getattr(updated, "concurrency_id", None) == version


@pytest.mark.parametrize("name", ERRORS)
async def test_error(name: str) -> None:
    """A typed error with the service's code, text, time and status."""
    sample = load(name, "response")
    async with answering(name) as service, client_of(service) as client:
        with pytest.raises(wosdk.RefusedError) as caught:
            await client.company().run("AnyCommand", {})
    error, body = caught.value, sample["body"]
    assert type(error) is ERRORS[name]
    renewals = "still refused after 2 renewals: " if isinstance(error, wosdk.SessionRefusedError) else ""
    assert (error.code, error.message) == (body["ErrorCode"], renewals + body["ErrorMessage"])
    assert (error.time_stamp, error.status) == (body["TimeStamp"], sample["status"])
    assert error.request_id == body.get("RequestId", service.calls[-1].json["RequestId"])


async def test_error_internal() -> None:
    """A 500 without an error body tells nothing of what was done."""
    async with answering("error_internal") as service, client_of(service) as client:
        with pytest.raises(wosdk.InDoubtError) as caught:
            await client.company().run("AnyCommand", {})
    assert caught.value.status == 500


async def test_session() -> None:
    """The token goes into every call, and the host is the Url of the discovery, with what it says of it."""
    trusted = {"company": COMPANY, "trusted_hosts": ["fm-host.example"]}
    async with Service() as service, service.client(**trusted) as client:
        service.on_token = lambda _: Answer(body=body_bytes("token"))
        service.on_discovery = lambda _: Answer(body=body_bytes("discovery"))
        acme = client.company()
        await acme.connect()
    assert service.discoveries[0].headers["authorization"] == "Bearer tk-7Qd1m0-sample"
    assert (acme.host, acme.version, acme.id) == ("https://ce7.fm-host.example", "9.21.4.118", 40217)


async def test_token_rejected() -> None:
    """Wrong credentials are told as such, without the secret."""
    async with Service() as service, client_of(service) as client:
        service.on_token = lambda _: Answer(400, body_bytes("token_rejected"))
        with pytest.raises(wosdk.CredentialsError) as caught:
            await client.company().connect()
    assert "s3cr3t" not in str(caught.value)
