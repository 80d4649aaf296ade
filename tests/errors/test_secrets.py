"""Responses that repeat the secret or the token: nothing of an error, a log line or a span shows it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import logging
import pickle
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote_plus

import httpx
import httpx2
import pytest
from opentelemetry import trace as api
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.errors.test_faults import head, raw
from tests.support.frames import chained
from tests.support.laws import case, each_of, some
from tests.support.service import Answer, Handler, Request, Service
from tests.support.tls import trusted
from tests.transport.script import QUICK
from wosdk_async import (
    Company,
    ConfigurationError,
    Credentials,
    CredentialsError,
    DiscoveryError,
    NoAnswerError,
    NotSentError,
    SessionError,
    UnknownCompanyError,
    WosdkError,
)
from wosdk_async.text.safe_text import without_markup
from wosdk_async.web.problems import problem_of

ID = "id-1"
SECRET = 'k9/Zq+7"w&Lm3 é\\Xr8tPv2B' * 3
TOKEN = "eyJhbGciOi.J9" + "tR4~vN8_qW2-" * 60
PIECE = 12  # characters: a shorter piece of a secret is nothing to anybody


def pieces(secret: str) -> set[str]:
    """All parts of a secret of that length, in the forms in which a response may repeat it."""
    forms = {
        secret,
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
    }
    forms |= {base64.b64encode(f"{ID}:{secret}".encode()).decode()[8:], repr(secret)[1:-1]}
    return {form[at : at + PIECE] for form in forms for at in range(len(form) - PIECE + 1)}


PIECES = pieces(SECRET) | pieces(TOKEN)


def check(error: WosdkError) -> None:
    """Nothing of the error, of what it was raised from, or of its pickle holds a piece of a secret."""
    for each in chained(error):
        shown = [str(each), *map(str, each.args), *(str(value) for value in vars(each).values())]
        shown += [str(vars(each)), repr(each.args)]
        assert not leaked("\0".join(shown)), each
    assert not leaked(pickle.dumps(error).decode("latin-1"))


def leaked(text: str) -> set[str]:
    """Return the pieces of a secret that a text holds."""
    return PIECES & {text[at : at + PIECE] for at in range(len(text) - PIECE + 1)}


def said(request: Request) -> str:
    """What a careless service knows of its caller: the form, or the header with the token."""
    if request.path == "/OAuth/token":
        form = request.body.decode()
        basic = base64.b64encode(f"{ID}:{SECRET}".encode()).decode()
        return f"{form} {SECRET} Basic {basic} {json.dumps(SECRET)}"
    return request.headers["authorization"]


def repeating(before: int, status: int) -> Callable[[Request], Answer]:
    """A response that repeats it everywhere, ``before`` characters into each text."""

    def answer(request: Request) -> Answer:
        text = "x" * before + said(request)
        members = ("ErrorMessage", "ErrorCode", "TimeStamp", "RequestId", "error", "error_description")
        headers = {"X-Echo": "e"}
        return Answer(status, dict.fromkeys(members, text), headers)

    return answer


def repeating_header(name: str) -> Callable[[Request], Answer]:
    """A response whose header ``name`` repeats it, behind as much as is kept of a header."""

    def answer(request: Request) -> Answer:
        value = f"text/{'x' * 40} {said(request)}"
        return raw(head(f"{name}: {value}", "Content-Length: 2", status="500 Odd") + b"{}")

    return answer


PLACES = ["token", "discovery", "call"]
CUTS = [0, 30, 55, 190, 198, 290, 1900, 1990, 1999]
ANSWERS: dict[str, Callable[[Request], Answer]] = {
    f"{status} after {cut}": repeating(cut, status)
    for status in (400, 401, 403, 429, 500, 503)
    for cut in (CUTS if status in (400, 429) else (0, 198, 1990))
}
ANSWERS |= {
    name: repeating_header(name) for name in ("Content-Type", "Content-Encoding", "Transfer-Encoding")
}
ANSWERS |= {
    "a line that is not a header": lambda request: raw(head(said(request)) + b"{}"),
    "not JSON": lambda request: Answer(body=f'{{"a": "{said(request)}"'.encode()),
    "another shape": lambda request: Answer(
        body={"access_token": [said(request)], "CommandResult": said(request), "Data": said(request)}
    ),
    "an ErrorInfo": lambda request: Answer(
        body={
            "CommandResult": {
                "ErrorInfo": {"Number": "9" * 190 + said(request), "Description": said(request)}
            },
            "RequestId": said(request),
            "Odd": 1,
        }
    ),
    "an ErrorInfo in an element": lambda request: Answer(
        body={
            "CommandResult": {"Responses": [{"ErrorInfo": {"Description": f"{'x' * 200} {said(request)}"}}]}
        }
    ),
}


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    before, api._TRACER_PROVIDER = api._TRACER_PROVIDER, provider
    yield exporter
    api._TRACER_PROVIDER = before


def given_token(_: Request) -> Answer:
    return Answer(body={"access_token": TOKEN, "expires_in": 1199})


@pytest.mark.parametrize("own", [None, httpx, httpx2], ids=["native", "httpx", "httpx2"])
async def test_nothing_that_a_response_repeats_is_shown(
    own: Any, spans: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever it stands in the response, and wherever a text is cut: not in the error, its causes, its
    pickle, the log or a span."""
    caplog.set_level(logging.DEBUG)

    async def fail(place: str, answer: Handler) -> WosdkError:
        async with (
            Service() as service,
            own.AsyncClient(verify=trusted()) if own else contextlib.nullcontext() as http,
        ):
            service.on_token = answer if place == "token" else given_token
            service.on_discovery = answer if place == "discovery" else service.on_discovery
            service.handler = answer
            pair = Credentials(ID, SECRET)
            async with service.client(credentials=pair, options=QUICK, http_client=http) as client:
                # A log-in is retried until its deadline; a call has time for its response on a busy machine.
                acme = client.company().with_options(deadline=30.0 if place == "call" else 3.0)
                with pytest.raises(WosdkError) as caught:
                    await acme.run("WoStartCommand", {})
        return caught.value

    # At once, as log-ins wait between their attempts.
    cases = some(itertools.product(PLACES, ANSWERS), 8 if own else 2)  # all places, each kind of response
    errors = await asyncio.gather(*(fail(place, ANSWERS[name]) for place, name in cases))
    for names, error in zip(cases, errors, strict=True):
        with case(*names):
            check(error)
    shown = [record.getMessage() for record in caplog.records]
    shown += [span.to_json() for span in spans.get_finished_spans()]
    assert shown
    assert not leaked("\0".join(shown))


SIGNATURE = "mA4xQz.7LpWe" * 8


class Quoting(httpx.AsyncHTTPTransport):
    """A user's own transport, whose errors quote the requests to one path."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith(self.path):
            return await super().handle_async_request(request)
        shown = f"{request.url} {request.headers.get('authorization')} {request.content!r}"
        raise httpx.ReadError(f"lost {shown}")


@pytest.mark.parametrize("path", ["/OAuth/token", "/GetCompanyWsdkUrlCommand", "/Thing/1", "/file"])
async def test_a_transport_that_quotes_what_it_sent(path: str) -> None:
    """Neither the form of a log-in nor the token of a call, nor the rest of the address of a file."""
    async with Service() as service, Quoting(path) as transport:
        service.on_token = given_token
        files = {"Results": [{"DocumentId": 7, "Url": f"{service.url}/a/file?sign={SIGNATURE}"}]}
        service.handler = lambda _: Answer(body={"CommandResult": files, "Data": {"StorageTypeId": "Cloud"}})
        pair = Credentials(ID, SECRET)
        async with service.client(credentials=pair, options=QUICK, transport=transport) as client:
            quoted = pytest.raises((NotSentError, NoAnswerError), match=r"ReadError: lost http.*\*\*\*")
            with quoted as caught:
                company = client.company().with_options(deadline=2.0)
                if path == "/file":
                    await company.documents.download(7)
                await company.get("Thing", 1)
    check(caught.value)
    shown = repr([(str(each), vars(each), each.args) for each in chained(caught.value)])
    assert not [at for at in range(len(SIGNATURE) - PIECE + 1) if SIGNATURE[at : at + PIECE] in shown]


async def test_a_response_that_repeats_a_short_secret_as_it_was_sent() -> None:
    """A secret too short to be known within the base64 of another text; HTTP's Basic is known as a whole."""
    pair = Credentials("my-id-2", "s3cr3t")
    basic = base64.b64encode(b"my-id-2:s3cr3t").decode()
    async with Service() as service, service.client(credentials=pair, options=QUICK) as client:
        service.on_token = lambda _: Answer(429, {"ErrorMessage": f"Basic {basic}"}, {"Retry-After": "900"})
        with pytest.raises(SessionError, match=r"Basic \*\*\*") as caught:
            await client.company().get("Thing", 1)
    assert basic not in str(caught.value)


@pytest.mark.parametrize("before", ["", "x", "xy"])
async def test_base64_of_the_form_of_a_log_in(before: str) -> None:
    """The form has other characters than the secret where that has more than letters and digits."""
    secret = "q/Z+w&L=X%v#B@K!"  # fewer than 12 plain characters in a row
    seen: list[str] = []

    def answer(request: Request) -> Answer:
        code = base64.b64encode(before.encode() + request.body).decode()
        seen.append(code[-(4 * len(quote_plus(secret))) // 3 + 4 :].rstrip("="))
        return Answer(429, {"ErrorMessage": code}, {"Retry-After": "900"})

    pair = Credentials(ID, secret)
    async with Service() as service, service.client(credentials=pair, options=QUICK) as client:
        service.on_token = answer
        error = await refusal(client.company(), 1)
    shown, (coded,) = str(error), seen
    assert "***" in shown
    assert not [at for at in range(len(coded) - PIECE + 1) if coded[at : at + PIECE] in shown]


async def test_a_locator_that_repeats_the_token_in_its_url() -> None:
    """Such a host is not used: its name would be in every log line. Nor is it with a part of a token."""
    token = "abcdefghij0123456789klmnopqrstuvwxyz"
    urls = [f"https://evil.example/?x={token}", f"https://{token[:30].upper()}.corrigo.com/"]
    urls += [
        f"https://{token[4:]}.example.com/",
        f"https://{token[4:]}.corrigo.com/",
        f"https://x:{token[3:]}/",
    ]
    urls += [f"ftp://{token[7:19]}/", f"https://u:{token[3:]}@corrigo.com/", f"https://{token[1:]}_/"]
    for url in urls:
        async with Service() as service, service.client() as client:
            service.on_token = lambda _: Answer(body={"access_token": token, "expires_in": 1199})
            service.on_discovery = lambda _, url=url: Answer(body={"CommandResult": {"Url": url}})
            with pytest.raises(DiscoveryError, match="contains the token or secret") as caught:
                await client.company().get("Thing", 1)
            shown = repr([(str(each), vars(each)) for each in chained(caught.value)]) + repr(client.company())
            assert not [at for at in range(len(token) - PIECE + 1) if token[at : at + PIECE] in shown.lower()]
            assert service.calls == []


async def test_a_short_secret_in_a_url_that_is_refused() -> None:
    """It may be the name of a host by chance, so that is told, and the secret is hidden."""
    async with Service() as service, service.client(credentials=Credentials(ID, "qwerty")) as client:
        for url in ("https://qwerty.example/", "ftp://qwerty.corrigo.com/", "http://qwerty.corrigo.com/"):
            service.on_discovery = lambda _, url=url: Answer(body={"CommandResult": {"Url": url}})
            with pytest.raises(DiscoveryError, match=r"\*\*\*") as caught:
                await client.company().get("Thing", 1)
            assert "qwerty" not in repr([(str(each), vars(each)) for each in chained(caught.value)])


@pytest.mark.parametrize("place", ["token", "discovery", "call"])
@pytest.mark.parametrize("status", [400, 429])
async def test_a_response_that_repeats_the_token_before(place: str, status: int) -> None:
    """A token that was renewed lives on: a log-in does not show it, and no call after that."""
    tokens = [TOKEN, "eyJother." + "Zx7Bn5Qc1Wd3" * 60]

    def renewed(_: Request) -> Answer:
        return Answer(body={"access_token": tokens[len(service.tokens) > 1], "expires_in": 1199})

    def leaking(request: Request) -> Answer:
        if request.headers.get("authorization") == f"Bearer {TOKEN}":
            return Answer(401)
        text = f"not {TOKEN}"
        return Answer(status, {"ErrorMessage": text, "ErrorCode": text}, {"Retry-After": "900"})

    async with Service() as service, service.client(options=QUICK) as client:
        ordinary = service.on_discovery
        service.on_token = lambda request: (
            leaking(request) if place == "token" and len(service.tokens) > 1 else renewed(request)
        )
        service.on_discovery = lambda request: (
            leaking(request) if place == "discovery" and len(service.discoveries) > 1 else ordinary(request)
        )
        service.handler = leaking
        with pytest.raises(WosdkError) as caught:
            await client.company().run("WoStartCommand", {})
    assert len(service.tokens) == 2
    check(caught.value)


TOKENS = [
    f"{word}.{word[::-1]}{number}Kq" * 3
    for number, word in enumerate(["aXbYcZdW", "eRfTgVhU", "iMjNkOlP", "qGrHsItJ"])
]


FOUND = {"Data": {"Id": 2}}


async def test_a_response_that_repeats_a_newer_token() -> None:
    """A call waits for its response while another renews the session; the response has the token of that."""
    came, renewed = asyncio.Event(), asyncio.Event()

    async def answer(request: Request) -> Answer:
        if request.path.endswith("/1"):
            came.set()
            await renewed.wait()
            return Answer(400, {"ErrorCode": "X", "ErrorMessage": f"not {TOKENS[1]}"})
        return Answer(401 if request.headers["authorization"].endswith(TOKENS[0]) else 200, FOUND)

    async with Service(answer) as service, service.client(options=QUICK) as client:
        service.on_token = lambda _: Answer(body={"access_token": TOKENS[len(service.tokens) - 1]})
        async with asyncio.TaskGroup() as group:
            first = group.create_task(refusal(client.company(), 1))
            await came.wait()
            await client.company().get("Thing", 2)
            renewed.set()
    assert len(service.tokens) == 2
    assert first.result().message == "not ***"


async def test_a_response_that_repeats_the_tokens_of_four_sessions() -> None:
    """One call can renew twice, the next one again, and meet a server that repeats all that it knows."""

    def answer(request: Request) -> Answer:
        newest = request.headers["authorization"].endswith(TOKENS[-1])
        return Answer(400 if newest else 401, {"ErrorCode": "X", "ErrorMessage": " or ".join(TOKENS)})

    async with Service(answer) as service, service.client(options=QUICK) as client:
        service.on_token = lambda _: Answer(body={"access_token": TOKENS[len(service.tokens) - 1]})
        await refusal(client.company(), 1)
        error = await refusal(client.company(), 1)
    assert len(service.tokens) == 4
    assert error.message == "*** or *** or *** or ***"


@pytest.mark.parametrize("size", [1, 5, 11])
async def test_a_response_that_splits_the_token_by_markup(size: int) -> None:
    """Errors and problem bodies show markup without its braces, which would join the token."""

    def answer(request: Request) -> Answer:
        token = request.headers["authorization"].removeprefix("Bearer ")
        text = "".join(f"{{!{{{token[at : at + size]}}}!}}" for at in range(0, len(token), size))
        return Answer(400, {"ErrorCode": text[:150], "ErrorMessage": text})

    async with Service(answer) as service, service.client(options=QUICK) as client:
        service.on_token = lambda _: Answer(body={"access_token": TOKENS[0]})
        error = await refusal(client.company(), 1)
    shown = f"{error} {without_markup(error.code)} {problem_of(error).body}"
    assert not [at for at in range(len(TOKENS[0]) - PIECE + 1) if TOKENS[0][at : at + PIECE] in shown]


async def refusal(company: Company, number: int) -> WosdkError:
    with pytest.raises(WosdkError) as caught:
        await company.get("Thing", number)
    return caught.value


async def test_a_word_of_oauth_that_is_the_secret() -> None:
    """An error word is shown, but for one that repeats a short secret of letters and digits."""
    secret = "plainsecretof30chars0123456789"
    async with Service() as service, service.client(credentials=Credentials(ID, secret)) as client:
        service.on_token = lambda _: Answer(401, {"error": secret})
        with pytest.raises(CredentialsError, match=r"HTTP 401, \*\*\*") as caught:
            await client.company().get("Thing", 1)
    assert caught.value.code == "***"
    assert secret not in repr([(str(each), vars(each)) for each in chained(caught.value)])


@each_of("body", [b"", b"<html>no</html>", b"{}", b"[1]", {"Message": "no"}])
async def test_a_locators_400_is_an_unknown_company_whatever_its_body(body: object) -> None:
    """Asked once; other statuses without an error body are tried again."""
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: Answer(400, body)
        with pytest.raises(UnknownCompanyError, match="check the name and the region") as caught:
            await client.company().get("Thing", 1)
    assert (len(service.discoveries), caught.value.status, caught.value.attempts) == (1, 400, 1)


@pytest.mark.parametrize("place", ["client_id", "client_secret"])
def test_credentials_that_are_not_utf_8(place: str) -> None:
    """A byte that the environment could not decode is refused when it is given, without being shown."""
    pair = {"client_id": ID, "client_secret": "s3cr3t", place: "s3cr3t-\udcff-more"}
    with pytest.raises(ConfigurationError, match=f"{place} is not UTF-8 text") as caught:
        Credentials(**pair)
    shown = [(str(each), each.args, vars(each)) for each in chained(caught.value)]
    assert "s3cr3t" not in repr(shown)


STRAY = {
    "s3cr3t\n": r"character 7 is a stray LINE FEED \(U\+000A\)",
    "s3cr3t\r\n": r"character 7 is a stray CARRIAGE RETURN",
    " s3cr3t": r"character 1 is a stray SPACE",
    "s3cr3t ": r"character 7 is a stray SPACE",
    "s3c\u00a0r3t": r"character 4 is a stray NO-BREAK SPACE",
    "s3c\u200br3t": r"character 4 is a stray ZERO WIDTH SPACE",
    "\ufeffs3cr3t": r"character 1 is a stray ZERO WIDTH NO-BREAK SPACE \(U\+FEFF\)",
    "s3c\tr3t": r"character 4 is a stray TAB",
    "s3c\0r3t": r"character 4 is a stray CONTROL CHARACTER \(U\+0000\)",
    '"s3cr3t"': r"character 1 is a stray QUOTATION MARK",
    "'s3cr3t'": r"character 1 is a stray APOSTROPHE",
    "“s3cr3t”": r"character 1 is a stray LEFT DOUBLE QUOTATION MARK",
}


@each_of("place", ["client_id", "client_secret"])
@each_of(("text", "told"), STRAY.items(), ids=map(ascii, STRAY))
def test_credentials_with_stray_characters(place: str, text: str, told: str) -> None:
    """What copying, quoting or a file added is named with its place, and the secret is not shown."""
    pair = {"client_id": ID, "client_secret": "other", place: text}
    with pytest.raises(ConfigurationError, match=f"{place} is not as it was generated: {told}") as caught:
        Credentials(**pair)
    shown = repr([(str(each), each.args, vars(each)) for each in chained(caught.value)])
    assert "s3c" not in shown
    assert "r3t" not in shown


@each_of("text", ["a b", '"a', "a'b'", "é", '"', "a+/=%&#~"])
def test_credentials_of_any_other_characters(text: str) -> None:
    assert Credentials(text, text).client_secret.reveal() == text


async def test_a_session_that_is_throttled_keeps_its_details() -> None:
    """Hiding takes nothing else away."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(
            429, {"ErrorMessage": f"not now, {TOKEN}", "ErrorCode": "BUSY"}, {"Retry-After": "900"}
        )
        with pytest.raises(SessionError, match="not now") as caught:
            await client.company().get("Thing", 1)
    assert (caught.value.status, caught.value.code) == (429, "BUSY")
