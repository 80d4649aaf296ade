"""A command whose log-in takes long says so, once, and what it waits for."""

from __future__ import annotations

import asyncio
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import spawn
from tests.cli.importing import MAP
from tests.support.service import SECRET, Answer, Request, Service, error
from wosdk_async import Client
from wosdk_async.cli.runner import LoginWait, login_wait_of, reporting_slow_login

QUERY = ("query", "Customer", "--json")


class Held:
    """A handler of a service that answers as usual, but only after :meth:`release`."""

    def __init__(self, usual: Callable[[Request], object]) -> None:
        self._usual, self._released = usual, threading.Event()

    async def __call__(self, request: Request) -> Answer:
        await asyncio.to_thread(self._released.wait)
        answer = self._usual(request)
        assert isinstance(answer, Answer)
        return answer

    def release(self) -> None:
        self._released.set()


@pytest.fixture
def held(scripted: Service, place: str) -> Iterator[Held]:
    """The service is silent about a part of the log-in."""
    scripted.handler = lambda _: Answer(body={"Entities": []})
    handler = Held(getattr(scripted, place))
    setattr(scripted, place, handler)
    yield handler
    handler.release()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline()


def commands(file: Path) -> dict[str, tuple[str | Path, ...]]:
    return {
        "query": QUERY,
        "import": ("import", file, "--map", MAP),
        "check": ("check",),
    }


SOON = "from wosdk_async.cli.runner import reporting_slow_login as watch\n"
SOON += "watch.__kwdefaults__['patience'] = 0.5"


@pytest.mark.parametrize(
    ("name", "place", "address"),
    [
        ("query", "on_token", "token address"),
        ("import", "on_discovery", "locator address"),
        ("check", "on_discovery", "locator address"),
    ],
)
def test_a_silent_address_is_named(held: Held, file: Path, name: str, address: str) -> None:
    """After three seconds, here after half of one; the command continues when the response comes."""
    assert (reporting_slow_login.__kwdefaults__ or {})["patience"] == 3.0
    process = spawn(*commands(file)[name], code=SOON)
    try:
        line = first_line(process)
        begin = "wosdk: no session after \\d+ s; still waiting"
        assert re.fullmatch(rf"{begin}: the {address} http://\S+ has not responded\n", line), line
        assert SECRET not in line
        if name == "query":
            held.release()
            assert process.communicate(timeout=20) == ("", "wosdk: no rows\n")
    finally:
        process.kill()
        process.communicate()


async def said_by(service: Service, client: Client) -> list[str]:
    """What is said of the waits of a log-in, however short; a token comes when something was said."""
    lines: list[str] = []

    def say(text: str) -> None:
        lines.append(text)
        service.on_token = Service().on_token

    def look() -> LoginWait | None:
        wait = login_wait_of(client)
        return wait if wait is not None and "retry in" in wait[1] else None

    company = client.company()
    async with reporting_slow_login(look, patience=0.0, between_looks=0.01, show=say):
        await company.connect()
        await company.get("Customer", 1)
    return lines


@pytest.mark.parametrize("status", [429, 503])
async def test_a_wait_that_the_service_asks_for_is_said_with_its_reason(status: int) -> None:
    async with Service() as service, service.client() as client:
        answer = error(status, "ServerBusy", "busy [bold]now[/bold]")
        service.on_token = lambda _: Answer(status, answer.body, {"Retry-After": "1"})
        (line,) = await said_by(service, client)
    assert f": HTTP {status}, " in line
    assert line.endswith("(busy [bold]now[/bold])")
