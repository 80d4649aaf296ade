"""Stdin and URLs are copied into a folder, whole or not at all, and no message has credentials."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import os
import resource
import ssl
import subprocess
import sys
from pathlib import Path, PurePosixPath

import httpx
import pytest
import respx

from tests.engine.proxy import Proxy
from tests.engine.raw import RawServer, request
from tests.support.certificates import certificate_file
from tests.support.frames import leaks
from tests.support.laws import each_of
from tests.support.preloaded import python
from tests.support.waiting import until
from wosdk_async.jobs import ImportMapError, open_source
from wosdk_async.jobs.imports.inputs import open_input
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.jobs.sources.formats import FORMATS, Format
from wosdk_async.jobs.sources.spool import is_remote, shown_source, spool

TEXT = b"a\n1\n"


class Stdin:
    """Stdin that is a pipe, or a terminal."""

    def __init__(self, content: bytes, *, terminal: bool = False) -> None:
        self.buffer = io.BytesIO(content)
        self.isatty = lambda: terminal


def refused(folder: Path, source: str, limit: int = 1000, seconds: float = 60) -> str:
    """The message of a source that is refused; nothing stays in the folder."""
    with pytest.raises(ImportMapError) as caught:
        spool(source, folder, limit, seconds=seconds)
    assert list(folder.iterdir()) == []
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert leaks(caught.value, {"URL": "secret"}) == set()
    return str(caught.value)


@each_of(
    ("source", "shown"),
    [
        ("-", "stdin"),
        ("rows.csv", "rows.csv"),
        ("C:\\rows.csv", "C:\\rows.csv"),
        ("https://me:secret@h:8443/a/b.csv?sig=secret#x", "https://h:8443/a/b.csv"),
        ("s3://key:secret@bucket/x.csv", "s3://bucket/x.csv"),
        ("zip://a.csv::s3://key:secret@b/x.zip", "zip://..."),
        ("simplecache::https://me:secret@h/b.csv?sig=secret", "simplecache::https://..."),
        ("https://[secret/x?secret", "https://..."),
        ("https://h:secret/x", "https://..."),
    ],
)
def test_what_is_shown_of_a_source_has_no_credentials(source: str, shown: str) -> None:
    assert shown_source(source) == shown
    assert is_remote(source) == (source != shown or "://" in source)


@pytest.mark.parametrize(
    ("format", "name"), [(None, "input.csv"), ("tsv", "input.tsv"), (".JSONL", "input.jsonl")]
)
def test_stdin_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str | None, name: str
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(TEXT * 1_000_000))
    path = spool("-", tmp_path, format=format)
    assert (path, path.read_bytes()) == (tmp_path / name, TEXT * 1_000_000)
    assert list(tmp_path.iterdir()) == [path]


def test_a_terminal_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"", terminal=True))
    assert refused(tmp_path, "-") == "stdin is a terminal; name a file, or pipe one in"


def test_a_source_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"x" * 1001))
    assert refused(tmp_path, "-") == "stdin is larger than 1,000 bytes; save the data as a file first"
    monkeypatch.setattr(sys, "stdin", Stdin(b"x" * 1000))
    assert spool("-", tmp_path, 1000).stat().st_size == 1000


def test_a_copy_that_fails_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "input.csv").write_bytes(TEXT)

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise OSError(5, "Input/output error")
            return super().read(3)

    broken = Stdin(b"")
    broken.buffer = Broken(b"xyzxyz")
    monkeypatch.setattr(sys, "stdin", broken)
    with pytest.raises(ImportMapError, match=r"stdin: reading failed \(OSError\)"):
        spool("-", tmp_path)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("input.csv", TEXT)]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(TEXT))
    with pytest.raises(ImportMapError, match=r"none/input\.csv: No such file or directory"):
        spool("-", tmp_path / "none")


def test_a_copy_keeps_a_double_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resume opens the copy by its suffix."""
    monkeypatch.setitem(FORMATS, ".rows.csv", Format(CsvFile))
    monkeypatch.setattr(sys, "stdin", Stdin(TEXT))
    folder = open_input("-", tmp_path / "x.job", format="rows.csv").folder
    assert [path.suffixes[-2:] for path in folder.iterdir()] == [[".rows", ".csv"]]


def copying(folder: Path) -> subprocess.Popen[bytes]:
    """Start a process that copies stdin, of which the beginning has come."""
    code = "import sys, pathlib; from wosdk_async.jobs.imports.inputs import open_input; "
    code += "open_input('-', pathlib.Path(sys.argv[1]))"
    before = list(folder.glob("input.*"))
    process = python(code, folder, stdin=subprocess.PIPE)
    process.stdin.write(TEXT * 300_000)
    process.stdin.flush()
    until(
        lambda: any(
            path.stat().st_size for path in folder.glob("*/input.csv.part") if path.parent not in before
        ),
        seconds=60,
    )
    return process


def test_what_a_killed_start_has_copied_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not what another process copies just now, nor what a link of such a name leads to."""
    folder, other = tmp_path / "x.job", tmp_path / "other"
    with copying(folder) as killed, copying(folder) as alive:
        killed.kill()
        killed.wait()
        other.mkdir()
        (other / "input.csv").write_bytes(TEXT)
        (folder / "input.part.link").symlink_to(other)
        assert len(list(folder.iterdir())) == 3
        monkeypatch.setattr(sys, "stdin", Stdin(TEXT))
        open_input("-", folder)
        assert len([each for each in folder.iterdir() if each.is_dir() and not each.is_symlink()]) == 1
        alive.communicate()
        assert alive.returncode == 0
    assert [path.name for path in other.iterdir()] == ["input.csv"]
    left = sorted(path.name for path in folder.iterdir())
    assert [name for name in left if name.startswith("input.part")] == ["input.part.link"]
    assert len(left) == 3  # with a copy of each


# --- URLs -----------------------------------------------------------------------------------


class Web:
    """Responses by the path of the request; ``requests`` has the heads."""

    def __init__(self, **pages: bytes) -> None:
        self.pages = pages
        self.requests: list[str] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append((await request(reader)).decode())
        path = self.requests[-1].split(" ")[1]
        writer.write(self.pages[PurePosixPath(path.partition("?")[0]).stem])


def found(body: bytes, *, status: int = 200, length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    return b"HTTP/1.1 %d Status\r\nContent-Length: %d\r\n\r\n%b" % (status, length, body)


def moved(target: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()


NAMES = "IP:127.0.0.1,DNS:xn--bcher-kva.test"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate_file(tmp_path_factory.mktemp("made") / "its.pem", NAMES)


@pytest.fixture
def context(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """The certificate of a server, which is trusted."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate)
    return made


async def test_a_url_is_copied_with_its_suffix(tmp_path: Path, context: ssl.SSLContext) -> None:
    web = Web(rows=found(b"a\tb\n1\t2\n"), export=found(TEXT))
    async with RawServer(web, context) as server, RawServer(web) as plain:
        url = f"{server.url.replace('//', '//me:secret@')}/out/rows.TSV?sig=s cret#secret"
        path = await asyncio.to_thread(spool, url, tmp_path)
        assert path == tmp_path / "input.tsv"
        assert [row.cells for row in open_source(path)] == [{"a": "1", "b": "2"}]
        assert (await asyncio.to_thread(spool, url, tmp_path, format="csv")).name == "input.csv"
        web.pages[""] = found(TEXT)
        for url in (f"{plain.url}/export.php?id=1", f"{plain.url}?id=1"):
            assert (await asyncio.to_thread(spool, url, tmp_path)).read_bytes() == TEXT
    assert web.requests[0].startswith("GET /out/rows.TSV?sig=s%20cret HTTP/1.1\r\n")
    assert "\r\nAuthorization: Basic bWU6c2VjcmV0\r\n" in web.requests[0]
    assert "authorization" not in web.requests[2].lower()


async def test_a_password_is_not_sent_unencrypted(tmp_path: Path, context: ssl.SSLContext) -> None:
    """To this machine it is: nobody else reads there."""
    del context  # without a proxy of the environment
    message = await asyncio.to_thread(refused, tmp_path, "HTTP://me:secret@192.0.2.1/rows.csv")
    assert message == "http://192.0.2.1/rows.csv: http would send the password unencrypted; use https"
    web = Web(rows=found(TEXT))
    async with RawServer(web) as plain:
        url = f"{plain.url.replace('//', '//me:secret@')}/rows.csv"
        assert (await asyncio.to_thread(spool, url, tmp_path)).read_bytes() == TEXT
    assert "\r\nAuthorization: Basic " in web.requests[0]


async def test_a_body_that_was_compressed_twice_is_refused(tmp_path: Path) -> None:
    """Else 5 KB could become 3 GB."""
    body = gzip.compress(gzip.compress(bytes(1 << 20)))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: %d\r\n\r\n"
    async with RawServer(Web(rows=head % len(body) + body)) as server:
        message = await asyncio.to_thread(refused, tmp_path, f"{server.url}/rows.csv")
    assert "compressed more than once" in message


async def test_a_body_that_is_compressed_is_bounded_as_it_is_decompressed(tmp_path: Path) -> None:
    body = gzip.compress(bytes(48 << 20))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    async with RawServer(Web(rows=head % len(body) + body)) as server:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        message = await asyncio.to_thread(refused, tmp_path, f"{server.url}/rows.csv", 1 << 20)
    assert "larger than 1,048,576 bytes" in message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"], ids=["head", "body"]
)
async def test_a_download_has_one_deadline(tmp_path: Path, sent: bytes) -> None:
    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(sent)
        with contextlib.suppress(ConnectionError):
            await reader.read()  # until the client closes

    async with RawServer(stall) as server:
        message = await asyncio.to_thread(refused, tmp_path, f"{server.url}/rows.csv", seconds=0.2)
    assert "more than 0.2 s" in message


async def test_redirects_lead_from_https_to_https_only(tmp_path: Path, context: ssl.SSLContext) -> None:
    """User and password are for the host of the first address alone."""
    web = Web(final=found(TEXT))
    async with RawServer(web, context) as server, RawServer(web, context) as other:
        host = server.url.partition("//")[2]
        web.pages |= {
            "rows": moved(f"{other.url}/x?secret"),
            "x": moved(f"{server.url}/final?secret"),
            "relative": moved("/final"),
            "down": moved(f"http://me:secret@{host}/final"),
            "file": moved("file:///etc/passwd"),
            "broken": moved("https://[secret"),
            "circle": moved("/circle"),
        }
        for name in ("rows", "relative"):
            url = f"https://me:secret@{host}/{name}"
            assert (await asyncio.to_thread(spool, url, tmp_path)).read_bytes() == TEXT
            (tmp_path / "input.csv").unlink()
        assert ["Authorization" in each for each in web.requests] == [True, False, False, True, True]
        for name, said in {
            "down": f" redirects to http://{host}/final, but only redirects from https to https",
            "file": " redirects to file:///etc/passwd, but only redirects from https to https",
            "broken": " redirects to an invalid URL",
            "circle": ": more than 5 redirects",
        }.items():
            url = f"{server.url}/{name}"
            assert (await asyncio.to_thread(refused, tmp_path, url)).startswith(f"{url}{said}")
    async with RawServer(Web(up=moved(f"https://{host}/final"))) as plain:
        assert "only redirects from https" in await asyncio.to_thread(refused, tmp_path, f"{plain.url}/up")


@each_of(
    ("response", "said"),
    [
        (found(b"secret", status=403), "the server responded with status 403; check the URL"),
        (found(TEXT, status=206), "the server responded with status 206"),
        (found(b"x" * 1001), "is larger than 1,000 bytes"),
        (found(b""), "is empty"),
        (found(TEXT, length=50), "closed the connection in the middle of its response; try again"),
        (b"", "try again; or download the file first"),
        (b"HTTP/1.1 200 OK\r\nX: sig=secret\0\r\n\r\n", "the response cannot be read"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx",
            "other than gzip",
        ),
    ],
)
async def test_a_response_that_is_not_the_file_is_refused(tmp_path: Path, response: bytes, said: str) -> None:
    async with RawServer(Web(rows=response)) as server:
        url = f"{server.url}/rows.csv"
        message = await asyncio.to_thread(refused, tmp_path, f"{url}?sig=secret")
    assert message.startswith(url)
    assert said in message


def test_an_error_that_repeats_what_is_secret_in_a_url(tmp_path: Path) -> None:
    """That of a mock, which sends in the place of our engine."""
    url = "https://me:secret@files.test/rows.csv?sig=secret"
    with respx.mock() as router:
        router.get(host="files.test").mock(side_effect=httpx.ConnectError("of me:secret: ?sig=secret"))
        assert "ConnectError: of ***: ?***; try again" in refused(tmp_path, url)


@pytest.mark.parametrize("query", ["", "?sig=secret"])
def test_no_frame_of_an_error_shows_what_is_secret_in_a_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"http://me:secret@127.0.0.1:1/rows.csv{query}"
    with pytest.raises(ImportMapError, match=r"127\.0\.0\.1:1") as caught:
        open_input(url)
    assert leaks(caught.value, {"URL": "secret"}) == set()


async def test_a_proxy_of_the_environment_leads_to_a_url(
    tmp_path: Path, context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks up the name, which may have letters of any language."""
    async with Proxy() as proxy, RawServer(Web(rows=found(TEXT)), context) as server:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{proxy.address}")
        port = server.url.rpartition(":")[2]
        url = f"https://b\u00fccher.test:{port}/rows.csv"
        assert (await asyncio.to_thread(spool, url, tmp_path)).read_bytes() == TEXT
    assert proxy.heads[0].startswith(f"CONNECT xn--bcher-kva.test:{port} HTTP/1.1".encode())


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("SSL_CERT_FILE", "/missing", "SSL_CERT_FILE is '/missing', which is unusable"),
        ("HTTPS_PROXY", "ftp://me:secret@proxy:1", "HTTPS_PROXY is not the address of a proxy"),
        ("HTTPS_PROXY", "http://me:secret@127.0.0.1:1", "the proxy http://127.0.0.1:1: "),
    ],
)
def test_a_variable_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    """The message names the variable or the proxy, not the file of the job."""
    monkeypatch.setenv(variable, value)
    assert refused(tmp_path, "https://files.test/rows.csv").startswith(f"https://files.test/rows.csv: {said}")


@pytest.mark.parametrize("url", ["https://[secret/x?secret", "https://h:secret/x", "http://me:secret@/x"])
def test_an_address_that_cannot_be_read_is_not_shown(tmp_path: Path, url: str) -> None:
    assert refused(tmp_path, url).startswith(shown_source(url))


def test_other_protocols_are_those_of_fsspec(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://bucket/rows.jsonl", "wb") as file:
        file.write(b'{"a": 1}\n')
    path = spool("memory://bucket/rows.jsonl", tmp_path)
    assert (path.name, path.read_bytes()) == ("input.jsonl", b'{"a": 1}\n')
    path.unlink()
    assert "cannot be opened (FileNotFoundError)" in refused(tmp_path, "memory://me:secret@b/x.csv?secret")
    assert "cannot be opened (ValueError); check the URL" in refused(tmp_path, "nothing://secret@b/x.csv")


def test_without_the_extra_its_name_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    said = refused(tmp_path, "s3://k:secret@bucket/x.csv")
    assert said.startswith("s3://bucket/x.csv: URLs other than http and https need the extra 'files'; ")
