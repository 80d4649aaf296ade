"""Documents of the local service: files, links, and their addresses (facts 3.10)."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.sandbox.company import Caller, calling
from tests.support.laws import each_of
from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.seed.rows import load_rows, seed_rows
from wosdk_async.sandbox.storage.store import Store

FILE = bytes(range(256))


def make(acme: Caller, **members: Any) -> int:
    """Create a document of the air handler, or of the work order that ``ActorId`` names."""
    owner = {"ActorTypeId": "WO"} if "ActorId" in members else {"ActorId": 20440, "ActorTypeId": "Asset"}
    document = owner | {
        "DocType": {"Id": 9},
        "StorageTypeId": "Cloud",
        "MimeType": "image/png",
        "Blob": {"FileName": "a.png", "Body": base64.b64encode(FILE).decode()},
    }
    sent = {name: value for name, value in (document | members).items() if value is not None}
    made: int = acme.ok("POST", "base/Document", {"Entity": sent})["EntitySpecifier"]["Id"]
    return made


def url_of(acme: Caller, id: int) -> str:
    (result,) = acme.run("GetDocDownloadUrlCommand", DocumentIds=[id])["Results"]
    return str(result["Url"])


def test_a_file_opens_without_a_token(acme: Caller) -> None:
    """facts 3.10: DocUrl is a direct address; the file comes as it was sent, with its length."""
    id = make(acme)
    record = acme.get("Document", id)
    assert (record["DocUrl"], "Blob" in record) == (url_of(acme, id), False)
    response = acme.http.get(record["DocUrl"])
    assert (response.status_code, response.content) == (200, FILE)
    assert (response.headers["content-type"], response.headers["content-length"]) == ("image/png", "256")


@pytest.mark.parametrize("mime_type", ["text/html", "image/svg+xml", "application/pdf"])
def test_a_stored_page_runs_no_script(acme: Caller, mime_type: str) -> None:
    """It has the origin of the console: a browser must neither run it nor take it for another type."""
    response = acme.http.get(url_of(acme, make(acme, MimeType=mime_type)))
    assert response.headers["content-type"].partition(";")[0] == mime_type
    assert response.headers["content-security-policy"] == "sandbox"  # which allows nothing
    assert response.headers["x-content-type-options"] == "nosniff"


def test_addresses_cannot_be_guessed(acme: Caller) -> None:
    """Another document's key, none, or odd numbers: there is no such file."""
    first, second = (url_of(acme, make(acme)).split("/files/")[1].split("/") for _ in range(2))
    wrong = [
        [first[0], first[1], second[2]],
        [first[0], first[1], "0" * 32],
        [first[0], first[1], "ü"],
        ["47", *first[1:]],
        [first[0], "9" * 30, first[2]],
    ]
    for parts in wrong:
        assert acme.http.get(f"{acme.root}/files/{'/'.join(parts)}").status_code == 404


def test_one_result_for_each_document(acme: Caller) -> None:
    """In the order asked for; links have their own address, and what has none is left out."""
    link = make(acme, StorageTypeId="URL", DocUrl="https://manuals.example/ah-3", MimeType="url", Blob=None)
    file, bare = make(acme), make(acme, Blob=None)
    results = acme.run("GetDocDownloadUrlCommand", DocumentIds=[file, 999, bare, link])["Results"]
    assert [(record["DocumentId"], record["FileName"]) for record in results] == [(file, "a.png"), (link, "")]
    assert results[1]["Url"] == "https://manuals.example/ah-3"
    assert acme.get("Document", link)["DocUrl"] == "https://manuals.example/ah-3"
    for wrong in ({}, {"DocumentIds": []}, {"DocumentIds": "1"}, {"DocumentIds": ["1"]}):
        code = acme.refused("POST", "cmd/GetDocDownloadUrlCommand", {"Command": wrong})
        assert code in ("BUSINESS_LOGIC_ERROR", "INCORRECT_MODEL")


@each_of(
    ("mime_type", "stored"),
    [("IMAGE/PNG", 3), ("image/png; x=1", 3), ("application/pdf; x=1", 32), ("Application/PDF ;x=1", 32)]
    + [(other, None) for other in (None, "", "text/plain", "application/pdfx")],
)
def test_no_signature_is_stored(acme: Caller, mime_type: str | None, stored: int | None) -> None:
    """facts 3.10: the stored type follows MimeType, whatever was sent, and is never Signature."""
    for kind in ({"Id": 1}, {"DisplayAs": "Signature"}):
        document = {"StorageTypeId": "Cloud", "DocType": kind} | (
            {"MimeType": mime_type} if mime_type else {}
        )
        if stored is None:
            assert acme.refused("POST", "base/Document", {"Entity": document}) == "BUSINESS_LOGIC_ERROR"
        else:
            made = acme.ok("POST", "base/Document", {"Entity": document})["EntitySpecifier"]["Id"]
            assert acme.get("Document", made)["DocType"] == {"Id": stored}


def test_a_document_becomes_no_signature(acme: Caller, store: Store) -> None:
    """Neither by a PUT; one that was seeded, as a Company may have it from a device, can still be changed."""
    rows = seed_rows({"Document": [{"Id": 77, "DocType": {"Id": 1}, "StorageTypeId": "Cloud"}]})
    load_rows(store, store.companies()[0], rows, Moment(0))
    entity = {"Id": 77, "Title": "Signed", "DocType": {"Id": 1}}
    body = {"Properties": ["Title", "DocType.Id"], "Entity": entity}
    acme.ok("PUT", "base/Document", body)
    assert acme.get("Document", 77)["DocType"] == {"Id": 1}
    entity["Id"] = make(acme, MimeType="text/plain")
    assert acme.refused("PUT", "base/Document", body) == "BUSINESS_LOGIC_ERROR"


@each_of("body", ["AAA", "AA=A", "A A A", "ÄÄÄÄ", "AAAA\n", "====", "%%%%"])
def test_a_body_that_is_no_base64(acme: Caller, body: str) -> None:
    """facts 3.10: the schema has a pattern; a refused document leaves neither record nor file."""
    sent = {"DocType": {"Id": 9}, "StorageTypeId": "Cloud", "Blob": {"FileName": "a", "Body": body}}
    assert acme.refused("POST", "base/Document", {"Entity": sent}) == "BUSINESS_LOGIC_ERROR"
    assert acme.ids("Document") == acme.ids("Blob") == []


@pytest.mark.parametrize("mime_type", ["", "image/png\r\nX: y", "no type", "ü/ü", "a/" + "b" * 200])
def test_a_media_type_that_is_no_header(acme: Caller, mime_type: str) -> None:
    """A file's name and type get into the headers only if they are safe there."""
    response = acme.http.get(url_of(acme, make(acme, MimeType=mime_type)))
    assert (response.status_code, response.headers["content-type"]) == (200, "application/octet-stream")


def test_a_deleted_document_takes_its_file_along(acme: Caller) -> None:
    """The address leads nowhere, and the store does not keep the file."""
    id = make(acme)
    url = url_of(acme, id)
    acme.ok("DELETE", f"base/Document?ID={id}")
    assert acme.http.get(url).status_code == 404
    assert acme.ids("Blob") == []


def test_addresses_outlive_the_server(store: Store) -> None:
    """facts 3.10: an address does not expire; the key is the store's."""
    with calling(store) as acme:
        url = url_of(acme, make(acme))
    with calling(store) as acme:
        assert acme.http.get(url).content == FILE
