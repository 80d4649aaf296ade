"""Links as documents: the body of the sample, and which addresses may be one."""

from __future__ import annotations

import pytest

from tests.documents.storage import Storage, answer
from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import DownloadError, InvalidCallError, WorkOrder

MADE = Answer(body={"EntitySpecifier": {"ConcurrencyId": 1, "EntityType": "Document", "Id": 70022}})


async def test_the_body_of_the_sample() -> None:
    """facts 3.10: StorageTypeId URL with DocUrl, as in the sample."""
    async with Service(lambda _: MADE) as service, service.client() as client:
        made = await client.company().documents.link(
            WorkOrder(id=90417),
            "https://manuals.example/ah-3",
            title="Air handler manual",
            description="Maker manual",
            doc_type=9,
        )
    assert made.id == 70022
    assert service.calls[0].json == {
        "Entity": {
            "ActorId": 90417,
            "ActorTypeId": "WO",
            "Title": "Air handler manual",
            "Description": "Maker manual",
            "StorageTypeId": "URL",
            "MimeType": "url",
            "DocUrl": "https://manuals.example/ah-3",
            "DocType": {"Id": 9},
        }
    }


@each_of(
    "url",
    [
        "",
        "manuals.example/ah-3",
        "ftp://manuals.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://",
        "https://user:secret@manuals.example/",
        "https://manuals.example/a b",
        "https://manuals.example/\r\nX: y",
        "https://manuals.example/\x00",
        "https://manuals.example:99999/",
        "https://manuals.example/" + "a" * 2048,
    ],
)
async def test_what_is_no_link_is_not_sent(url: str) -> None:
    """Only plain http and https addresses, without control characters and not too long."""
    async with Service(lambda _: MADE) as service, service.client() as client:
        with pytest.raises(InvalidCallError, match="the link is"):
            await client.company().documents.link(1, url, title="a")
    assert service.calls == []


@pytest.mark.parametrize("storage_type", ["URL", "url", "Unknown", "", None, 5, ["Cloud"]])
async def test_what_is_no_file_is_not_opened(storage_type: object) -> None:
    """The author of a link chooses its address: a download would send requests from here to any host."""
    async with Storage(answer(b"internal")) as storage:
        results = [{"DocumentId": 7, "Url": storage.url, "FileName": "a.jpg"}]
        data = {"Id": 7, "StorageTypeId": storage_type, "DocUrl": storage.url}
        found = Answer(body={"CommandResult": {"Results": results}, "Data": data})
        async with Service(lambda _: found) as service, service.client() as client:
            with pytest.raises(DownloadError, match="document 7 is not a file") as caught:
                await client.company().documents.download(7)
    assert storage.requests == []
    assert storage.url not in str(caught.value), "an address may be signed"
