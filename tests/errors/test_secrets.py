"""Responses that repeat the secret or the token: nothing of an error, a log line or a span shows it."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import logging
import pickle
import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import quote_plus

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace as api
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.errors.test_faults import behind, head, raw
from tests.support.service import Answer, Handler, Request, Service
from tests.transport.script import QUICK
from wosdk_async import (
    Company,
    ConfigurationError,
    Credentials,
    CredentialsError,
    DiscoveryError,
    NoAnswerError,
    SessionError,
    UnknownCompanyError,
    WosdkError,
)
from wosdk_async.safe_text import Secrets

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
    for each in behind(error):
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


@pytest.mark.parametrize("engine", ["native", "httpx"])
@pytest.mark.parametrize("place", PLACES)
async def test_nothing_that_a_response_repeats_is_shown(
    place: str, engine: str, spans: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever it stands in the response, and wherever a text is cut: not in the error, its causes, its
    pickle, the log or a span."""
    caplog.set_level(logging.DEBUG)

    async def fail(answer: Handler) -> WosdkError:
        async with Service() as service:
            service.on_token = answer if place == "token" else given_token
            service.on_discovery = answer if place == "discovery" else service.on_discovery
            service.handler = answer
            pair = Credentials(ID, SECRET)
            async with service.client(credentials=pair, options=QUICK, http2=engine == "httpx") as client:
                with pytest.raises(WosdkError) as caught:
                    await client.company().run("WoStartCommand", {})
        return caught.value

    # At once, as log-ins wait between their attempts.
    for error in await asyncio.gather(*map(fail, ANSWERS.values())):
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
        service.handler = lambda _: Answer(body={"CommandResult": files})
        pair = Credentials(ID, SECRET)
        async with service.client(credentials=pair, options=QUICK, transport=transport) as client:
            with pytest.raises(NoAnswerError, match=r"ReadError: lost http.*\*\*\*") as caught:
                if path == "/file":
                    await client.company().documents.download(7)
                await client.company().get("Thing", 1)
    check(caught.value)
    shown = repr([(str(each), vars(each), each.args) for each in behind(caught.value)])
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
            with pytest.raises(DiscoveryError, match="token or secret in it") as caught:
                await client.company().get("Thing", 1)
            shown = repr([(str(each), vars(each)) for each in behind(caught.value)]) + repr(client.company())
            assert not [at for at in range(len(token) - PIECE + 1) if token[at : at + PIECE] in shown.lower()]
            assert service.calls == []


async def test_a_short_secret_in_a_url_that_is_refused() -> None:
    """It may be the name of a host by chance, so that is told, and the secret is hidden."""
    async with Service() as service, service.client(credentials=Credentials(ID, "qwerty")) as client:
        for url in ("https://qwerty.example/", "ftp://qwerty.corrigo.com/", "http://qwerty.corrigo.com/"):
            service.on_discovery = lambda _, url=url: Answer(body={"CommandResult": {"Url": url}})
            with pytest.raises(DiscoveryError, match=r"\*\*\*") as caught:
                await client.company().get("Thing", 1)
            assert "qwerty" not in repr([(str(each), vars(each)) for each in behind(caught.value)])


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
    f"{word}.{word[::-1]}{number}Kq" * 3 for number, word in enumerate(["aXbYcZdW", "eRfTgVhU", "iMjNkOlP"])
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


async def test_a_response_that_repeats_a_token_of_two_sessions_before() -> None:
    """One call can renew twice, and meet a server that repeats all that it knows."""

    def answer(request: Request) -> Answer:
        newest = request.headers["authorization"].endswith(TOKENS[2])
        return Answer(400 if newest else 401, {"ErrorCode": "X", "ErrorMessage": " or ".join(TOKENS)})

    async with Service(answer) as service, service.client(options=QUICK) as client:
        service.on_token = lambda _: Answer(body={"access_token": TOKENS[len(service.tokens) - 1]})
        error = await refusal(client.company(), 1)
    assert len(service.tokens) == 3
    assert error.message == "*** or *** or ***"


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
    assert secret not in repr([(str(each), vars(each)) for each in behind(caught.value)])


@pytest.mark.parametrize("body", [b"", b"<html>no</html>", b"{}", b"[1]", {"Message": "no"}])
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
    shown = [(str(each), each.args, vars(each)) for each in behind(caught.value)]
    assert "s3cr3t" not in repr(shown)


async def test_a_session_that_is_throttled_keeps_its_details() -> None:
    """Hiding takes nothing else away."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(
            429, {"ErrorMessage": f"not now, {TOKEN}", "ErrorCode": "BUSY"}, {"Retry-After": "900"}
        )
        with pytest.raises(SessionError, match="asks to wait before it opens a session: not now") as caught:
            await client.company().get("Thing", 1)
    assert (caught.value.status, caught.value.code) == (429, "BUSY")


TEXTS = st.text(st.sampled_from("abcXYZ/+ %&é\\\"'"), max_size=40)


@given(
    secret=st.text(st.sampled_from("abcXYZ019/+ %&é\\\"'"), min_size=12, max_size=60),
    before=TEXTS,
    after=TEXTS,
)
def test_hiding_comes_before_cutting(secret: str, before: str, after: str) -> None:
    """Wherever the cut falls, what is left is a cut of the hidden text: no part of a secret stays."""
    whole = before + secret + after
    secrets = Secrets(secret)
    hidden = secrets.hide(whole, 10_000)
    assert secret not in hidden
    for longest in range(0, len(whole) + 2, 3):
        found = secrets.hide(whole, longest)
        assert len(found) <= longest
        assert hidden.startswith(found)


ODD = "it's+so/true"
WRITTEN = [
    "it&#x27;s+so/true",
    "it&#39;s+so/true",
    "it&#39;s&#43;so&#x2f;true",
    "it&apos;s&plus;so&sol;true",
    "it\\u0027s\\u002Bso/true",
    "it\\u0027s\\u002bso/true",
    "it\\\\u0027s\\\\u002bso\\\\/true",
    "it's+so\\/true",
    "it\\\\\\'s+so\\\\\\/true",
    "it%27s%2Bso%2Ftrue",
    "it%2527s%252Bso%252ftrue",
    "it%252527s%25252Bso%25252ftrue",
    "%69%74%27%73%2B%73%6f%2F%74%72%75%65",
    "it&amp;#x27;s&amp;#x2B;so/true",
    "it\\u0026#x27;s\\u0026#x2B;so/true",
    "IT'S+SO/TRUE",
    ODD.encode().hex(),
    ODD.encode().hex().upper(),
    base64.b64encode(ODD.encode()).decode(),
    "t's+so/true",
    "it's+so/tru",
]


@pytest.mark.parametrize("written", WRITTEN)
def test_the_forms_of_other_languages(written: str) -> None:
    """HTML as Python writes it, JSON as .NET and PHP do, addresses; one within another, and most of it."""
    assert Secrets(ODD).hide(f"you sent {written}!", 200) == "you sent ***!"
    secrets = Secrets(ODD)
    for longest in range(200):
        text = secrets.hide(f"you sent {written}!", longest)
        assert "you sent ***!".startswith(text)


@pytest.mark.parametrize("before", ["", "x", "xy"])
def test_base64_of_a_longer_text(before: str) -> None:
    """The characters at the ends belong to the neighbours as well."""
    form = base64.b64encode(f"{before}{TOKEN}after".encode()).decode()
    assert len(Secrets(TOKEN).hide(form, 2000)) < 20


SPECIAL = "".join(map(chr, range(33, 127)))
ENCODERS: dict[str, Callable[[str], str]] = {
    "JSON": lambda text: json.dumps(text)[1:-1],
    "form": quote_plus,
    "repr": lambda text: repr(text)[1:-1],
    "HTML": html.escape,
    "entities": lambda text: "".join(each if each.isalnum() else f"&#x{ord(each):X};" for each in text),
    ".NET": lambda text: "".join(each if each.isalnum() else f"\\u{ord(each):04x}" for each in text),
}


@given(
    secret=st.text(st.sampled_from(SPECIAL), min_size=24, max_size=60),
    ways=st.lists(st.sampled_from(sorted(ENCODERS)), max_size=3),
    cut=st.integers(0, 12),
)
def test_what_is_written_in_several_ways_at_once(secret: str, ways: list[str], cut: int) -> None:
    """Nothing is left of a secret, or of its second half, but what is too short for a piece."""
    written = secret[cut:]
    for way in ways:
        written = ENCODERS[way](written)
    found = Secrets(secret).hide(f"you sent {written} today", 5000)
    assert found.startswith("you sent")
    assert "***" in found
    assert len(found.replace("*", "")) < len("you sent  today") + 40


def test_a_text_full_of_escapes_takes_no_long_time() -> None:
    """Whoever sends it cannot keep the loop busy."""
    secrets = Secrets(TOKEN, SECRET)
    texts = ["\\" * 10**6, "%25" * 10**6, "&amp;" * 10**6, TOKEN[:11] * 10**6, TOKEN * 10**4, "&#" * 10**6]
    begun = time.process_time()
    for text in texts:
        secrets.hide(text, 2000)
        assert not secrets.within(f"https://{text}") or TOKEN in text
    assert time.process_time() - begun < 1


def test_a_long_token_takes_no_long_time() -> None:
    """It may be as long as a header, and a text may repeat any part of it: a few milliseconds each."""
    tokens = ["".join(f"{at:x}." for at in range(4000))[:16_000], "abcdefg" * 2285]
    secrets = Secrets(*tokens)
    texts = [part * 400 for part in ("not found. ", "%2561", "abcdef", tokens[0][900:911])]
    texts += ["".join(token[at * 37 :][:11] + "." for at in range(340)) for token in tokens]
    begun = time.process_time()
    for text in (*texts, *tokens) * 3:
        secrets.hide(text[:4000], 2000)
    assert time.process_time() - begun < 1.5


def forms(secret: str) -> list[str]:
    """Return a secret of ASCII letters as responses may repeat it: in plain, base64 and hexadecimal."""
    raw = secret.encode()
    coded = [base64.b64encode(bytes(more) + raw).decode().rstrip("=") for more in range(3)]
    longer = [code[cut:] for code, cut in zip(coded[1:], (2, 3), strict=True) if len(code) - cut > 8]
    return [form.lower() for form in (secret, raw.hex(), coded[0], *longer)]


def hidden_slowly(secret: str, text: str) -> str:
    """Return ``text`` without each run of characters that a form of the secret has too."""
    secret_at = [False] * len(text)
    for form in forms(secret):
        size = min(len(form), max(8, min(12, len(form) // 2)))
        for at in range(len(text) - size + 1):
            if text[at : at + size] in form:
                secret_at[at : at + size] = [True] * size
    shown = "".join("\0" if here else char for char, here in zip(text, secret_at, strict=True))
    return re.sub("\0+", "***", shown)


@st.composite
def secrets_and_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A secret whose parts repeat each other, and a text of parts of it, some longer than it."""
    letters = st.sampled_from(draw(st.sampled_from(["x", "xy", "xyz", "abcdefghijklmnopqrstuvwxyz"])))
    secret = draw(st.text(letters, min_size=4, max_size=90))
    pieces = st.builds(
        lambda form, at, size: form[at : at + size],
        st.sampled_from(forms(secret)),
        st.integers(0, 60),
        st.sampled_from([3, *range(7, 14), 40]),
    )
    parts = st.one_of(pieces, st.text(letters, max_size=20), st.just("-" * draw(st.integers(0, 400))))
    return secret, "".join(draw(st.lists(parts, max_size=12)))


@given(secrets_and_texts())
def test_every_piece_of_a_secret_is_hidden(both: tuple[str, str]) -> None:
    """And nothing else: as if each piece of the text were looked for in each form of the secret."""
    secret, text = both
    assert Secrets(secret).hide(text, 10_000) == hidden_slowly(secret, text)


def test_a_text_that_is_too_long_to_be_looked_through() -> None:
    """Of 50 MB only the beginning counts, and a secret that lies across its end does not stay."""
    secrets = Secrets(TOKEN)
    for before in range(2000, 2100):
        text = f"a {TOKEN * 2}{' ' * before}{TOKEN}{'x' * (50_000_000 if before == 2050 else 100_000)}"
        found = secrets.hide(text, 2 * len(TOKEN) + 40)
        assert not [piece for piece in PIECES if piece[:4] in found]


@pytest.mark.parametrize("written", [TOKEN, "".join(f"\\u{ord(char):04x}" for char in TOKEN)])
def test_a_secret_that_begins_where_the_search_ends(written: str) -> None:
    """Its first characters are too few to be known again, and what was hidden before makes room for them."""
    secrets, hidden = Secrets(TOKEN), "a " + TOKEN * 4
    for seen in range(150):
        text = hidden + " " * (2000 + 2048 - len(hidden) - seen) + written
        assert secrets.hide(text, 2000).replace("***", "").split() == ["a"]


@pytest.mark.parametrize("length", [12, 20, 700])
def test_a_secret_that_the_response_itself_cut(length: int) -> None:
    """A gateway that shows the first part of a token shows nothing through us."""
    assert Secrets(TOKEN).hide(f"token {TOKEN[:length]}... is not valid", 200) == "token ***... is not valid"


def test_without_secrets_a_text_stays_as_it_is() -> None:
    """But for its length."""
    assert Secrets().hide("a text", 200) == "a text"
    assert Secrets("", SECRET).hide("x" * 300, 200) == "x" * 200
    assert TOKEN not in repr(Secrets(TOKEN))


def test_what_is_too_short_for_a_secret_spoils_no_text() -> None:
    """Tests log in with such."""
    assert Secrets("a", "b", "id").hide("a bad idea", 200) == "a bad idea"
    assert Secrets("abcd").hide("of abcd", 200) == "of ***"
