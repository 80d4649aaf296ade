"""What a transport of the user's does wrong, and what it means for the call."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import httpx2
import pytest

from tests.support.laws import case
from tests.support.service import Service
from tests.transport.script import QUICK
from wosdk_async import (
    Client,
    Customer,
    InDoubtError,
    Limits,
    NoAnswerError,
    NotSentError,
    RetryPolicy,
    WoCreateCommand,
    WosdkError,
)

Handler = Callable[[Any], Any]  # from a request of httpx or httpx2 to its response


@contextlib.asynccontextmanager
async def over(library: Any, service: Service, handler: Handler, **settings: Any) -> AsyncIterator[Client]:
    """A client whose session is that of the service, and whose calls go to ``handler``."""
    direct = library.AsyncHTTPTransport()

    class Half(library.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            if request.url.path.startswith("/api/v1") and "GetCompanyWsdkUrl" not in request.url.path:
                return handler(request)
            return await direct.handle_async_request(request)

        async def aclose(self) -> None:
            pytest.fail("closed")

    async with direct, service.client(transport=Half(), options=QUICK, **settings) as client:
        yield client


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with Service() as made:
        yield made


FAILURES: list[tuple[str | Exception, type[WosdkError]]] = [
    ("ConnectError", NotSentError),
    ("ConnectTimeout", NotSentError),
    ("PoolTimeout", NotSentError),
    ("ProxyError", NotSentError),
    ("UnsupportedProtocol", NotSentError),
    ("ReadTimeout", InDoubtError),
    ("WriteTimeout", InDoubtError),
    ("WriteError", InDoubtError),
    ("RemoteProtocolError", InDoubtError),
    ("HTTPStatusError", InDoubtError),
    (ConnectionResetError("cut"), InDoubtError),
    (KeyError("a bug of the transport"), InDoubtError),
]


@pytest.mark.parametrize("errors", [httpx, httpx2], ids=["errors of httpx", "errors of httpx2"])
async def test_what_is_not_known_to_be_unsent_is_in_doubt(
    library: Any, errors: Any, service: Service
) -> None:
    """A create that an unknown transport failed with; the error holds nothing of httpx.

    An error of the other library is that of another request: it says nothing of ours.
    """
    raised: list[Exception] = []

    def fail(_: Any) -> Any:
        raise raised[-1]

    async with over(library, service, fail) as client:
        once = client.company().with_options(retry=RetryPolicy(attempts=1))
        for failure, kind in FAILURES:
            more = {"request": None, "response": None} if failure == "HTTPStatusError" else {}
            own = isinstance(failure, Exception)
            raised.append(failure if own else getattr(errors, failure)("why", **more))
            with case(failure):
                with pytest.raises(kind if library is errors else InDoubtError) as caught:
                    await once.run(WoCreateCommand(), check=False)
                assert caught.value.attempts == 1
                link: BaseException | None = caught.value
                while link is not None:
                    assert link is not raised[-1]
                    assert type(link).__module__.startswith("wosdk_async")
                    link = link.__cause__ or link.__context__


async def test_a_deadline_between_attempts_that_sent_nothing(library: Any, service: Service) -> None:
    """A request that got no connection leaves no doubt behind, although it had been handed over."""
    notified = []

    def busy(_: Any) -> Any:
        raise library.PoolTimeout("none is free")

    hooks = {"on_in_doubt": lambda *call: notified.append(call)}
    patient = RetryPolicy(attempts=2, wait_initial=1e8, wait_max=1e8)
    async with over(library, service, busy, **hooks) as client:
        company = client.company().with_options(deadline=1e9, retry=patient)
        task = asyncio.create_task(company.run(WoCreateCommand(), check=False))
        while client.stats().retry_quota == 500:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert notified == []


async def test_responses_are_bounded(library: Any, service: Service) -> None:
    """Also when they were compressed."""

    def bomb(request: Any) -> Any:
        return library.Response(
            200, headers={"Content-Encoding": "gzip"}, content=gzip.compress(bytes(10_000))
        )

    async with over(library, service, bomb, limits=Limits(body=9_999)) as client:
        with pytest.raises(NoAnswerError, match="longer than 9999 bytes"):
            await client.company().get(Customer, 7)
