"""Files of documents had back: where from, where to, and under which name."""

from __future__ import annotations

import gzip
import logging
import os
import resource
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.documents.storage import Storage, answer, company, files
from tests.support.service import Answer, Request, Service, error
from wosdk_async import (
    BusinessRuleError,
    Client,
    Customer,
    Document,
    DownloadError,
    InvalidCallError,
    NotFoundError,
    Ref,
)
from wosdk_async.resources.files import safe_name
from wosdk_async.sandbox import Faults

WHOLE = os.urandom(300_000)


async def test_the_command_of_the_sample() -> None:
    """facts 3.10: GetDocDownloadUrlCommand, asked once for many documents; nothing is asked for none."""
    result = {"DocumentId": 70021, "Url": "https://files.fm-host.example/40217/70021", "FileName": "belt.jpg"}
    found = Answer(body={"CommandResult": {"Results": [result]}})
    async with Service(lambda _: found) as service, service.client() as client:
        urls = await client.company().documents.download_urls([70021, Document(id=2), Ref(3)])
        assert await client.company().documents.download_urls([]) == {}
    (call,) = service.calls
    assert (call.path, call.json["Command"]) == (
        "/api/v1/cmd/GetDocDownloadUrlCommand",
        {"DocumentIds": [70021, 2, 3]},
    )
    assert {id: (one.url, one.file_name) for id, one in urls.items()} == {
        70021: (result["Url"], result["FileName"])
    }


async def test_the_storage_is_told_nothing() -> None:
    """The address is not the Company's host: no token, no Company name, no cookie, no agent."""
    async with Storage(answer(b"file")) as storage, company(f"{storage.url}/46/1?signature=x") as acme:
        assert await acme.documents.download(1) == b"file"
    first, *headers = storage.requests[0].strip().split("\r\n")
    assert first == "GET /46/1?signature=x HTTP/1.1"
    assert {line.split(":")[0].lower() for line in headers} == {"host", "accept-encoding"}


async def test_where_a_file_goes(tmp_path: Path) -> None:
    """Bytes without a place, a file at a path, and under id and name in a directory; progress counts up."""
    seen: list[tuple[int, int | None]] = []
    async with Storage(answer(WHOLE)) as storage, company(storage.url, "../..\\belt.jpg") as acme:
        assert await acme.documents.download(7, progress=lambda *had: seen.append(had)) == WHOLE
        assert await acme.documents.download(Document(id=7), tmp_path / "a.jpg") == tmp_path / "a.jpg"
        assert await acme.documents.download(Ref(7), str(tmp_path)) == tmp_path / "7-belt.jpg"
        with pytest.raises(InvalidCallError, match="without an id"):
            await acme.documents.download(Document())
    assert files(tmp_path) == {"a.jpg": WHOLE, "7-belt.jpg": WHOLE}
    assert (seen[-1], sorted(seen)) == ((len(WHOLE), len(WHOLE)), seen)


async def test_a_link_stays_and_leads_to_the_file(tmp_path: Path) -> None:
    """What a link names is written, there already or not; in a directory that is a link, too."""
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "a")
    (tmp_path / "way").symlink_to("there")
    async with Storage(answer(b"1"), answer(b"2")) as storage, company(storage.url) as acme:
        for body in (b"1", b"2"):
            assert await acme.documents.download(7, tmp_path / "link") == tmp_path / "link"
            assert files(tmp_path / "there") == {"a": body}
        assert await acme.documents.download(7, tmp_path / "way") == tmp_path / "way" / "7-belt.jpg"
    assert (tmp_path / "link").is_symlink()
    assert files(tmp_path / "there") == {"a": b"2", "7-belt.jpg": b"2"}


async def test_a_private_file_that_a_download_replaces_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.touch(mode=0o600)
    async with Storage(answer(b"new")) as storage, company(storage.url) as acme:
        await acme.documents.download(7, path)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)


@pytest.mark.parametrize("leads_to", ["private", "missing", "folder", "7-belt.jpg"])
async def test_a_link_of_the_name_that_the_service_gives_is_replaced(tmp_path: Path, leads_to: str) -> None:
    """The user named a directory: whoever can write there chooses no other file on this machine."""
    (tmp_path / "private").write_bytes(b"before")
    (tmp_path / "folder").mkdir()
    (tmp_path / "7-belt.jpg").symlink_to(leads_to)
    async with Storage(answer(b"file")) as storage, company(storage.url) as acme:
        assert await acme.documents.download(7, tmp_path) == tmp_path / "7-belt.jpg"
    assert not (tmp_path / "7-belt.jpg").is_symlink()
    (tmp_path / "folder").rmdir()
    assert files(tmp_path) == {"private": b"before", "7-belt.jpg": b"file"}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("fifo", "fifo' exists and is not a regular file"),
        ("to-fifo", "to-fifo' exists and is not a regular file"),
        ("none/a.jpg", "none' is not a directory; create it first"),
        ("none/", "none/' is not a directory; create it first"),
        ("to-none", "none' is not a directory; create it first"),
        ("file/a.jpg", "a.jpg' cannot be written: Not a directory"),
        ("loop", "loop' cannot be written: Too many levels"),
        ("nul\0", "cannot be written: "),
    ],
)
async def test_what_cannot_become_a_file_is_refused_before_anything_is_sent(
    tmp_path: Path, name: str, told: str
) -> None:
    """A fifo or a device would be replaced by a file, and without its directory a file cannot be."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "to-fifo").symlink_to("fifo")
    (tmp_path / "to-none").symlink_to("none/a")
    (tmp_path / "loop").symlink_to("loop")
    async with Service() as service, service.client() as client:
        with pytest.raises(InvalidCallError) as caught:
            await client.company().documents.download(7, f"{tmp_path}/{name}")
        assert (service.calls, service.tokens) == ([], [])
    assert told in str(caught.value)
    assert (tmp_path / "fifo").is_fifo()


async def test_the_name_in_a_directory_is_looked_at_too(tmp_path: Path) -> None:
    """It is known only when the address is there."""
    os.mkfifo(tmp_path / "7-belt.jpg")
    async with Storage(answer(b"file")) as storage, company(storage.url) as acme:
        with pytest.raises(InvalidCallError, match=r"7-belt\.jpg' exists and is not a regular file"):
            await acme.documents.download(7, tmp_path)
    assert (tmp_path / "7-belt.jpg").is_fifo()


async def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """A DownloadError names the file; what was there stays, and nothing else is left."""
    (tmp_path / "a").write_bytes(b"before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with Storage(answer(WHOLE)) as storage, company(storage.url) as acme:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(WHOLE) // 2, hard))
        try:
            with pytest.raises(DownloadError, match=r"cannot be written to '.*/a': File too large") as caught:
                await acme.documents.download(7, tmp_path / "a")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (caught.value.operation, len(storage.requests)) == ("download Document 7", 1)
    assert files(tmp_path) == {"a": b"before"}


@given(st.text(), st.text(alphabet="./\\:\x00a\u202e "))
def test_names_of_others_stay_in_the_directory(name: str, odd: str) -> None:
    """Whatever a service calls a file: one plain component, never empty, never a way out."""
    for given_name in (name, odd, odd + name, name * 50):
        safe = safe_name(given_name, "document")
        assert Path("dir", safe).parts == ("dir", safe)
        assert safe.isprintable()
        assert len(safe.encode()) <= 200
        assert safe.strip(" .") == safe != ""
    assert safe_name("Résumé of belt.tar.gz", "document") == "Résumé of belt.tar.gz"


@pytest.mark.parametrize(
    "refusal", [error(400, "COMMAND_NOT_FOUND"), Answer(body={"CommandResult": {"Results": []}})]
)
async def test_the_address_in_the_record(refusal: Answer) -> None:
    """Where the command is not known or gives none, DocUrl of the record is the address."""
    async with Storage(answer(b"file")) as storage:
        doc_url: str | None = f"{storage.url}/46/1"

        def handler(request: Request) -> Answer:
            document = {"Id": 1, "StorageTypeId": "Cloud", "DocUrl": doc_url}
            return refusal if request.method == "POST" else Answer(body={"Data": document})

        async with Service(handler) as service, service.client() as client:
            assert await client.company().documents.download(1) == b"file"
            doc_url = ""
            with pytest.raises(DownloadError, match="no address") as caught:
                await client.company().documents.download(1)
    assert caught.value.operation == "download Document 1"


async def test_refusals_reach_the_caller() -> None:
    """A document that is not there, and whatever else the service refuses."""
    async with Service(lambda _: error(400, "BUSINESS_LOGIC_ERROR")) as service, service.client() as client:
        with pytest.raises(BusinessRuleError):
            await client.company().documents.download(1)
        service.handler = lambda request: (
            error(400, "ERROR_CODE_1019")
            if request.method == "GET"
            else Answer(body={"CommandResult": {"Results": []}})
        )
        with pytest.raises(NotFoundError):
            await client.company().documents.download(1)


async def test_a_compressed_answer_is_unpacked(tmp_path: Path) -> None:
    """A storage may compress though nobody asked; its length is then that of something else."""
    seen: list[Any] = []
    packed = answer(gzip.compress(WHOLE), Content_Encoding="gzip")
    async with Storage(packed) as storage, company(storage.url) as acme:
        assert await acme.documents.download(1, progress=lambda *had: seen.append(had)) == WHOLE
    assert seen[-1] == (len(WHOLE), None)


async def test_redirects_are_followed() -> None:
    """A storage may send on to another region: relative or not, and still without a token."""
    async with Storage(answer(b"file")) as other:
        hops = [
            answer(status=302, Location="/b"),
            answer(status=307, Location=f"{other.url}/c?signature=y"),
        ]
        async with Storage(*hops) as storage, company(f"{storage.url}/a") as acme:
            assert await acme.documents.download(1) == b"file"
    paths = [request.split(" ")[1] for request in storage.requests + other.requests]
    assert paths == ["/a", "/b", "/c?signature=y"]
    assert "authorization" not in "".join(other.requests).lower()


async def test_a_download_is_counted_and_logged(
    wosdk_client: Client, wosdk_faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    """As one call with its outcome, besides the calls that find the file's address."""
    caplog.set_level(logging.DEBUG, "wosdk_async")
    acme = wosdk_client.company()
    made = await acme.documents.attach(Customer(id=512), b"x", file_name="a.txt")
    assert await acme.documents.download(made) == b"x"
    wosdk_faults.add("status", status=404, operation="other")
    with pytest.raises(DownloadError):
        await acme.documents.download(made)
    assert wosdk_client.stats().outcomes == {"done": 6, "DownloadError": 1}
    calls = [text for text in caplog.messages if text.startswith("call: ") and "download Document" in text]
    assert ["error=DownloadError" in text for text in calls] == [False, True]
