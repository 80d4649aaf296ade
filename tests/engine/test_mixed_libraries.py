"""Responses and errors of one library that come out of a part of the other, and what errors say of mocks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import attrs
import httpx
import httpx2
import pytest
import respx

from tests.support.laws import each_of
from tests.support.service import Service
from tests.transport.script import QUICK
from wosdk_async import (
    Client,
    Credentials,
    Customer,
    DeadlineError,
    Document,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    Region,
    WoCreateCommand,
)

PAIRS = pytest.mark.parametrize(
    ("library", "other"), [(httpx, httpx2), (httpx2, httpx)], ids=["httpx", "httpx2"]
)
BRIEF = attrs.evolve(QUICK, deadline=0.5)  # a log-in is retried as long as a call has time
REGION = Region("test", locator_url="https://a.example", token_url="https://a.example/OAuth/token")


def over_handler(library: ModuleType, respond: Callable[..., Any]) -> Any:
    return library.MockTransport(respond)


def over_transport(library: ModuleType, respond: Callable[..., Any]) -> Any:
    class Transport(library.AsyncBaseTransport):  # type: ignore[misc,name-defined]
        async def handle_async_request(self, request: Any) -> Any:
            return respond(request)

    return Transport()


def client(transport: Any) -> Client:
    return Client(
        region=REGION, credentials=Credentials("a", "b"), company="A", transport=transport, options=BRIEF
    )


@PAIRS
@pytest.mark.parametrize("over", [over_handler, over_transport])
async def test_a_response_of_the_other_library(library: ModuleType, other: ModuleType, over: Any) -> None:
    """The error names both, and the call is not repeated: each response would be like it."""
    seen = []

    def respond(request: Any) -> Any:
        seen.append(request)
        return other.Response(200, json={"access_token": "a", "expires_in": 1199})

    async with client(over(library, respond)) as made:
        with pytest.raises(NotSentError) as caught:
            await made.company().get(Customer, 7)
    for part in (
        f"for {library.__name__} returned {other.__name__}.Response",
        f"{library.__name__}.Response",
    ):
        assert part in str(caught.value)
    assert (len(seen), caught.value.attempts) == (1, 1)


@PAIRS
@pytest.mark.parametrize("over", [over_handler, over_transport])
async def test_a_create_that_the_other_library_sent_is_in_doubt(
    library: ModuleType, other: ModuleType, over: Any
) -> None:
    """A transport that sends by the other library has sent it; so is a download said to be at fault."""
    found = {"Url": "https://acme.corrigo.com/", "CompanyName": "A", "CompanyId": 1}
    file = {"CommandResult": {"Results": [{"DocumentId": 7, "Url": "https://acme.corrigo.com/file"}]}}

    def respond(request: Any) -> Any:
        path = request.url.path
        if path.endswith("/token"):
            return library.Response(200, json={"access_token": "a", "expires_in": 1199})
        if "Wsdk" in path:
            return library.Response(200, json={"CommandResult": found})
        if "Document" in path:
            return library.Response(200, json={"Data": {"StorageTypeId": "Cloud"}})
        if "Download" in path:
            return library.Response(200, json=file)
        return other.Response(200, json={"CommandResult": {"Wo": {"Id": 7}}})

    async with client(over(library, respond)) as made:
        with pytest.raises(InDoubtError, match=f"{other.__name__}.Response"):
            await made.company().run(WoCreateCommand(), check=False)
        with pytest.raises(NoAnswerError, match=f"{other.__name__}.Response") as caught:
            await made.company().documents.download(Document(id=7))
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.__context__ is None  # it would hold the address, which may be signed


@each_of("library", [httpx, httpx2], ids=["httpx", "httpx2"])
@each_of(
    ("text", "said"),
    [("refused", "ConnectError: refused"), ("", "ConnectError"), ("ConnectError: no", "ConnectError: no")],
)
async def test_the_text_of_a_mocks_error_is_said_once(library: ModuleType, text: str, said: str) -> None:
    """With its name, once, whatever the text is."""

    def respond(request: Any) -> Any:
        raise library.ConnectError(text)

    async with client(library.MockTransport(respond)) as made:
        with pytest.raises(
            (NotSentError, DeadlineError)
        ) as caught:  # whichever the machine is fast enough for
            await made.company().get(Customer, 7)
    assert f"(https://a.example: {said})" in caught.value.message


async def test_the_error_of_a_route_does_not_describe_the_route() -> None:
    """respx raises an error of its own around it, which says nothing of the failure."""
    with respx.mock(assert_all_called=False) as router:
        router.post("https://a.example/OAuth/token").mock(side_effect=httpx.ConnectError("refused"))
        async with client(None) as made:
            with pytest.raises((NotSentError, DeadlineError)) as caught:
                await made.company().get(Customer, 7)
    assert "(https://a.example: ConnectError: refused)" in caught.value.message


async def test_the_cause_of_the_system_is_still_said(library: Any) -> None:
    """httpx says that all attempts failed; the error of the system says why."""
    async with Service() as service:
        url = service.url
    region = Region("test", locator_url=url, token_url=f"{url}/OAuth/token")
    async with library.AsyncClient() as http:
        async with Client(
            region=region, credentials=Credentials("a", "b"), company="A", http_client=http, options=BRIEF
        ) as made:
            with pytest.raises((NotSentError, DeadlineError), match=r"ConnectError: .*\[Errno"):
                await made.company().get(Customer, 7)
