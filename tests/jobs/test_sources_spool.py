"""Stdin and URLs are copied into a folder, whole or not at all, and no message has credentials."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import respx

from wosdk_async.httpx_family import CORES
from wosdk_async.jobs import ImportMapError, open_source
from wosdk_async.jobs.inputs import open_input
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.jobs.sources.formats import FORMATS, Format
from wosdk_async.jobs.sources.spool import is_remote, shown_source, spool

TEXT = b"a\n1\n"
URL = "https://me:secret@files.test/out/rows.TSV?sig=secret#secret"


class Stdin:
    """Stdin that is a pipe, or a terminal."""

    def __init__(self, content: bytes, *, terminal: bool = False) -> None:
        self.buffer = io.BytesIO(content)
        self.isatty = lambda: terminal


@pytest.fixture(params=["httpx", "httpx2"])
def web(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[respx.MockRouter]:
    """The web over httpx; and over httpx2, where httpx cannot be imported."""
    if request.param == "httpx2":
        monkeypatch.setitem(sys.modules, "httpx", None)
    with respx.mock(using=CORES[request.param], assert_all_called=False) as router:
        yield router


def refused(folder: Path, source: str, limit: int = 1000) -> str:
    """The message of a source that is refused; nothing stays in the folder."""
    with pytest.raises(ImportMapError) as caught:
        spool(source, folder, limit)
    assert list(folder.iterdir()) == []
    assert "secret" not in caught.value.message
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("-", "stdin"),
        ("rows.csv", "rows.csv"),
        ("C:\\rows.csv", "C:\\rows.csv"),
        ("https://me:secret@h:8443/a/b.csv?sig=secret#x", "https://h:8443/a/b.csv"),
        ("s3://key:secret@bucket/x.csv", "s3://bucket/x.csv"),
        ("zip://a.csv::s3://key:secret@b/x.zip", "zip://..."),
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
    assert refused(tmp_path, "-").startswith("stdin is a terminal; name a file, or pipe one in")


def test_a_source_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"x" * 1001))
    assert refused(tmp_path, "-") == "stdin: it is larger than 1,000 bytes; save it as a file first"
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
    with pytest.raises(ImportMapError, match=r"stdin: it cannot be read to its end \(OSError\)"):
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
    assert folder is not None
    assert [path.suffixes[-2:] for path in folder.iterdir()] == [[".rows", ".csv"]]


# --- URLs -----------------------------------------------------------------------------------


def test_a_url_is_copied_with_its_suffix(tmp_path: Path, web: respx.MockRouter) -> None:
    route = web.get(host="files.test").respond(content=b"a\tb\n1\t2\n")
    path = spool(URL, tmp_path)
    assert path == tmp_path / "input.tsv"
    assert [row.cells for row in open_source(path)] == [{"a": "1", "b": "2"}]
    assert route.calls.last.request.headers["authorization"].startswith("Basic ")
    assert spool(URL, tmp_path, format="csv").name == "input.csv"
    web.get(host="plain.test").respond(content=TEXT)
    assert spool("http://plain.test/export.php?id=1", tmp_path).name == "input.csv"


def test_redirects_lead_from_https_to_https_only(tmp_path: Path, web: respx.MockRouter) -> None:
    web.get("https://files.test/final").respond(content=TEXT)
    web.get("https://other.test/x").respond(302, headers={"location": "https://files.test/final?secret"})
    web.get("https://files.test/rows").respond(307, headers={"location": "https://other.test/x?secret"})
    web.get("https://files.test/relative").respond(301, headers={"location": "/final"})
    for name in ("rows", "relative"):
        assert spool(f"https://files.test/{name}", tmp_path).read_bytes() == TEXT
        (tmp_path / "input.csv").unlink()
    assert "authorization" not in web.calls.last.request.headers

    web.get("https://files.test/down").respond(302, headers={"location": "http://me:secret@files.test/final"})
    web.get("http://files.test/up").respond(302, headers={"location": "https://files.test/final"})
    web.get("https://files.test/file").respond(302, headers={"location": "file:///etc/passwd"})
    for source, target in [
        ("https://files.test/down", "http://files.test/final"),
        ("http://files.test/up", "https://files.test/final"),
        ("https://files.test/file", "file:///etc/passwd"),
    ]:
        message = refused(tmp_path, source)
        assert message.startswith(
            f"{source}: it redirects to {target}, and only redirects from https to https"
        )

    web.get("https://files.test/circle").respond(302, headers={"location": "/circle"})
    assert "more than 5 redirects" in refused(tmp_path, "https://files.test/circle")


def test_credentials_are_not_sent_to_where_a_redirect_leads(tmp_path: Path, web: respx.MockRouter) -> None:
    web.get("https://other.test/x").respond(content=TEXT)
    web.get(host="files.test").respond(302, headers={"location": "https://other.test/x"})
    spool(URL, tmp_path)
    first, second = (call.request for call in web.calls)
    assert "authorization" in first.headers
    assert "authorization" not in second.headers


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (httpx.Response(403), "https://files.test/out/rows.TSV: the response has status 403; check address"),
        (httpx.Response(206, content=TEXT), "has status 206"),
        (httpx.Response(200, content=b"x" * 1001), "larger than 1,000 bytes"),
        (httpx.ConnectError("secret"), "it cannot be read (ConnectError); try again, or download"),
        (httpx.RemoteProtocolError("peer closed connection"), "it cannot be read (RemoteProtocolError)"),
    ],
)
def test_a_response_that_is_not_the_file_is_refused(
    tmp_path: Path, web: respx.MockRouter, answer: httpx.Response | Exception, message: str
) -> None:
    if isinstance(answer, httpx.Response):
        web.get(host="files.test").mock(return_value=answer)
    else:
        web.get(host="files.test").mock(side_effect=answer)
    assert message in refused(tmp_path, URL)


def test_a_response_that_ends_early_is_refused(tmp_path: Path, web: respx.MockRouter) -> None:
    def content() -> Iterator[bytes]:
        yield TEXT
        raise httpx.ReadError("secret")

    web.get(host="files.test").respond(stream=content())
    assert "it cannot be read (ReadError)" in refused(tmp_path, URL)


def test_other_protocols_are_those_of_fsspec(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://bucket/rows.jsonl", "wb") as file:
        file.write(b'{"a": 1}\n')
    path = spool("memory://bucket/rows.jsonl", tmp_path)
    assert (path.name, path.read_bytes()) == ("input.jsonl", b'{"a": 1}\n')
    path.unlink()
    assert "it cannot be opened (FileNotFoundError)" in refused(tmp_path, "memory://me:secret@b/x.csv?secret")
    assert "it cannot be opened (ValueError); check protocol" in refused(tmp_path, "nothing://secret@b/x.csv")


def test_without_the_extra_its_name_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert refused(tmp_path, "s3://k:secret@bucket/x.csv").startswith(
        "s3://bucket/x.csv: URLs other than https need the extra 'files'; run pip install '"
    )


def test_certificates_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable, not the file of the job."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing"))
    assert f"SSL_CERT_FILE is '{tmp_path}/missing'" in refused(tmp_path, "https://files.test/rows.csv")
