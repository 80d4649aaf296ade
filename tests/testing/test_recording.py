"""A recording plays to the results that were recorded, and holds nothing secret."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.testing.orders import create_command
from wosdk_async import (
    CallOptions,
    Company,
    ConfigurationError,
    Contact,
    Credentials,
    Customer,
    DeadlineError,
    Document,
    DownloadError,
    InDoubtError,
    NotSentError,
    RetryPolicy,
    WorkOrder,
    WosdkError,
    fields,
)
from wosdk_async.testing import Recording, Sandbox, UnplayedRequestError, UnrecordedRequestError

Program = Callable[[Company], Awaitable[Any]]

AT_ONCE = CallOptions(deadline=20, retry=RetryPolicy(wait_initial=0))


async def record(path: Path, program: Program, sandbox: Sandbox, **options: Any) -> Any:
    """Record ``program`` against the Company of this test, and return its result."""
    settings = {name: options.pop(name) for name in ("scrub", "keep_names") if name in options}
    transport = options.pop("transport", None) or httpx.ASGITransport(sandbox.app)
    with Recording(path, record=True, **settings) as recording:
        async with recording.client(sandbox.variables, transport=transport, options=AT_ONCE) as client:
            return await program(client.company())


async def play(path: Path, program: Program, **settings: Any) -> Any:
    """Play ``program``, and return its result."""
    with Recording(path, **settings) as recording:
        async with recording.client(options=AT_ONCE) as client:
            return await program(client.company())


async def result_of(call: Awaitable[Any]) -> Any:
    """Return the result of a call; of an error, its class and what the service said."""
    try:
        return await call
    except WosdkError as error:
        return type(error), error.code, error.status


def text_of(file: Path) -> str:
    return file.read_text("utf-8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recordings" / "here.json"


# --- the same results -----------------------------------------------------------------------

steps = st.lists(
    st.one_of(
        st.tuples(st.just("get"), st.sampled_from([512, 513, 99_999_999])),
        st.tuples(st.just("create"), st.text(min_size=1, max_size=8)),
        st.tuples(st.just("order"), st.sampled_from(["A", "B", "{host}"])),
        st.tuples(st.just("query"), st.sampled_from(["New", "Open"])),
        st.tuples(st.just("fault"), st.sampled_from(["status", "reset", "garbage"])),
    ),
    min_size=1,
    max_size=6,
)


@examples(20)
@given(taken=steps)
def test_what_was_recorded_plays_to_equal_results(
    taken: list[tuple[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Records, refusals, doubts, and retries after faults."""
    file = tmp_path_factory.mktemp("law") / "law.json"

    async def program(acme: Company, sandbox: Sandbox | None = None) -> list[Any]:
        found = []
        for what, value in taken:
            if what == "get":
                found.append(await result_of(acme.get(Customer, value)))
            elif what == "create":
                found.append(await result_of(acme.create(Customer(name=value, display_as=value))))
            elif what == "order":
                found.append(await result_of(acme.run(create_command(value), marker="work_order.po_number")))
            elif what == "query":
                query = acme.query(WorkOrder).where(fields(WorkOrder).status_id == value)
                found.append(await result_of(query.all()))
            elif sandbox is not None:
                more = {"status": 503, "retry_after": 0} if value == "status" else {"carried_out": True}
                sandbox.faults.add(value, first=1, **(more if value != "garbage" else {}))
        return found

    async def both() -> None:
        with Sandbox() as sandbox:
            recorded = await record(file, lambda acme: program(acme, sandbox), sandbox)
        assert await play(file, program) == recorded

    asyncio.run(both())


async def test_equal_requests_are_answered_in_their_order(file: Path, wosdk_sandbox: Sandbox) -> None:
    """A record that changes between two reads is read in both states; RequestIds and times may differ."""

    async def program(acme: Company) -> list[str | None]:
        names = []
        for name in ("One", "Two", "Three"):
            await acme.update(Customer.ref(512), name=name)
            names.append((await acme.get(Customer, 512)).name)
            await acme.run(create_command(name))
        return names

    assert await record(file, program, wosdk_sandbox) == ["One", "Two", "Three"]
    assert await play(file, program) == ["One", "Two", "Three"]


async def test_requests_without_a_response(file: Path, wosdk_sandbox: Sandbox) -> None:
    """Not sent, broken, and given up by the caller: the same errors, and no time passes."""
    reached: list[str] = []

    class Network(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.method == "GET":
                reached.append(request.url.path)
                if request.url.path.endswith("/1"):
                    raise httpx.ConnectError("refused")
                await asyncio.get_running_loop().create_future()
            return await super().handle_async_request(request)

    async def program(acme: Company) -> list[Any]:
        wosdk_sandbox.faults.add("reset", operation="create", carried_out=True)
        return [
            await result_of(acme.with_options(retry=RetryPolicy(attempts=1)).get(Customer, 1)),
            await result_of(acme.with_options(deadline=0.05).get(Customer, 2)),
            await result_of(acme.create(Customer(name="x", display_as="x"))),
        ]

    recorded = await record(file, program, wosdk_sandbox, transport=Network(wosdk_sandbox.app))
    assert [kind for kind, *_ in recorded] == [NotSentError, DeadlineError, InDoubtError]
    assert "/api/v1/base/Customer/2" in reached
    assert await play(file, program) == recorded
    wosdk_sandbox.faults.clear()  # the replay has added a fault and sent nothing


async def test_files_of_documents(file: Path, wosdk_sandbox: Sandbox) -> None:
    """Bytes that are not text come back, too."""

    async def program(acme: Company) -> bytes:
        order = (await acme.run(create_command())).wo
        assert order is not None
        made = await acme.documents.attach(order, b"\xff\x00 a picture", file_name="belt.jpg")
        return await acme.documents.download(made.id or 0)

    assert await record(file, program, wosdk_sandbox) == b"\xff\x00 a picture"
    assert await play(file, program) == b"\xff\x00 a picture"


async def test_a_download_that_the_program_gives_up(file: Path, wosdk_sandbox: Sandbox) -> None:
    """It is replayed up to the same point."""

    class GivenUpError(Exception):
        pass

    def give_up(done: int, _: int | None) -> None:
        raise GivenUpError(done)

    async def program(acme: Company) -> int:
        order = (await acme.run(create_command())).wo
        assert order is not None
        made = await acme.documents.attach(order, b"a picture", file_name="belt.jpg")
        with pytest.raises(GivenUpError) as caught:
            await acme.documents.download(made.id or 0, progress=give_up)
        return int(caught.value.args[0])

    recorded = await record(file, program, wosdk_sandbox)
    assert recorded > 0
    async with asyncio.timeout(5):
        assert await play(file, program) == recorded


async def test_no_key_of_a_file_is_in_a_recording(file: Path) -> None:
    """An address opens its file without a token, wherever the key is; files are not mixed up in a replay."""
    addresses = {
        1: "https://x.corrigo.com/files/46/KEYa1",
        2: "https://x.corrigo.com/a%20b/KEYb2?v=KEYc3",
        3: "https://x.corrigo.com/moved/KEYe5",
        4: "https://x.corrigo.com/gone/KEYh8",
        5: "https://x.corrigo.com/KEYi9#KEYd4",
    }

    async def service(request: httpx.Request) -> httpx.Response:
        if request.url.path.startswith("/moved/"):
            return httpx.Response(302, headers={"Location": "../KEYf6?v=KEYg7"})
        if request.url.path == "/gone/KEYh8":
            return httpx.Response(404)
        if "authorization" not in request.headers and request.method == "GET":
            return httpx.Response(200, content=request.url.path.replace("KEY", "").encode())
        if "GetDocDownloadUrlCommand" in request.url.path:
            (id,) = json.loads(request.content)["Command"]["DocumentIds"]
            results = [{"DocumentId": id, "Url": addresses[id], "FileName": "a.jpg"}]
            return httpx.Response(200, json={"CommandResult": {"Results": results}})
        if "/base/Document/" in request.url.path:
            return httpx.Response(200, json={"Data": {"DocUrl": addresses[1], "StorageTypeId": "Cloud"}})
        return await talkative(request)

    async def program(acme: Company) -> list[Any]:
        await acme.documents.download_urls([5])
        found = await acme.documents.download_urls([1])
        assert urlsplit(found[1].url or "").netloc
        assert (await acme.get(Document, 1)).doc_url == found[1].url
        return [await result_of(acme.documents.download(id)) for id in (3, 2, 1, 2, 4)]

    variables = {"WOSDK_CLIENT_ID": CLIENT_ID, "WOSDK_CLIENT_SECRET": SECRET, "WOSDK_COMPANY": "Acme Mall"}
    with Recording(file, record=True) as recording:
        async with recording.client(variables, transport=httpx.MockTransport(service)) as client:
            recorded = await program(client.company())
    assert (len({*recorded}), recorded[-1][0]) == (4, DownloadError)
    assert "KEY" not in text_of(file)
    assert await play(file, program) == recorded


# --- requests that were not recorded --------------------------------------------------------


async def test_an_unrecorded_request_fails_with_the_nearest_one(file: Path, wosdk_sandbox: Sandbox) -> None:
    async def program(acme: Company, key: str = "PO-1") -> None:
        await acme.get(Customer, 512)
        await acme.run(create_command(key))

    await record(file, program, wosdk_sandbox)
    with pytest.raises(UnrecordedRequestError) as caught:
        await play(file, lambda acme: program(acme, "PO-2"))
    assert "POST /api/v1/cmd/WoCreateCommand was not recorded" in str(caught.value)
    changed = [line for line in str(caught.value).splitlines() if line.startswith(("- ", "+ "))]
    assert [line.split() for line in changed] == [
        ["-", '"PoNumber":', '"PO-1",'],
        ["+", '"PoNumber":', '"PO-2",'],
    ]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("for sandbox-client", r"\*\*\* hides"), ("for AcmeFacilities", r"\{company \.\.\.\} hides .*company=")],
)
async def test_a_request_with_a_value_that_the_recording_hides(
    file: Path, wosdk_sandbox: Sandbox, name: str, hint: str
) -> None:
    """The error says what was hidden; a Company's name can be given, and other requests get no hint."""

    async def program(acme: Company, name: str = name) -> None:
        await acme.create(Customer(name=name, display_as="x"))

    hidden = "sandbox" in name
    with (
        pytest.warns(UserWarning, match="POST .*/Customer cannot be replayed")
        if hidden
        else contextlib.nullcontext()
    ):
        await record(file, program, wosdk_sandbox)
    with pytest.raises(UnrecordedRequestError, match=hint) as refused:
        await play(file, program)
    assert name not in str(refused.value) or not hidden
    with Recording(file) as recording:
        async with recording.client(company="AcmeFacilities") as client:
            if "Acme" in name:
                await program(client.company())
            else:
                recording.allow_unplayed = True
    await record(file, lambda acme: program(acme, "plain"), wosdk_sandbox)
    with pytest.raises(UnrecordedRequestError) as caught:
        await play(file, lambda acme: program(acme, "other"))
    assert "hides" not in str(caught.value)


async def test_one_request_too_many_fails(file: Path, wosdk_sandbox: Sandbox) -> None:
    async def program(acme: Company, times: int = 2) -> None:
        for _ in range(times):
            await acme.get(Customer, 512)

    await record(file, program, wosdk_sandbox)
    with pytest.raises(UnrecordedRequestError, match="more often than recorded"):
        await play(file, lambda acme: program(acme, 3))


async def test_an_unrecorded_request_whose_error_is_caught_fails(file: Path, wosdk_sandbox: Sandbox) -> None:
    """``run_many`` makes it an outcome, and a program may handle it; an error of the test comes first."""

    async def program(acme: Company, *keys: str) -> list[Any]:
        async with acme.run_many([create_command(key) for key in keys]) as run:
            return [outcome async for outcome in run]

    async def careful(acme: Company) -> None:
        await program(acme, "PO-1")
        with contextlib.suppress(Exception):
            await acme.get(Customer, 512)

    await record(file, lambda acme: program(acme, "PO-1"), wosdk_sandbox)
    with pytest.raises(UnrecordedRequestError, match=r"errors of 1 requests .*\n.*WoCreateCommand was not"):
        await play(file, lambda acme: program(acme, "PO-1", "PO-2"))
    with pytest.raises(UnrecordedRequestError, match=r"errors of 1 requests .*\n.*Customer/512 was not"):
        await play(file, careful)
    with pytest.raises(LookupError), Recording(file) as recording:
        async with recording.client() as client:
            await careful(client.company())
        raise LookupError
    assert len(recording.unrecorded) == 1


async def test_one_request_too_few_fails(file: Path, wosdk_sandbox: Sandbox) -> None:
    """A program that no longer sends what was recorded; log-ins do not count, and the test may allow it."""

    async def program(acme: Company, times: int = 3) -> None:
        for _ in range(times):
            await acme.run(create_command())
        await acme.get(Customer, 512)

    await record(file, program, wosdk_sandbox)
    await play(file, program)
    with pytest.raises(UnplayedRequestError, match=r"^2 recorded .* \(2 POST /api/v1/cmd/WoCreateCommand\)"):
        await play(file, lambda acme: program(acme, 1))
    with pytest.raises(LookupError), Recording(file):
        raise LookupError
    with Recording(file) as recording:
        recording.allow_unplayed = True
        assert recording.unplayed == (
            *["POST /api/v1/cmd/WoCreateCommand"] * 3,
            "GET /api/v1/base/Customer/512",
        )


async def test_nothing_is_sent_in_a_replay(file: Path, wosdk_sandbox: Sandbox) -> None:
    """Options of the network are ignored: the Company gets no request."""
    await record(file, lambda acme: acme.get(Customer, 512), wosdk_sandbox)
    before = len(wosdk_sandbox.requests)
    with Recording(file) as recording:
        client = recording.client(wosdk_sandbox.variables, transport=httpx.ASGITransport(wosdk_sandbox.app))
        async with client:
            assert (await client.company().get(Customer, 512)).id == 512
    assert len(wosdk_sandbox.requests) == before


# --- secrets --------------------------------------------------------------------------------

TOKEN = "tok-9f8Zq/Ab+77Lm_longer-than-others"
CLIENT_ID, SECRET = "client-id-é-4711-abcdef", 'se"cret&4711\\wxyz+more'


def forms(secret: str) -> set[str]:
    """Ways in which a text may hold a secret."""
    raw = secret.encode()
    found = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], raw.hex(), raw.hex().upper()}
    found |= {secret.replace("&", "&amp;"), quote(quote(secret, safe=""), safe="")}
    found |= {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(b"x:" + raw).decode()[4:-4]}
    found |= {"".join(f"\\u{ord(char):04x}" for char in secret), secret[:14], secret.upper()}
    return found


async def talkative(request: httpx.Request) -> httpx.Response:
    """Repeat every secret in every form, in names, values, texts, bytes and headers."""
    all_forms = sorted({form for secret in (TOKEN, SECRET, CLIENT_ID) for form in forms(secret)})
    if request.url.path.endswith("/token"):
        return httpx.Response(200, json={"access_token": TOKEN, "expires_in": 1199, "scope": all_forms})
    if "GetCompanyWsdkUrlCommand" in request.url.path:
        found = {"Url": "https://x.corrigo.com/", "CompanyName": "Acme Mall", "CompanyId": 1, "Of": all_forms}
        return httpx.Response(200, json={"CommandResult": found})
    if request.url.path.endswith("/2"):
        return httpx.Response(400, text="<p>" + " ".join(all_forms), headers={"Location": f"/?sig={SECRET}"})
    if request.url.path.endswith("/3"):
        return httpx.Response(400, content=b"\xff" + " ".join(all_forms).encode())
    return httpx.Response(
        200, json={"Data": {"Id": 1, "Dba": " ".join(all_forms), **{form: form for form in all_forms}}}
    )


async def test_no_secret_is_in_the_file_in_any_form(file: Path) -> None:
    """However a response repeats it; nor are the host, the Company's name, passwords and signatures."""

    async def program(acme: Company) -> None:
        for number in (1, 2, 3):
            await result_of(acme.get(Customer, number))
        await result_of(acme.update(Contact.ref(1), last_name="X", password="pw-1234"))
        await result_of(
            acme.post("batch/Get", {"at": "https://s.example/f?x=1&X-Sig=abcd", "of": "acme mall"})
        )
        await result_of(acme.post("batch/Get", {"NewPassword": "pw-5678", "ApiToken": "pw-9012"}))

    variables = {
        "WOSDK_CLIENT_ID": CLIENT_ID,
        "WOSDK_CLIENT_SECRET": SECRET,
        "WOSDK_COMPANY": "Acme Mall",
    }
    with Recording(file, record=True) as recording:
        async with recording.client(variables, transport=httpx.MockTransport(talkative)) as client:
            await program(client.company())
    shown = text_of(file)
    everything = [shown, json.dumps(json.loads(shown), ensure_ascii=False), *_decoded(json.loads(shown))]
    for secret in (TOKEN, SECRET, CLIENT_ID):
        for form in forms(secret):
            assert not any(form.casefold() in each.casefold() for each in everything), form
    for name in (
        "x.corrigo.com",
        "Acme Mall",
        "ACME mall",
        "pw-1234",
        "pw-5678",
        "pw-9012",
        "abcd&",
        "X-Sig=abcd",
    ):
        assert name not in shown, name


async def test_a_file_that_would_hold_a_secret_is_not_written(file: Path) -> None:
    """A secret of digits that comes as a number, say, which no text can replace."""

    async def service(request: httpx.Request) -> httpx.Response:
        if "Customer" in request.url.path:
            return httpx.Response(200, json={"Data": {"Id": 1, "Number": 471100815204711}})
        return await talkative(request)

    variables = {
        "WOSDK_CLIENT_ID": CLIENT_ID,
        "WOSDK_CLIENT_SECRET": "471100815204711",
        "WOSDK_COMPANY": "Acme Mall",
    }
    with pytest.raises(ConfigurationError, match="was not written"):
        with Recording(file, record=True) as recording:
            async with recording.client(variables, transport=httpx.MockTransport(service)) as client:
                await client.company().get(Customer, 1)
    assert file.parent.name not in os.listdir(file.parent.parent)


def _decoded(value: Any) -> list[str]:
    """The bytes of a file that are kept in base64, as text."""
    if isinstance(value, dict):
        found = [base64.b64decode(value["base64"]).decode("latin-1")] if "base64" in value else []
        return [*found, *(each for item in value.values() for each in _decoded(item))]
    return [each for item in value for each in _decoded(item)] if isinstance(value, list) else []


async def test_a_hook_removes_personal_data(file: Path, wosdk_sandbox: Sandbox) -> None:
    """From requests and responses; requests of a replay are compared after it."""

    def scrub(body: Any) -> Any:
        if isinstance(body, dict):
            return {name: "Somebody" if name == "Name" else scrub(item) for name, item in body.items()}
        return [scrub(item) for item in body] if isinstance(body, list) else body

    async def program(acme: Company) -> str | None:
        made = await acme.create(Customer(name="Ann Lee", display_as="x"))
        return (await acme.get(Customer, made.id or 0)).name

    assert await record(file, program, wosdk_sandbox, scrub=scrub) == "Ann Lee"
    assert "Ann Lee" not in text_of(file)
    assert await play(file, program, scrub=scrub) == "Somebody"


async def test_names_of_companies_can_be_kept(file: Path, wosdk_sandbox: Sandbox) -> None:
    async def program(acme: Company) -> None:
        await acme.connect()

    await record(file, program, wosdk_sandbox, keep_names=True)
    assert wosdk_sandbox.name in text_of(file)
    with Recording(file, keep_names=True) as recording:
        async with recording.client(company=wosdk_sandbox.name) as client:
            await client.company().connect()


ODD_NAMES = [
    "a",
    "1",
    "http",
    "Task",
    "Company",
    "Customer",
    "CompanyName",
    "WorkOrder",
    "RSC000001",
    "Lindqvist Dental LLC",
    "{host}",
    "{company 3f9a01bc}",
]


@pytest.mark.parametrize("name", ODD_NAMES)
async def test_any_name_of_a_company_plays_to_equal_results(file: Path, name: str) -> None:
    """Also one that a field, a path, a host or a record has."""

    async def program(acme: Company) -> list[Any]:
        return [
            await result_of(acme.get(Customer, 512)),
            await result_of(acme.create(Customer(name=name, display_as=f"{name}, {name}s"))),
            await result_of(acme.run(create_command(name))),
            await result_of(acme.query(WorkOrder).where(fields(WorkOrder).po_number == name).all()),
        ]

    with Sandbox(company=name) as sandbox:
        recorded = await record(file, program, sandbox)
    with Recording(file) as recording:
        async with recording.client(company=name, options=AT_ONCE) as client:
            assert await program(client.company()) == recorded
    names = [each.get("company", "") for each in json.loads(text_of(file))["exchanges"]]
    assert name == "{company 3f9a01bc}" or name not in names


async def test_companies_are_not_mixed_up(file: Path) -> None:
    """Whichever is asked first: each gets its own records."""

    async def program(acme: Company) -> str | None:
        return (await acme.get(Customer, 512)).name

    async def service(request: httpx.Request) -> httpx.Response:
        if "Customer" not in request.url.path:
            return await talkative(request)
        return httpx.Response(200, json={"Data": {"Id": 512, "Name": f"of {request.headers['CompanyName']}"}})

    pair = Credentials(CLIENT_ID, SECRET)
    own = {"company": "One Inc", "credentials": pair, "transport": httpx.MockTransport(service)}
    with Recording(file, record=True) as recording:
        async with recording.client({}, **own) as client:
            recorded = [await program(client.company(name)) for name in (None, "Two", "Third Inc")]
    assert recorded == ["of One Inc", "of Two", "of Third Inc"]
    with Recording(file) as recording:
        async with recording.client() as client:
            assert await program(client.company("Third Inc")) == "of Third Inc"
            assert await program(client.company("Two")) == "of Two"
            assert await program(client.company()) == "of One Inc"
            with pytest.raises(UnrecordedRequestError):
                await program(client.company("Fourth Inc"))
            assert len(recording.unrecorded) == 1
            recording.unrecorded.clear()


async def test_requests_that_differ_only_in_times(file: Path) -> None:
    """The same time gets its own response; of several that fit, none is guessed."""

    async def service(request: httpx.Request) -> httpx.Response:
        return (
            httpx.Response(200, content=request.content)
            if b'"at"' in request.content
            else (await talkative(request))
        )

    async def ask(acme: Company, *days: int) -> list[Any]:
        return [(await acme.post("batch/Get", {"at": f"2026-01-{day:02}T00:00:00Z"}))["at"] for day in days]

    variables = {"WOSDK_CLIENT_ID": CLIENT_ID, "WOSDK_CLIENT_SECRET": SECRET, "WOSDK_COMPANY": "One Inc"}
    with Recording(file, record=True) as recording:
        async with recording.client(variables, transport=httpx.MockTransport(service)) as client:
            recorded = await ask(client.company(), 1, 2)
    assert await play(file, lambda acme: ask(acme, 2, 1)) == recorded[::-1]
    assert await play(file, lambda acme: ask(acme, 1, 9)) == recorded
    for days in ((9,), (1, 1)):
        with pytest.raises(UnrecordedRequestError):
            await play(file, lambda acme, days=days: ask(acme, *days))


# --- the file -------------------------------------------------------------------------------


def recording_of(times: int = 1, **fields: Any) -> str:
    """Return the text of a file with such exchanges."""
    exchange = {"method": "POST", "path": "/x", **fields}
    return json.dumps({"format": "wosdk recording 1", "exchanges": [exchange] * times})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[]", "format"),
        ('{"format": "wosdk recording 9", "exchanges": []}', "format"),
        ('{"format": "wosdk recording 1"}', "not a valid recording"),
        ('{"format": "wosdk recording 1", "exchanges": [{"method": 1, "path": "/"}]}', "exchanges|str"),
        ('{"format": "wosdk recording 1", "exchanges": [{"path": "/"}]}', "method"),
        (recording_of(status=-5), "exchange 1: status -5"),
        (recording_of(status=200, failure="broken"), "status 200 with failure"),
        (recording_of(failure="else"), "failure 'else'"),
        (recording_of(status=200, response={"base64": "@@@"}), "base64|alphabet|padding"),
        (recording_of(status=200, response={"html": "x"}), "must be json, text or base64"),
        (recording_of(status=200, response={"json": 0}).replace("0}", "[" * 900 + "]" * 900 + "}"), "deeper"),
        (recording_of(status=200, times=10_001), "10001 exchanges"),
    ],
)
def test_a_file_that_is_not_a_recording(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=why):
        Recording(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="record it first"):
        Recording(tmp_path / "none.json")


async def test_a_block_that_fails_leaves_the_file(file: Path, wosdk_sandbox: Sandbox) -> None:
    await record(file, lambda acme: acme.get(Customer, 512), wosdk_sandbox)
    before = text_of(file)

    async def fails(acme: Company) -> None:
        await acme.get(Customer, 513)
        raise LookupError

    with pytest.raises(LookupError):
        await record(file, fails, wosdk_sandbox)
    assert text_of(file) == before
    assert os.listdir(file.parent) == [file.name]


# --- the fixture ----------------------------------------------------------------------------

TEST = """
    from wosdk_async import Customer
    import pytest

    @pytest.mark.asyncio
    @pytest.mark.parametrize("number", [512])
    async def test_it(wosdk_recording, number):
        async with wosdk_recording.client() as client:
            assert (await client.company().get(Customer, number)).name == "Lindqvist Dental LLC"
"""


ENDS = """
    from wosdk_async import Customer
    import pytest

    @pytest.mark.asyncio
    @pytest.mark.parametrize("end", ["fail", "skip", "xfail"])
    async def test_it(wosdk_recording, end):
        async with wosdk_recording.client() as client:
            await client.company().get(Customer, 512)
            assert end != "fail"
            getattr(pytest, end)()
"""


def test_only_a_test_that_passes_is_recorded(
    quick_kit: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, local_variables: dict[str, str]
) -> None:
    """A good recording survives a run that fails or stops early, and the report of a failure says so.

    What was recorded plays without the variables of the Company.
    """
    quick_kit.makepyfile(test_x=ENDS, test_y=TEST)
    (folder := quick_kit.path / "recordings").mkdir()
    files = [folder / f"test_x.test_it-{end}.json" for end in ("fail", "skip")]
    for file in files:
        file.write_text("good")
    for name, value in local_variables.items():
        monkeypatch.setenv(name, value)
    settings = ["-q", "-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function"]
    done = quick_kit.runpytest_subprocess(*settings, "--wosdk-record")
    done.assert_outcomes(passed=1, failed=1, skipped=1, xfailed=1)
    assert {file.read_text() for file in files} == {"good"}
    assert "the earlier recording was kept" in done.stdout.str()
    assert {*folder.iterdir()} == {*files, folder / "test_y.test_it-512.json"}
    for name in local_variables:
        monkeypatch.delenv(name)
    quick_kit.runpytest_subprocess(*settings, "test_y.py").assert_outcomes(passed=1)


FEWER_OR_MORE = """
    import contextlib
    from wosdk_async import Customer
    import pytest

    @pytest.mark.asyncio
    @pytest.mark.parametrize("end", ["pass", "fail", "skip", "allow", "more"])
    async def test_it(wosdk_recording, end):
        async with wosdk_recording.client() as client:
            for number in (512, 513) if wosdk_recording.record else ():
                await client.company().get(Customer, number)
            if end == "more" and not wosdk_recording.record:
                with contextlib.suppress(Exception):
                    await client.company().get(Customer, 514)
        wosdk_recording.allow_unplayed = end in ("allow", "more")
        if end in ("fail", "skip") and not wosdk_recording.record:
            getattr(pytest, end)()
"""


def test_a_test_that_sends_less_or_more_than_recorded_fails_at_its_end(
    quick_kit: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, local_variables: dict[str, str]
) -> None:
    """Only if it passed otherwise, and did not allow it."""
    quick_kit.makepyfile(FEWER_OR_MORE)
    for name, value in local_variables.items():
        monkeypatch.setenv(name, value)
    settings = ["-q", "-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function"]
    quick_kit.runpytest_subprocess(*settings, "--wosdk-record").assert_outcomes(passed=5)
    done = quick_kit.runpytest_subprocess(*settings)
    done.assert_outcomes(passed=3, errors=2, failed=1, skipped=1)
    done.stdout.fnmatch_lines(["*ERROR at teardown of test_it[[]pass*", "2 recorded requests were not *"])
    done.stdout.fnmatch_lines(["*ERROR at teardown of test_it[[]more*", "*of 1 requests that were not *"])


NAMES = """
    from wosdk_async import Customer
    import pytest

    async def reads(recording, number):
        async with recording.client() as client:
            assert (await client.company().get(Customer, number)).id == number

    class TestA:
        @pytest.mark.asyncio
        async def test_x(self, wosdk_recording):
            await reads(wosdk_recording, 512)

    class TestB:
        @pytest.mark.asyncio
        async def test_x(self, wosdk_recording):
            await reads(wosdk_recording, 513)

        class TestA:
            @pytest.mark.asyncio
            async def test_x(self, wosdk_recording):
                await reads(wosdk_recording, 512)

    LONG = "\N{LATIN SMALL LETTER E WITH ACUTE}" * 100
    KEYS = ["a/b", "a-b", "a b", "", "-", "b", "b]", LONG, LONG + "b", "x" * 300]

    @pytest.mark.asyncio
    @pytest.mark.parametrize("key", KEYS)
    async def test_p(wosdk_recording, key):
        await reads(wosdk_recording, 512 + KEYS.index(key) % 2)
"""


def test_each_test_has_a_recording_of_its_own(
    quick_kit: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, local_variables: dict[str, str]
) -> None:
    """Tests of one name in several classes, and parameters that a file name cannot have."""
    quick_kit.makepyfile(test_x=NAMES)
    for name, value in local_variables.items():
        monkeypatch.setenv(name, value)
    settings = ["-q", "-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function"]
    quick_kit.runpytest_subprocess(*settings, "--wosdk-record").assert_outcomes(passed=13)
    quick_kit.runpytest_subprocess(*settings).assert_outcomes(passed=13)
    files = {file.name for file in (quick_kit.path / "recordings").iterdir()}
    assert len(files) == 13
    assert {"test_x.TestA.test_x.json", "test_x.TestB.TestA.test_x.json", "test_x.test_p-a-b.json"} <= files


@pytest.fixture
def local_variables() -> Any:
    from wosdk_async.sandbox import LocalCompany

    with LocalCompany() as local:
        yield local.variables
