"""Tracebacks whose variables are recorded: no frame of an error shows a secret, on any engine."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import gc
import itertools
import json
import os
import pickle
import secrets
import subprocess
import sys
import tempfile
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from traceback import walk_tb
from typing import Any
from urllib.parse import quote_plus

import httpx
import httpx2
import pytest
import respx
import uvloop
from pydantic import SecretStr

from tests.engine.proxy import Proxy
from tests.engine.raw import RawServer
from tests.errors.test_faults import raw
from tests.support.frames import chained, leaks
from tests.support.laws import WHOLE, each_of
from tests.support.preloaded import python
from tests.support.service import RESET, Answer, Request, Service, error
from tests.support.tls import trusted
from tests.transport.script import QUICK
from wosdk_async import Client, Company, ConfigurationError, Credentials, NotSentError, Region, WosdkError
from wosdk_async.cli.verbose import RequestPrinter
from wosdk_async.errors import DiscoveryError, InvalidCallError, OverloadedError
from wosdk_async.errors import __all__ as errors_of_library
from wosdk_async.model import WoCreateCommand, WorkOrder, WoStartCommand
from wosdk_async.options import ClientOptions, RetryPolicy
from wosdk_async.protocol.verdicts import CODES
from wosdk_async.settings.environment import Settings, from_command, from_file
from wosdk_async.testing.engines import RawExchange, RecordingEngine
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.native import engine as native_engine
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.session.manager import TokenGrant

ID, SECRET, TOKEN = "id-1", "kq9/Zq+7w&Lm3=Xr8tPv2B", "eyJhbGciOi.J9tR4vN8qW2x"
USER, PASSWORD = "mallory", "pr0xyPassw0rd-7Hc2"
AT_PROXY = f"http://{USER}:{PASSWORD}@proxy.example"
SHOWN = {
    "secret": SECRET,
    "form": quote_plus(SECRET),
    "pair": base64.b64encode(f"{ID}:{SECRET}".encode()).decode(),
    "token": TOKEN,
    "proxy": PASSWORD,
    "proxy pair": base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode(),
}

PAIR = Credentials(ID, SECRET)

Engine = Callable[[], contextlib.AbstractAsyncContextManager[dict[str, Any]]]


# --- engines ------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def native() -> AsyncIterator[dict[str, Any]]:
    yield {}


@contextlib.asynccontextmanager
async def client_of(library: Any) -> AsyncIterator[dict[str, Any]]:
    async with library.AsyncClient(verify=trusted()) as client:
        yield {"http_client": client}


@contextlib.asynccontextmanager
async def own_transport() -> AsyncIterator[dict[str, Any]]:
    async with httpx.AsyncHTTPTransport(verify=trusted()) as transport:
        yield {"transport": transport}


@contextlib.asynccontextmanager
async def mock() -> AsyncIterator[dict[str, Any]]:
    with respx.mock(assert_all_called=False) as router:
        router.route().pass_through()
        yield {}


@contextlib.asynccontextmanager
async def recording() -> AsyncIterator[dict[str, Any]]:
    kept: list[RawExchange] = []
    yield {"engine": lambda limits: RecordingEngine(engine_for(ClientOptions(), limits), kept.append)}


@contextlib.asynccontextmanager
async def verbose() -> AsyncIterator[dict[str, Any]]:
    yield {"engine": RequestPrinter(2).engine}


FOLDER = tempfile.TemporaryDirectory()

ENGINES: dict[str, tuple[Engine, Any]] = {
    "native": (native, None),
    "uvloop": (native, uvloop.new_event_loop),
    "httpx": (lambda: client_of(httpx), None),
    "httpx2": (lambda: client_of(httpx2), None),
    "transport": (own_transport, None),
    "respx": (mock, None),
    "recording": (recording, None),
    "-vv": (verbose, None),
}
WRAPPED = {"uvloop", "transport", "respx", "recording", "-vv"}
"""Those that send by one of the other three."""
SENDING = [each for each in ENGINES if WHOLE or each not in WRAPPED]


# --- errors -------------------------------------------------------------------------------------


def echo(status: int) -> Callable[[Request], Answer]:
    """A response that repeats what its request had."""

    def answer(request: Request) -> Answer:
        said = f"{request.headers.get('authorization')} {request.body.decode()} {SECRET}"
        return Answer(status, {"ErrorCode": "X", "ErrorMessage": said, "error": said}, {"Retry-After": "900"})

    return answer


async def silence(_: Request) -> Answer:
    return await asyncio.get_running_loop().create_future()


def half_a_body(request: Request, *, ends: bool) -> Answer:
    """A response that breaks off or falls silent after a chunk that repeats secrets."""
    head = "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
    return raw(f"{head}{TOKEN} {SECRET}\r\n{request.headers}".encode(), ends=ends)


STATUSES = [302, 400, 401, 403, 404, 429, 500, 503]
PLACES = ["token", "discovery", "create", "query", "download", "download to a file"]
RESPONSES: dict[str, Any] = {
    **{str(status): echo(status) for status in STATUSES},
    "refused": lambda _: error(400, "INVALID", "no"),
    "reset": lambda _: RESET,
    "malformed": lambda _: raw(b"\x00\xff garbage \r\n\r\n"),
    "half a body": partial(half_a_body, ends=True),
    "half a body, then silence": partial(half_a_body, ends=False),
    "no JSON": lambda request: Answer(body=f'{{"access_token": "{TOKEN}", {request.headers}'.encode()),
    "bad gzip": lambda _: Answer(body=TOKEN.encode(), headers={"Content-Encoding": "gzip"}),
    "redirect without a host": lambda _: Answer(302, headers={"Location": f"http://[::{TOKEN}"}),
    "redirect with a secret": lambda _: Answer(302, headers={"Location": f"https://storage.example/{TOKEN}"}),
    "another shape": lambda _: Answer(body={"access_token": [TOKEN], "CommandResult": TOKEN, "Data": TOKEN}),
    "silence": silence,
}
CALLS: dict[str, Callable[[Company], Awaitable[Any]]] = {
    "create": lambda company: company.run("WoStartCommand", {}),
    "query": lambda company: company.get("Thing", 1),
    "download": lambda company: company.documents.download(7),
    "download to a file": lambda company: company.documents.download(7, new_file()),
    "download with progress": lambda company: company.documents.download(7, progress=fail_at),
    "own": lambda company: company.get("Thing", True),
}


def new_file() -> Path:
    return Path(FOLDER.name, secrets.token_hex(8))


def fail_at(*_: Any) -> None:
    raise ValueError("the program fails")


def given_token(_: Request) -> Answer:
    return Answer(body={"access_token": TOKEN, "expires_in": 1199})


async def failure(engine: Engine, place: str, response: Any, call: str = "create") -> BaseException | None:
    """Return the error of a call for which the service responds so in one place; None for a success."""
    async with engine() as settings, Service() as service:
        file = {"Results": [{"DocumentId": 7, "Url": f"{service.url}/a/file"}]}
        service.on_token = response if place == "token" else given_token
        service.on_discovery = response if place == "discovery" else service.on_discovery
        service.handler = response
        if call.startswith("download"):
            cloud = {"CommandResult": file, "Data": {"StorageTypeId": "Cloud"}}
            service.handler = lambda request: (
                response(request) if request.path == "/a/file" else Answer(body=cloud)
            )
        settings = {"credentials": Credentials(ID, SECRET), "options": QUICK} | settings
        async with service.client(**settings) as client:
            try:
                await CALLS.get(call, CALLS["create"])(client.company().with_options(deadline=1.0))
            except BaseException as raised:  # cancelled ones, too
                return raised
    return None


def run(engine: str, main: Callable[[Engine], Awaitable[set[str]]]) -> set[str]:
    made, factory = ENGINES[engine]

    async def run_main() -> set[str]:
        async with contextlib.AsyncExitStack() as stack:
            if engine == "respx":  # it patches for all tasks
                await stack.enter_async_context(made())
            return await main(native if engine == "respx" else made)

    with warnings.catch_warnings():
        if engine not in ("native", "uvloop"):  # httpcore leaves a cancelled socket open
            warnings.simplefilter("ignore", ResourceWarning)
        with asyncio.Runner(loop_factory=factory) as runner:
            found = runner.run(run_main())  # type: ignore[arg-type]
        gc.collect()
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_no_frame_of_an_error_shows_a_secret(engine: str) -> None:
    """Whatever the service responds in any place, to the end of the chain of causes.

    At once: log-ins wait between their attempts. The code above the engines tells one status from another.
    What wraps an engine meets every third response in each place.
    """
    above = [] if engine == "native" else [str(status) for status in STATUSES[1:]]
    responses = [response for name, response in RESPONSES.items() if name not in above]
    first = itertools.count()

    async def fail(made: Engine, place: str) -> set[str]:
        call = place if place in CALLS else "create"
        met = responses[next(first) % 3 :: 3] if engine in WRAPPED and not WHOLE else responses
        errors = await asyncio.gather(*(failure(made, place, each, call) for each in met))
        raised = [each for each in errors if isinstance(each, WosdkError)]
        assert len(raised) >= len(met) - 2  # a file may have any content
        deep = 1 if place in CALLS else 2  # a program that asks for the response to a call finds it deeper
        return set().union(*(leaks(each, SHOWN, deep) for each in raised))

    async def main(made: Engine) -> set[str]:
        return set().union(*await asyncio.gather(*(fail(made, place) for place in PLACES)))

    assert run(engine, main) == set()


async def test_a_download_that_is_cancelled_as_its_response_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that were received and not yet read may repeat a secret."""

    def cancelled(*_: Any) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(native_engine, "decompressed", cancelled)
    error = await failure(native, "download", echo(200), "download")
    assert isinstance(error, asyncio.CancelledError)
    assert leaks(error, SHOWN, 1) == set()


@each_of(
    "found",
    [
        {},
        {"Url": 5},
        {"ErrorInfo": {"Number": 5, "Description": f"bad token {TOKEN}"}},
        {"Url": "https://elsewhere.example/"},
        {"Url": f"ftp://elsewhere.example/{SECRET[:5]}"},
        {"Url": f"https://am.corrigo.com/{TOKEN}"},
    ],
)
async def test_a_locator_whose_result_repeats_a_secret(found: dict[str, Any]) -> None:
    """In a member that the client uses or not, beside a Url that it refuses."""
    result = {"CompanyVersion": TOKEN, "Debug": {"form": SECRET}, **found}
    raised = await failure(native, "discovery", lambda _: Answer(body={"CommandResult": result}))
    assert isinstance(raised, DiscoveryError)
    assert leaks(raised, SHOWN) == set()


@pytest.mark.parametrize("engine", SENDING)
def test_a_download_whose_program_fails(engine: str) -> None:
    """While it has a chunk that repeats secrets."""

    async def main(made: Engine) -> set[str]:
        error = await failure(made, "download", echo(200), "download with progress")
        assert isinstance(error, ValueError)
        return leaks(error, SHOWN, 1)

    assert run(engine, main) == set()


@pytest.mark.parametrize("engine", SENDING)
def test_a_cancelled_call(engine: str) -> None:
    """Cancelled while the request is under way, alone and with a group."""

    async def cancel(made: Engine, place: str) -> BaseException | None:
        arrived = asyncio.Event()

        def noted(request: Request) -> Any:
            arrived.set()
            return silence(request)

        task = asyncio.create_task(failure(made, place, noted))
        await arrived.wait()
        task.cancel()
        return await task

    async def main(made: Engine) -> set[str]:
        raised = await asyncio.gather(*(cancel(made, place) for place in ("token", "discovery", "create")))
        assert [type(each) for each in raised] == [asyncio.CancelledError] * 3
        return leaks(BaseExceptionGroup("several", raised), SHOWN)

    assert run(engine, main) == set()


LABELLED = f"{TOKEN} {SECRET}"
ABOUT_RECORDS: dict[str, Callable[[Company], Awaitable[Any]]] = {
    "an unknown flag": lambda company: company.work_orders.set_flags(7, ["zzz"]),
    "an ambiguous flag": lambda company: company.work_orders.set_flags(7, [LABELLED]),
    "an unknown field": lambda company: company.update(WorkOrder.ref(7), po_numbr=1),
    "a custom field": lambda company: company.custom_fields.set(WorkOrder.ref(7), {LABELLED: {}}),
    "custom fields": lambda company: company.custom_fields.get(WorkOrder.ref(7)),
}


async def failure_about(about: str) -> WosdkError:
    """Return the error that the library raises about a record."""
    descriptor = {"Name": LABELLED, "Id": 3, "Type": "Number"}
    record = {"Id": 7, "CustomFields": [{"Id": each, "Descriptor": descriptor} for each in (1, 2)]}
    labels = [{"DisplayAs": LABELLED, "Name": LABELLED, "ActionId": each} for each in ("Attention", "OnHold")]
    rows = {"Entities": [{"Data": {"Id": at, **each}} for at, each in enumerate(labels * 2)]}

    def answer(request: Request) -> Answer:
        return Answer(body=rows if "/query/" in request.path else {"Data": record})

    async with Service(answer) as service:
        service.on_token = given_token
        async with service.client(credentials=Credentials(ID, SECRET), options=QUICK) as client:
            with pytest.raises(WosdkError) as caught:
                await ABOUT_RECORDS[about](client.company())
    return caught.value


@pytest.mark.parametrize("about", ABOUT_RECORDS)
async def test_an_error_about_a_record(about: str) -> None:
    """The library raises it: neither the message nor a frame shows what the record repeats."""
    raised = await failure_about(about)
    assert not [each for each in (TOKEN, SECRET) if each in str(raised)]
    assert leaks(raised, SHOWN) == set()


ORDER = {"Id": 1, "PoNumber": LABELLED, "Number": "7 Elm Street"}
MARKED = "work_order.po_number"


async def each(records: AsyncIterator[Any]) -> list[Any]:
    return [record async for record in records]


def create(company: Company, **options: Any) -> Awaitable[Any]:
    return company.run(WoCreateCommand(work_order=WorkOrder(po_number="K-1")), marker=MARKED, **options)


READ: dict[str, tuple[list[Any], Callable[[Company], Awaitable[Any]]]] = {
    "another key": ([LABELLED], lambda company: company.find_marked(WoCreateCommand, MARKED, ["K-1"])),
    "another key, first": ([1], lambda company: create(company, look_first=True)),
    "another key, in doubt": ([1], lambda company: create(company.with_options(deadline=0.5))),
    "no id": ([1, LABELLED], lambda company: company.query(WorkOrder).all()),
    "no id, on a page": ([LABELLED], lambda company: each(company.query(WorkOrder).pages())),
    "no order": ([2, 1], lambda company: each(aiter(company.query(WorkOrder)))),
    "a later page": ([1], lambda company: each(company.query(WorkOrder).pages(1))),
    "a later record": ([1], lambda company: each(aiter(company.query(WorkOrder)))),
    "a later batch": ([1], lambda company: each(company.query(WorkOrder).batches())),
    "a table": ([1], lambda company: company.query(WorkOrder).table()),
    "a scan": ([1, 1, 1, 1], lambda company: each(company.query(WorkOrder).scan(parallel=1))),
    "several": ([1, 2], lambda company: company.query(WorkOrder).one()),
    "several with a name": ([1, LABELLED], lambda company: company.resolve(WorkOrder, po_number=LABELLED)),
    "many with a name": ([1] * 1000, lambda company: company.resolve(WorkOrder, po_number=LABELLED)),
    "no object": ([1, None], lambda company: company.query(WorkOrder).first()),
    "a change": ([1], lambda company: each(aiter(company.changes(WorkOrder)))),
    "a version": ([1], lambda company: company.edit(WorkOrder, 1, set_number, attempts=1)),
}
"""Ids of the records in each response, and a call that reads them."""


def set_number(order: WorkOrder) -> None:
    order.po_number = "1"


@pytest.mark.parametrize("read", READ)
async def test_an_error_about_records_that_were_read(read: str) -> None:
    """Neither the message nor a frame of the library shows what they hold."""
    ids, call = READ[read]
    rows = [{"Data": id and ORDER | {"Id": id}} for id in ids]
    versions = itertools.count()

    def answer(request: Request) -> Answer:
        if request.path.endswith("Command"):
            return RESET
        version = f"{LABELLED} {next(versions)}"
        return Answer(body={"Data": ORDER | {"ConcurrencyId": version}, "Entities": rows})

    async with Service(answer) as service:
        service.on_token = given_token
        async with service.client(credentials=Credentials(ID, SECRET), options=QUICK) as client:
            with pytest.raises(WosdkError) as caught:
                await call(client.company())
    assert not [secret for secret in (TOKEN, SECRET) if secret in str(caught.value)]
    assert leaks(caught.value, SHOWN | {"record": ORDER["Number"]}, 1) == set()


async def test_a_record_that_was_found_by_its_key_is_in_the_log_without_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An id that is no number may be anything."""
    found = {"Data": {"Id": LABELLED, "PoNumber": "K-1"}}

    def answer(request: Request) -> Answer:
        return Answer(body={"Entities": [found]}) if "/query/" in request.path else RESET

    async with Service(answer) as service:
        service.on_token = given_token
        async with service.client(credentials=Credentials(ID, SECRET), options=QUICK) as client:
            await create(client.company())
    assert "its record was found" in caplog.text
    assert not [secret for secret in (TOKEN, SECRET) if secret in caplog.text]


def with_code(code: str) -> Callable[[Request], Answer]:
    return lambda request: error(400, code, f"{request.headers.get('authorization')} {SECRET}")


async def overload(made: Engine) -> BaseException:
    """Return the error of a call for which there is no place in the queue."""
    async with made() as settings, Service(silence) as service:
        given = {"credentials": PAIR, "in_flight": 1, "max_queued": 0, "options": QUICK} | settings
        async with service.client(**given) as client:
            company = client.company().with_options(deadline=0.5)
            results = await asyncio.gather(
                *(company.get("Thing", each) for each in range(3)), return_exceptions=True
            )
    return next(each for each in results if isinstance(each, OverloadedError))


BASES_AND_OTHERS = {
    "WosdkError": "a base",
    "ConfigurationError": "test_wrong_settings",
    "PayloadError": "a webhook has no session: its text is the program's own",
    "UnknownPropertyError": "a query is the program's own, and is checked before a session is looked at",
}


async def test_every_class_of_errors_is_raised() -> None:
    """By the service, by the library, or the table says why it needs no session."""
    places = [
        ("create", [*map(with_code, CODES), *(RESPONSES[each] for each in ("refused", "429", "reset"))]),
        ("query", [RESPONSES["reset"]]),
        ("download", [RESPONSES["404"]]),
        ("token", [RESPONSES["400"], RESPONSES["429"]]),
        ("discovery", [RESPONSES["404"], RESPONSES["400"]]),
        ("own", [RESPONSES["refused"]]),
    ]
    made = [failure(native, place, each, place) for place, responses in places for each in responses]
    made += [failure(native, "query", silence, "query"), overload(native), refused_by_proxy(SOCKS[0])]
    errors = [await each for each in (*made, *map(failure_about, ABOUT_RECORDS))]
    raised = [each for each in errors if each is not None]
    assert set().union(*(leaks(each, SHOWN, 1) for each in raised)) == set()
    assert {type(each).__name__ for each in raised} | BASES_AND_OTHERS.keys() == set(errors_of_library)


SOCKS = [
    [b"\x05\xff"],
    [b"\x05\x02", b"\x01\x01"],
    [b"\x05\x02", b"\x01\x00", b"\x05\x02\x00\x01" + bytes(6)],
]


async def refused_by_proxy(replies: list[bytes]) -> WosdkError:
    """Return the error of a call through a SOCKS proxy that responds so."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            await reader.read(4096)
            writer.write(reply)
        await reader.read()

    async with RawServer(script) as server:
        async with Client(
            company="Acme",
            credentials=PAIR,
            options=QUICK,
            region=elsewhere("https://acme.example"),
            proxy=f"socks5://{USER}:{PASSWORD}@{server.url.partition('://')[2]}",
        ) as client:
            with pytest.raises(NotSentError) as caught:
                await client.company().with_options(deadline=0.5).get("Thing", 1)
    return caught.value


@pytest.mark.parametrize("replies", SOCKS, ids=["methods", "login", "rules"])
async def test_a_socks_proxy_that_refuses(replies: list[bytes]) -> None:
    assert leaks(await refused_by_proxy(replies), SHOWN) == set()


REFUSALS = [b"HTTP/1.1 407 no\r\n\r\n", b"220 mail no\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nno"]


def elsewhere(origin: str) -> Region:
    return Region("test", origin, f"{origin}/t")


@pytest.mark.parametrize("engine", SENDING)
def test_a_host_that_cannot_be_reached(engine: str) -> None:
    """Nobody listens for log-ins, and a server of TLS gets plain text, or the other way round."""

    async def main(made: Engine) -> set[str]:
        found: set[str] = set()
        async with made() as settings, Service() as service:
            port = service.url.rpartition(":")[2]
            for address in ("http://127.0.0.1:1", f"https://127.0.0.1:{port}"):
                given = {"credentials": Credentials(ID, SECRET), "options": QUICK} | settings
                async with service.client(**given, region=elsewhere(address)) as client:
                    with pytest.raises(WosdkError) as caught:
                        await client.company().with_options(deadline=0.5).get("Thing", 1)
                found |= leaks(caught.value, SHOWN)
        return found

    assert run(engine, main) == set()


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_refuses(refusal: bytes, scheme: str) -> None:
    """It repeats what it was sent; with a tunnel and without one."""
    said = SHOWN["proxy pair"].encode()
    async with Proxy(refusal.replace(b"no", said)) as proxy:
        async with Client(
            company="Acme",
            credentials=Credentials(ID, SECRET),
            options=QUICK,
            region=elsewhere(f"{scheme}://acme.example"),
            trusted_hosts=["acme.example"],
            proxy=f"http://{USER}:{PASSWORD}@{proxy.address}",
        ) as client:
            with pytest.raises(WosdkError) as caught:
                await client.company().with_options(deadline=0.5).get("Thing", 1)
    assert leaks(caught.value, SHOWN) == set()


@pytest.mark.parametrize("library", [httpx, httpx2])
async def test_a_hook_that_raises_is_no_cause(library: Any) -> None:
    """The frames of a hook hold the request: its exception is named in the message alone."""

    async def hook(request: Any) -> None:
        raise KeyError(request.method)

    async with Service() as service, library.AsyncClient(event_hooks={"request": [hook]}) as http:
        pair = Credentials(ID, SECRET)
        async with service.client(credentials=pair, http_client=http, options=QUICK) as client:
            with pytest.raises(WosdkError, match="KeyError") as caught:
                await client.company().with_options(deadline=0.5).get("Thing", 1)
    assert not any(isinstance(each, KeyError) for each in chained(caught.value))
    assert leaks(caught.value, SHOWN) == set()


# --- credentials and settings -------------------------------------------------------------------


def settings_file(folder: Path, text: str) -> dict[str, str]:
    path = folder / "config.toml"
    path.write_text(text)
    return {"WOSDK_CONFIG": str(path)}


PROFILE = f'[profiles.default]\nclient_id = "a"\nclient_secret = "{SECRET}"\n'
WRONG_SETTINGS: dict[str, Callable[[Path], Any]] = {
    "a region": lambda _: Settings.from_env({"WOSDK_CLIENT_SECRET": SECRET, "WOSDK_REGION": "x"}),
    "half a pair": lambda _: Client.from_env(environ={"WOSDK_CLIENT_SECRET": SECRET}),
    "an option": lambda _: Client.from_env(environ={"WOSDK_CLIENT_SECRET": SECRET}, in_flight=0),
    "a proxy": lambda _: Client(proxy=f"ftp://u:{PASSWORD}@h"),
    "an option beside a proxy": lambda _: Client(proxy=f"http://u:{PASSWORD}@h:1", in_flight=0),
    "a key": lambda path: Settings.from_env(settings_file(path, f"{PROFILE}secrte = '{SECRET}'")),
    "no TOML": lambda path: Settings.from_env(settings_file(path, f"{PROFILE}}}")),
    "a profile": lambda path: Settings.from_env(settings_file(path, PROFILE), profile="other"),
    "a surrogate": lambda _: Credentials(ID, f"{SECRET}\ud800"),
    **{f"{name}=": lambda _, name=name: Client(**{name: SECRET}) for name in ("client_secret", "token")},
    "a company's password=": lambda _: Client().company("Acme", password=SECRET),
    "without a name": lambda _: Client(SECRET),
    "variables without a name": lambda _: Client.from_env({"WOSDK_CLIENT_SECRET": SECRET}, in_flight=0),
    "a name of a policy": lambda _: RetryPolicy(token=SECRET),
    **{
        f"a {type(pair).__name__}": lambda _, pair=pair: Client(company="Acme", credentials=pair)
        for pair in ((ID, SECRET), {"client_secret": SECRET}, SECRET, SecretStr(SECRET))
    },
    "a company's pair": lambda _: Client().company("Acme", credentials=(ID, SECRET)),
    **{
        f"a secret of {type(secret).__name__}": lambda _, secret=secret: Credentials(ID, secret)
        for secret in (SECRET.encode(), bytearray(SECRET.encode()), [SECRET], SecretStr(SECRET))
    },
    "bytes of a variable": lambda _: Client.from_env(
        environ={"WOSDK_CLIENT_ID": ID, "WOSDK_CLIENT_SECRET": SECRET.encode()}
    ),
    **{
        f"a proxy of {type(proxy).__module__} {type(proxy).__name__}": lambda _, proxy=proxy: Client(
            proxy=proxy
        )
        for proxy in (AT_PROXY.encode(), httpx.URL(AT_PROXY), httpx.Proxy(AT_PROXY), {"https": AT_PROXY})
    },
    "a locator": lambda _: Client(region=Region("test", AT_PROXY)),
    "a token address": lambda _: Client(region=Region("test", "https://a.example", f"{AT_PROXY}/t")),
    "a trusted host": lambda _: Client(trusted_hosts=[AT_PROXY]).company("Acme", credentials=PAIR),
    "a text of hosts": lambda _: Client(trusted_hosts=AT_PROXY),
    **{
        f"{name} of a login": lambda _, name=name: Client.from_env(environ={name: AT_PROXY})
        for name in ("WOSDK_TOKEN_URL", "WOSDK_LOCATOR_URL", "WOSDK_TRUSTED_HOSTS")
    },
    "an unbalanced command": lambda _: Client.from_env(
        environ={"WOSDK_CREDENTIALS_COMMAND": f"echo '{SECRET}"}
    ),
}


@pytest.mark.parametrize("wrong", WRONG_SETTINGS)
def test_wrong_settings(wrong: str, tmp_path: Path) -> None:
    with pytest.raises((ConfigurationError, TypeError)) as caught:
        WRONG_SETTINGS[wrong](tmp_path)
    assert leaks(caught.value, SHOWN) == set()
    show_variables(caught.value)


def show_variables(error: BaseException) -> None:
    """Call the repr of each variable in the frames below the tests, as ``TracebackException`` does."""
    for frame, _ in walk_tb(error.__traceback__):
        if "/tests/" not in frame.f_code.co_filename:
            repr(dict(frame.f_locals))


@pytest.mark.parametrize(
    "construct",
    [
        lambda: Client(company="Acme", credentials=PAIR).company().run_many([], limit=0),
        lambda: Client(company="Acme", credentials=PAIR).company().run_many(5),  # type: ignore[call-overload]
        lambda: WorkOrder(po_numbr="1"),  # type: ignore[call-arg]
        lambda: WoStartCommand(work_order=1),  # type: ignore[call-arg]
    ],
)
async def test_an_object_whose_constructor_failed_has_a_repr(construct: Callable[[], object]) -> None:
    with pytest.raises(InvalidCallError) as caught:
        construct()
    show_variables(caught.value)


HELD: list[Any] = []  # what a provider gives: a closure over it would be the provider's own leak


async def credentials_of(_: str) -> Any:
    return HELD[0]


class Grants:
    async def grant(self, company: str, replaced: Secrets) -> Any:
        return HELD[0]


def token_grant(**changed: Any) -> TokenGrant:
    usual = {"token": TOKEN, "expires_in": 9, "base_url": "https://a.example", "locator_url": "https://b"}
    return TokenGrant(**usual | changed)


GIVEN: list[Any] = [SECRET, SECRET.encode(), {"client_secret": SECRET}, (ID, SECRET), SecretStr(SECRET)]
WRONG_GRANTS = [
    token_grant(token=TOKEN.encode()),
    token_grant(token=[TOKEN]),
    token_grant(expires_in=TOKEN),
    token_grant(base_url=AT_PROXY),
]


@each_of(
    ("provider", "given"),
    [
        *((provider, each) for provider in (credentials_of, Grants(), lambda _: HELD[0]) for each in GIVEN),
        *((Grants(), each) for each in (PAIR, *WRONG_GRANTS)),
        (credentials_of, token_grant()),
    ],
)
async def test_a_provider_that_gives_something_else(provider: Any, given: Any) -> None:
    HELD[:] = [given]
    async with Service() as service, service.client(credentials=provider, options=QUICK) as client:
        with pytest.raises(WosdkError) as caught:
            await client.company().get("Thing", 1)
    assert leaks(caught.value, SHOWN) == set()


@pytest.mark.parametrize("ends", ["0", "1"])
async def test_a_command_or_file_that_gives_no_pair(ends: str, tmp_path: Path) -> None:
    """The command prints the secret, and not as it should, or fails then."""
    printed = json.dumps({"client_secret": SECRET})
    file = tmp_path / "secret"
    file.write_bytes(SECRET.encode() + b"\xff")
    command = [sys.executable, "-c", f"print({printed!r}); exit({ends})"]
    for provider in (
        from_command(command),
        from_file(ID, file),
    ):
        with pytest.raises(ConfigurationError) as caught:
            await provider("Acme")
        found = leaks(caught.value, SHOWN)
        assert {each for each in found if not each.endswith(" words")} == set()  # those of the command


# --- the type -----------------------------------------------------------------------------------


def test_a_secret_is_not_shown_and_not_pickled() -> None:
    grant = TokenGrant(token=TOKEN, expires_in=1, base_url="https://a", locator_url="https://b")
    pair = Credentials(ID, SECRET)
    for each in (pair, pair.client_secret, grant, grant.token, Secrets(SECRET), pair.form(), pair.secrets()):
        assert SECRET not in f"{each} {each!r}"
        assert TOKEN not in f"{each} {each!r}"
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(each)
    assert pair.client_secret.reveal() == SECRET
    assert pair == Credentials(ID, Secret(SECRET))
    assert copy.deepcopy(pair).client_secret is pair.client_secret is copy.copy(pair.client_secret)
    assert len({pair.client_secret, Secret(SECRET), Secret("another")}) == 2
    assert pair.client_secret.encode() == SECRET.encode()
    with pytest.raises(AttributeError):
        pair.client_secret.encode = bytes
    with pytest.raises(TypeError):
        pair.client_secret.encode("utf-8")  # type: ignore[call-arg]


# --- a tool that records variables --------------------------------------------------------------

SCRIPT = """
import asyncio, json, os, sentry_sdk, wosdk_async
from sentry_sdk.transport import Transport
from wosdk_async.options import CallOptions, RetryPolicy

class Kept(Transport):
    def capture_envelope(self, envelope):
        print(envelope.serialize().decode())

def client_of(url):
    options = CallOptions(deadline=2.0, retry=RetryPolicy(attempts=1))
    os.environ |= {"WOSDK_TOKEN_URL": f"{url}/OAuth/token", "WOSDK_LOCATOR_URL": url}
    return wosdk_async.Client.from_env(options=options)

async def call(client):
    try:
        async with client:
            await client.company().run("WoStartCommand", {})
    except wosdk_async.WosdkError:
        sentry_sdk.capture_exception()

async def main():
    await asyncio.gather(*map(call, map(client_of, os.environ["SERVICES"].split())))

sentry_sdk.init("http://key@127.0.0.1:1/1", transport=Kept, auto_enabling_integrations=False)
asyncio.run(main())
"""


async def test_sentry_records_no_secret() -> None:
    """Its SDK sends the variables of every frame unless it is told otherwise.

    Without its integrations: to find out which it has use for, it imports every framework that is installed.
    """
    urls = []
    async with contextlib.AsyncExitStack() as stack:
        for place in ("token", "create"):
            for response in ("400", "503", "reset", "no JSON"):
                service = await stack.enter_async_context(Service())
                service.on_token = RESPONSES[response] if place == "token" else given_token
                service.handler = RESPONSES[response]
                urls.append(service.url)
        env = os.environ | {
            "WOSDK_COMPANY": "Acme",
            "WOSDK_CLIENT_ID": ID,
            "WOSDK_CLIENT_SECRET": SECRET,
            "SERVICES": " ".join(urls),
        }
        process = python(SCRIPT, modules=["sentry_sdk"], env=env, stdout=subprocess.PIPE, text=True)
        printed, _ = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0
    events = [line for line in printed.splitlines() if '"exception"' in line]
    assert len(events) == len(urls)
    assert all('"vars"' in event for event in events)
    assert [name for name, secret in SHOWN.items() if secret in printed] == []
