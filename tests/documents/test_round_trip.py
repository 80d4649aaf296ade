"""The client and the local Company: what was attached comes back."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.spec.local import create_request
from wosdk_async import Client, Company, Document, DocumentType, DownloadError, WorkOrder
from wosdk_async.sandbox import LocalCompany


@pytest.fixture(scope="module")
def variables(dialect: str) -> Iterator[dict[str, str]]:
    with LocalCompany(dialect=dialect) as local:
        yield local.variables


@pytest.fixture
async def acme(variables: dict[str, str]) -> AsyncIterator[Company]:
    async with Client.from_env(variables) as client:
        yield client.company()


async def test_files_come_back(acme: Company, tmp_path: Path) -> None:
    """A file of a work order, by its path, by name of its type, and from the list of the order."""
    whole = os.urandom(2_000_001)
    (tmp_path / "belt.jpg").write_bytes(whole)
    made = await acme.run("WoCreateCommand", create_request())
    order = WorkOrder(id=made["Wo"]["Id"])
    document = await acme.documents.attach(order, tmp_path / "belt.jpg", doc_type="PDF")
    read = await acme.get(WorkOrder, order.id or 0, properties=["Documents.*", "ActionLogRecords.*"])
    (kept,) = read.documents or ()
    assert (kept.id, kept.title, kept.mime_type) == (document.id, "belt.jpg", "image/jpeg")
    assert kept.doc_type == DocumentType(id=3)  # facts 3.10: it follows the media type
    assert len(read.action_log_records or ()) == 1  # spec 4.9 rule 5: the creation of the order
    assert await acme.documents.download(kept) == whole
    (tmp_path / "had").mkdir()
    target = await acme.documents.download(kept, tmp_path / "had")
    assert (target.name, target.read_bytes()) == (f"{kept.id}-belt.jpg", whole)


async def test_links_keep_their_address(acme: Company) -> None:
    """A link is a document too, and not downloaded, even from a host that files may come from."""
    order = await acme.run("WoCreateCommand", create_request())
    url = f"{acme.host}/api/v1/base/Customer/512"
    made = await acme.documents.link(order["Wo"]["Id"], url, title="Manual")
    document = await acme.get(Document, made.id or 0)
    assert (document.doc_url, document.storage_type_id) == (url, "URL")
    with pytest.raises(DownloadError, match=f"document {made.id} .*'URL'"):
        await acme.documents.download(document)
