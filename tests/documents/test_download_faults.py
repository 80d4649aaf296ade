"""Storages that stall, break off, lie or go on for ever: an error that tells, and nothing left behind."""

from __future__ import annotations

import asyncio
import gzip
import logging
import time
import traceback
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from tests.documents.storage import Act, Storage, answer, company, files
from tests.errors.test_faults import check
from tests.support.laws import each_of
from tests.support.service import Answer, Request, Service
from wosdk_async import (
    DeadlineError,
    DownloadError,
    NoAnswerError,
    NotSentError,
    ThrottledError,
    WosdkError,
)

TOKEN = "tokAbCdEfGhIjKlMnOpQrStUvWx0123456789xyz"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()  # until the client closes the connection


async def stalling(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"half")
    await reader.read()


async def no_http(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"hello\r\n\r\n")


async def reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"half")
    await writer.drain()
    writer.transport.abort()


async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"0" * 60_000)
        await writer.drain()


async def endless_chunks(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"3e8\r\n" + b"0" * 1000 + b"\r\n")
        await writer.drain()


BOMB = gzip.compress(bytes(16_000_000), 1)


async def endless_gzip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
    while True:
        writer.write(BOMB)
        await writer.drain()


PERMANENT = {
    "forbidden": answer(b"<Error/>", 403),
    "gone": answer(b"<Error/>", 404),
    "no content": answer(status=204),
    "a part": answer(b"half", 206),
    "not changed": answer(status=304),
    "longer than allowed": answer(b"x", length="2000000"),
    "endless": endless,
    "endless in chunks": endless_chunks,
    "longer when decompressed": answer(gzip.compress(bytes(1_000_001)), Content_Encoding="gzip"),
    "compressed twice": answer(gzip.compress(gzip.compress(b"x")), Content_Encoding="gzip, gzip"),
    "compressed as nobody asked": answer(b"x", Content_Encoding="br"),
    "endless gzip": endless_gzip,
    "endless members": answer(gzip.compress(b"") * 10_001, Content_Encoding="gzip"),
    "redirected to http": answer(status=302, Location="http://files.example/a"),
    "redirected to a file": answer(status=302, Location="file:///etc/passwd"),
    "redirected to no address": answer(status=302, Location="http://[::1/a"),
    "redirected with credentials": answer(status=302, Location="https://user:x@files.example/"),
    "redirected nowhere": answer(status=302),
    "redirected in a circle": answer(status=302, Location="/a"),
}

PASSING = {
    "reset half way": reset,
    "shorter than it says": answer(b"half", length="100000"),
    "broken chunks": answer(b"zz\r\n", length="none", Transfer_Encoding="chunked"),
    "cut off chunks": answer(b"4\r\nhalf\r\n", length="none", Transfer_Encoding="chunked"),
    "broken gzip": answer(b"no gzip at all", Content_Encoding="gzip"),
    "cut gzip": answer(gzip.compress(b"half")[:-1], Content_Encoding="gzip"),
    "no HTTP": no_http,
    "overloaded": answer(status=503),
    "asked too often": answer(status=429),
    "broken": answer(status=500),
}


async def failing(acme: Any, to: Path | None, kind: type[WosdkError], **options: Any) -> WosdkError:
    with pytest.raises(kind) as caught:
        await acme.documents.download(1, to, max_bytes=1_000_000, **options)
    return caught.value


@pytest.mark.parametrize("act", PERMANENT.values(), ids=PERMANENT)
async def test_what_does_not_pass_is_told_at_once(act: Act, tmp_path: Path) -> None:
    """DownloadError; the file that was there is as it was, and no connection stays."""
    (target := tmp_path / "a").write_bytes(b"before")
    async with Storage(act) as storage, company(f"{storage.url}/a?signature=secret") as acme:
        error = await failing(acme, target, DownloadError)
        await failing(acme, None, DownloadError)
        await storage.all_gone()
    assert (error.operation, error.company, error.attempts) == ("download Document 1", acme.name, 1)
    assert "secret" not in repr(error)
    assert files(tmp_path) == {"a": b"before"}


@pytest.mark.parametrize("path", ["f#sig=5ecre7ly51gned", "a file?sig=5ecre7ly51gned"])
async def test_an_address_with_a_fragment_or_a_space(path: str) -> None:
    """Refused before anything is sent, without the signature: httpx would drop the fragment."""
    async with company(f"https://files.example/{path}") as acme:
        error = await failing(acme, None, DownloadError)
    assert error.message.startswith("the file's address at https://files.example has a space or '#'")
    assert "5ecre7" not in held(error)


@each_of(("status", "gone"), [(206, False), (204, False), (304, False), (403, True), (404, True)])
async def test_only_a_refusal_says_that_a_file_is_gone(status: int, gone: bool) -> None:
    async with Storage(answer(b"half", status)) as storage, company(storage.url) as acme:
        error = await failing(acme, None, DownloadError)
    assert (error.status, "deleted" in error.message) == (status, gone)


@pytest.mark.parametrize("act", PASSING.values(), ids=PASSING)
async def test_what_may_pass_is_tried_again(act: Act, tmp_path: Path) -> None:
    """A fetch is safe to repeat: a fault or two cost time, three are an error, and none leaves a trace."""
    async with Storage(act, act, answer(b"whole")) as storage, company(storage.url) as acme:
        assert (await acme.documents.download(1, tmp_path / "a")).read_bytes() == b"whole"
    async with Storage(act) as storage, company(storage.url) as acme:
        error = await failing(acme, tmp_path / "b", NoAnswerError)
        await storage.all_gone()
    assert (len(storage.requests), error.attempts) == (3, 3)
    assert files(tmp_path) == {"a": b"whole"}


async def test_a_busy_storage_says_when_to_try_again() -> None:
    """As for calls: the wait is added to the pause, and a wait of over a minute ends the download."""
    busy = answer(b"", 503, Retry_After="0.2")
    async with Storage(busy, answer(b"whole")) as storage, company(storage.url) as acme:
        began = time.monotonic()
        assert await acme.documents.download(1) == b"whole"
        assert time.monotonic() - began >= 0.2
    async with Storage(answer(b"", 429, Retry_After="61")) as storage, company(storage.url) as acme:
        error = await failing(acme, None, ThrottledError)
    assert (len(storage.requests), error.attempts, error.status, error.retry_after) == (1, 1, 429, 61.0)
    assert error.times.keys() == {"queue", "request"}


async def test_a_storage_that_is_not_there() -> None:
    """No connection: nothing was sent, and the error says so."""
    async with Storage() as storage:
        url = storage.url
    async with company(url) as acme:
        await failing(acme, None, NotSentError)


@pytest.mark.parametrize("act", [silent, stalling])
async def test_a_storage_that_stalls(act: Act, tmp_path: Path) -> None:
    """The deadline ends it, before the first byte or in the middle."""
    async with Storage(act) as storage, company(storage.url) as acme:
        error = await failing(acme.with_options(deadline=0.2), tmp_path / "a", DeadlineError)
        await storage.all_gone()
    assert "0.2 s" in str(error)
    assert files(tmp_path) == {}


@pytest.mark.parametrize("times", [1, 2])
async def test_cancelling_leaves_nothing(times: int, tmp_path: Path) -> None:
    """Cancelled in the middle of a file, once or again while it is closed: no part of it, no connection."""
    begun = asyncio.Event()
    async with Storage(stalling) as storage, company(storage.url) as acme:
        download = acme.documents.download(1, tmp_path / "a", progress=lambda *_: begun.set())
        task = asyncio.create_task(download)
        async with asyncio.timeout(5):
            await begun.wait()
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        await storage.all_gone()
    assert files(tmp_path) == {}


async def test_a_progress_that_raises_ends_the_download(tmp_path: Path) -> None:
    """What the callback raises reaches the caller as it is, a TimeoutError too."""

    def stop(*_: object) -> None:
        raise TimeoutError("enough")

    async with Storage(answer(b"file")) as storage, company(storage.url) as acme:
        with pytest.raises(TimeoutError, match="enough"):
            await acme.documents.download(1, tmp_path / "a", progress=stop)
        await storage.all_gone()
    assert len(storage.requests) == 1
    assert files(tmp_path) == {}


async def test_many_at_once_hold_no_call_up(tmp_path: Path) -> None:
    """Downloads of a Company wait for each other, at most eight at a time, and calls do not wait for them."""
    async with Storage(stalling) as storage, company(storage.url) as acme:
        tasks = [asyncio.create_task(acme.documents.download(id, tmp_path / str(id))) for id in range(1, 31)]
        async with asyncio.timeout(5):
            while len(storage.requests) < 8:
                await asyncio.sleep(0)
            await asyncio.gather(*(acme.documents.download_urls([id]) for id in range(1, 60)))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await storage.all_gone()
        assert len(storage.requests) == 8
        storage.acts = [answer(b"file")]
        assert [await acme.documents.download(id) for id in range(1, 10)] == [b"file"] * 9
    assert files(tmp_path) == {}


@pytest.mark.parametrize("library", [None, httpx, httpx2])
async def test_a_storage_that_hangs_delays_no_other_company(library: Any) -> None:
    """One Company waits for all the files that it may fetch at once, and wants more; another's comes now."""

    def handler(request: Request) -> Answer:
        storage = hanging if request.headers["companyname"] == "A" else healthy
        if request.method == "GET":
            return Answer(body={"Data": {"StorageTypeId": "Cloud"}})
        results = [{"DocumentId": id, "Url": storage.url} for id in request.json["Command"]["DocumentIds"]]
        return Answer(body={"CommandResult": {"Results": results}})

    async with AsyncExitStack() as stack:
        hanging, healthy = Storage(stalling), Storage(answer(b"file"))
        service = Service(handler)
        for each in (hanging, healthy, service):
            await stack.enter_async_context(each)
        own = {"http_client": await stack.enter_async_context(library.AsyncClient())} if library else {}
        client = await stack.enter_async_context(service.client(**own))
        stuck = [asyncio.create_task(client.company("A").documents.download(id)) for id in range(1, 13)]
        async with asyncio.timeout(15):
            while len(hanging.requests) < 8:
                await asyncio.sleep(0)
            assert await client.company("B").documents.download(1) == b"file"
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
        await hanging.all_gone()
        assert len(hanging.requests) == 8


@pytest.mark.parametrize("before", [0, 200, 290])
async def test_a_storage_that_repeats_a_signed_address(before: int) -> None:
    """In place of a header, where libraries quote it: the error shows nothing of it, however it is cut."""

    async def repeats(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = b"x" * before + storage.requests[-1].split()[1].encode()
        writer.write(b"HTTP/1.1 200 OK\r\n" + line + b"\r\n\r\n")
        await writer.drain()

    async with Storage(repeats) as storage, company(f"{storage.url}/a?X-Signature=5ecre7ly51gned") as acme:
        with pytest.raises(NoAnswerError) as caught:
            await acme.documents.download(1)
    error: BaseException | None = caught.value
    while error is not None:
        assert "5ecre7" not in repr((str(error), error.args, vars(error)))
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(
    "url",
    [
        f"http://{TOKEN}/a",
        f"https://{TOKEN[5:]}.invalid/a",
        f"https://h:{TOKEN}/a",
        f"https://user:{TOKEN}@h.invalid/a",
        f"https://h.invalid/{'x' * 4000}?t=%74{TOKEN[1:]}",
    ],
)
async def test_an_address_with_the_token_is_not_used(url: str, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is sent there, and neither the error nor a log of any library shows it."""
    caplog.set_level(logging.DEBUG)
    async with company(url, bearer=TOKEN) as made:
        with pytest.raises(DownloadError, match="contains the token or secret") as caught:
            await made.documents.download(5)
    check(caught.value, TOKEN, TOKEN.lower(), TOKEN[5:17], TOKEN[5:17].lower())
    assert TOKEN[5:17].lower() not in caplog.text.lower()


@pytest.mark.parametrize("library", [httpx, httpx2])
async def test_each_redirect_is_looked_at_with_a_client_that_follows_them(library: Any) -> None:
    """A client of the program that follows redirects would go on to where nothing is fetched from."""
    async with Storage(answer(status=302, Location=f"/{TOKEN}"), answer(b"file")) as storage:
        async with (
            library.AsyncClient(follow_redirects=True) as http,
            company(f"{storage.url}/a", bearer=TOKEN, http_client=http) as made,
        ):
            with pytest.raises(DownloadError, match="contains the token or secret"):
                await made.documents.download(5)
    assert len(storage.requests) == 1


async def test_a_storage_that_redirects_to_the_token() -> None:
    """Each hop is looked at."""
    async with Storage(answer(status=302, Location=f"https://{TOKEN}.invalid/")) as storage:
        async with company(f"{storage.url}/a", bearer=TOKEN) as made:
            with pytest.raises(DownloadError, match="contains the token or secret") as caught:
                await made.documents.download(5)
    check(caught.value, TOKEN, TOKEN.lower())


@pytest.mark.parametrize("act", [answer(status=403), silent, None])
async def test_no_failure_keeps_a_signed_address_in_its_frames(act: Act | None, tmp_path: Path) -> None:
    """Refused, without a response, unreachable; with a folder, also a file that cannot be replaced."""
    (tmp_path / "1-belt.jpg").mkdir()
    async with Storage(act or silent) as storage:
        url = storage.url if act else "https://127.0.0.1:9"
        async with company(f"{url}/a?X-Signature=5ecre7ly51gned") as acme:
            acme = acme.with_options(deadline=0.2)
            for to in (None, tmp_path / "a", tmp_path):
                with pytest.raises(WosdkError) as caught:
                    await acme.documents.download(1, to)
                assert "5ecre7" not in held(caught.value)


async def test_an_error_of_a_progress_keeps_no_signed_address_in_its_frames() -> None:
    async with Storage(answer(b"file")) as storage:
        async with company(f"{storage.url}/a?X-Signature=5ecre7ly51gned") as acme:
            with pytest.raises(ZeroDivisionError) as caught:
                await acme.documents.download(1, progress=lambda done, total: 1 // 0)
    assert "5ecre7" not in held(caught.value)


async def test_no_failure_keeps_an_address_with_the_token_in_its_frames() -> None:
    async with company(f"https://h.invalid/{TOKEN}", TOKEN, bearer=TOKEN) as made:
        with pytest.raises(DownloadError, match="contains the token or secret") as caught:
            await made.documents.download(5)
    assert TOKEN[5:] not in held(caught.value)


def held(error: BaseException | None) -> str:
    """Return an error and its chain with the values in the library's frames, hidden chains too."""
    shown = []
    while error is not None:
        shown.append(repr(error))
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if "/wosdk_async/" in frame.f_code.co_filename:
                shown.append(repr(frame.f_locals))
        error = error.__cause__ or error.__context__
    return "\n".join(shown)
