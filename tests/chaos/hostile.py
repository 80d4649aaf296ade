"""Hostile servers instead of the service: the client's errors, and their cost in CPU time and memory.

    python -m tests.chaos.hostile [--quick]

The client sends one create to each server, and downloads one file, over our engine (``--quick``: no other),
and over a client and a transport of httpx, and of httpx2 if installed. The create must be in doubt, but
nothing may be sent to the server with the wrong certificate. Downloads of endless and gzipped files must
fail. No step of the event loop may take more than 0.1 s of CPU time. Memory may grow by at most 100 MB, and
by less than 16 MB while the consumer of a file has stopped reading. If a check fails, the exit status is 1.

Two responses are not bombs but the largest JSON that is accepted. They block the loop for longer, as
docs/limitations.md says, because a decoder does not stop in the middle.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import subprocess
import sys
import time
from asyncio import events
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import attrs

from tests.chaos.hostile_server import RESPONSES, SLOW, UNKNOWN
from tests.support import arguments
from wosdk_async import (
    CallOptions,
    Client,
    Company,
    Credentials,
    DeadlineError,
    DownloadError,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    Region,
    RetryPolicy,
    WoCreateCommand,
    WorkOrder,
)
from wosdk_async.transport.http.native.engine import NativeEngine

STEP = 0.1  # seconds of CPU time
GROWTH = 100.0  # MB
WITHIN = (6.0, 400.0)  # the same for the largest JSON that is accepted
_OF_HTTPX2 = ("httpx2_client", "httpx2_transport") if find_spec("httpx2") else ()
ENGINES = ("native", "http_client", "transport", *_OF_HTTPX2)
_NO_FILE = (DownloadError, NoAnswerError, DeadlineError)
_FILE = "endless body"  # whose consumer stops after its first piece
_PAUSE, _PAUSED = 1.0, 16.0  # seconds for which the consumer stops, and MB by which memory may grow meanwhile


@attrs.frozen
class Meeting:
    """Result of a call to a server.

    ``error`` is the name of the error's class, ``step`` the longest step of the loop in CPU seconds, and
    ``grown`` the peak growth of memory in MB.
    """

    name: str
    engine: str
    verb: str
    error: str
    right: bool
    seconds: float
    step: float
    grown: float

    @property
    def as_wanted(self) -> bool:
        """Whether the error is right and no limit was passed."""
        step, grown = WITHIN if self.name.startswith("within") else (STEP, GROWTH)
        return self.right and self.step <= step and self.grown <= grown


@attrs.define
class Watch:
    step: float = 0.0
    _before: float = 0.0

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        original = events.Handle._run

        watch = self

        def timed(self: events.Handle) -> None:
            begun = time.thread_time()
            original(self)
            watch.step = max(watch.step, time.thread_time() - begun)

        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        self._before = _memory("VmRSS")
        events.Handle._run = timed  # type: ignore[method-assign]
        try:
            yield
        finally:
            events.Handle._run = original  # type: ignore[method-assign]

    @property
    def grown(self) -> float:
        """MB by which memory grew."""
        return _memory("VmHWM") - self._before


def _memory(kind: str) -> float:
    """Return a figure of this process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(kind))


async def run(engines: tuple[str, ...] = ENGINES) -> list[Meeting]:
    with _servers() as url:
        met = []
        for engine in engines:
            async with _client(engine, url) as client:
                for name in RESPONSES:
                    company = client.company(name).with_options(deadline=1 if name == SLOW else 30)
                    met.append(await _create(company, engine, url))
                    if name != UNKNOWN and not name.startswith("within"):
                        met.append(await _fetch(company, engine))
                    if name == _FILE and engine == "native":
                        met.append(await _pause(company))
        return met


async def _create(company: Company, engine: str, url: str) -> Meeting:
    name, watch = company.name, Watch()
    await company.connect()
    before, begun = await _reached(url, name), time.monotonic()
    try:
        with watch.watching():
            await company.run(WoCreateCommand(work_order=WorkOrder(po_number="PO-1")), check=False)
        error: Exception | None = None
    except Exception as raised:
        error = raised
    seconds, sent = time.monotonic() - begun, await _reached(url, name) - before
    if name == UNKNOWN:
        right = isinstance(error, NotSentError) and sent == 0
    elif name.startswith("within"):
        right = error is None and sent == 1
    else:
        right = isinstance(error, InDoubtError) and sent == 1
    kind = type(error).__name__ if error else "none"
    return Meeting(name, engine, "create", kind, right, seconds, watch.step, watch.grown)


async def _fetch(company: Company, engine: str) -> Meeting:
    watch, begun = Watch(), time.monotonic()
    try:
        with watch.watching():
            size = len(await company.documents.download(1, max_bytes=32 * 1024 * 1024))
        kind, right = f"{size} bytes", "gzip" not in company.name and "endless" not in company.name
    except Exception as raised:
        kind, right = type(raised).__name__, isinstance(raised, _NO_FILE)
    seconds = time.monotonic() - begun
    return Meeting(company.name, engine, "download", kind, right, seconds, watch.step, watch.grown)


async def _pause(company: Company) -> Meeting:
    url = (await company.documents.download_urls([1]))[1].url
    watch, begun = Watch(), time.monotonic()
    with watch.watching():
        async with NativeEngine().stream(url or "") as response:
            kind = f"{len(await anext(response.chunks))} bytes"
            await asyncio.sleep(_PAUSE)
    right, seconds = watch.grown < _PAUSED, time.monotonic() - begun
    return Meeting(company.name, "native", "paused", kind, right, seconds, watch.step, watch.grown)


@contextlib.asynccontextmanager
async def _client(engine: str, url: str) -> AsyncIterator[Client]:
    region = Region("hostile", locator_url=url, token_url=f"{url}/OAuth/token")
    options = CallOptions(retry=RetryPolicy(attempts=2, wait_initial=0.01))
    library: Any = import_module("httpx2" if engine in _OF_HTTPX2 else "httpx")
    async with library.AsyncClient(trust_env=False) as own, library.AsyncHTTPTransport() as transport:
        ways: dict[str, dict[str, Any]] = {
            "native": {},
            "client": {"http_client": own},
            "transport": {"transport": transport},
        }
        async with Client(
            region=region,
            credentials=Credentials("id", "secret"),
            company="Acme",
            options=options,
            trust_env=False,
            **ways[engine.rpartition("_")[2]],
        ) as client:
            yield client


async def _reached(url: str, name: str) -> int:
    reached: dict[str, int] = json.loads(await asyncio.to_thread(lambda: urlopen(f"{url}/reached").read()))
    return reached.get(name, 0)


@contextlib.contextmanager
def _servers() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.chaos.hostile_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def table(meetings: list[Meeting]) -> str:
    head = ("response", "engine", "verb", "error", "seconds", "step, ms CPU", "MB", "as wanted")
    rows = [
        (
            *(met.name, met.engine, met.verb, met.error),
            *(f"{met.seconds:.2f}", f"{met.step * 1000:.0f}", f"{met.grown:.0f}"),
            "yes" if met.as_wanted else "NO",
        )
        for met in meetings
    ]
    return f"## Hostile servers\n\n{arguments.table(head, rows)}"


def main() -> int:
    """Print the table; return 1 if anything was not as wanted."""
    parser = arguments.parser("tests.chaos.hostile", "Servers that are not the service, and what they cost.")
    parser.add_argument("--quick", action="store_true", help="the native engine alone")
    met = asyncio.run(run(ENGINES[:1] if parser.parse_args().quick else ENGINES))
    print(table(met))
    return int(not all(one.as_wanted for one in met))


if __name__ == "__main__":
    sys.exit(main())
