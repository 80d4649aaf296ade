"""Attaching files and links: what is sent, and what is refused before anything is."""

from __future__ import annotations

import array
import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.facts import having
from tests.support.laws import each_of
from tests.support.service import RESET, Answer, Request, Service, error
from wosdk_async import (
    BusinessRuleError,
    Client,
    Contact,
    Credentials,
    Customer,
    DeadlineError,
    DryRun,
    InDoubtError,
    InvalidCallError,
    Location,
    NotFoundError,
    Ref,
    Specialty,
    WorkOrder,
)

MADE = Answer(body={"EntitySpecifier": {"ConcurrencyId": 1, "EntityType": "Document", "Id": 70021}})
PICTURE = Answer(body={"Entities": [{"Data": {"DisplayAs": "Picture", "Id": 3}}]})


def known(request: Request) -> Answer:
    """Return a service that knows one document type."""
    return PICTURE if "/query/" in request.path else MADE


async def sent(owner: Any, source: Any, **options: Any) -> dict[str, Any]:
    """Return the Entity that an upload would send; nothing is sent."""
    dry = DryRun()
    async with Client(credentials=Credentials("id", "s"), company="Acme", before_send=dry) as client:
        await client.company().documents.attach(owner, source, **options)
    ((_, call),) = dry.calls
    entity: dict[str, Any] = json.loads(call.body or b"")["Entity"]
    return entity


async def stream(pieces: Sequence[Any]) -> AsyncIterator[Any]:
    for piece in pieces:
        yield piece


@each_of("begun", [False, True])
@each_of("limited", [lambda acme: acme.within(0.05), lambda acme: acme.with_options(deadline=0.05)])
async def test_a_source_that_stalls_ends_by_the_deadline(limited: Any, begun: bool) -> None:
    """Nothing was sent, and the source was closed."""
    closed: list[bool] = []

    async def stalling() -> AsyncIterator[bytes]:
        try:
            if begun:
                yield b"x"
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    async with Service(known) as service, service.client() as client:
        async with asyncio.timeout(20):
            with pytest.raises(DeadlineError, check=having(phase="source")):
                await limited(client.company()).documents.attach(1, stalling(), file_name="a")
    assert (service.calls, closed) == ([], [True])


@pytest.mark.parametrize("piece", [b"", b"x"])
async def test_a_source_that_never_waits_ends_by_the_deadline(piece: bytes) -> None:
    """However small its pieces are; other tasks run meanwhile."""

    async def hurrying() -> AsyncIterator[bytes]:
        for _ in range(3_000_000):
            yield piece

    async with Service() as service, service.client() as client:
        acme = client.company().with_options(deadline=0.1)
        with pytest.raises(DeadlineError) as caught:
            await acme.documents.attach(7, hurrying(), file_name="a.bin")
    assert (caught.value.phase, service.calls) == ("source", [])


async def test_the_time_of_a_source_counts_towards_the_deadline() -> None:
    """What the source leaves of it is the call's, and a time-out of the source's own is its own."""
    late = TimeoutError("the program's own")

    async def timing_out() -> AsyncIterator[bytes]:
        yield b"x"
        raise late

    async def slow() -> AsyncIterator[bytes]:
        time.sleep(0.06)  # noqa: ASYNC251 - uses up the deadline without a turn of the loop
        yield b"x"

    async with Service(known) as service, service.client() as client:
        acme = client.company().with_options(deadline=0.05)
        with pytest.raises(TimeoutError) as caught:
            await acme.documents.attach(1, timing_out(), file_name="a")
        assert caught.value is late
        with pytest.raises(DeadlineError):
            await acme.documents.attach(1, slow(), file_name="a")
    assert service.calls == []


async def test_the_body_of_the_sample() -> None:
    """facts 3.10: the create of a document with a Blob, member for member as in the sample."""
    async with Service(known) as service, service.client() as client:
        made = await client.company().documents.attach(
            WorkOrder(id=90417),
            b"sample picture bytes",
            file_name="belt.jpg",
            title="Worn belt",
            doc_type="Picture",
            shared=True,
            public=True,
        )
    query, create = service.calls
    assert query.json["QueryExpression"]["Criteria"]["Conditions"] == [
        {"PropertyName": "DisplayAs", "Operator": "Equal", "Values": ["Picture"]}
    ]
    assert (create.method, create.path) == ("POST", "/api/v1/base/Document")
    assert create.json == {
        "Entity": {
            "ActorId": 90417,
            "ActorTypeId": "WO",
            "Title": "Worn belt",
            "IsShared": True,
            "IsPublic": True,
            "StorageTypeId": "Cloud",
            "MimeType": "image/jpeg",
            "DocType": {"Id": 3, "DisplayAs": "Picture"},
            "Blob": {"FileName": "belt.jpg", "Body": "c2FtcGxlIHBpY3R1cmUgYnl0ZXM="},
        }
    }
    assert (made.id, made.concurrency_id) == (70021, 1)


@given(st.lists(st.binary(max_size=7), min_size=1).filter(any))
async def test_any_chunking_gives_the_same_text(pieces: list[bytes]) -> None:
    """Base64 goes by three bytes, and pieces of a stream do not: what is left over is carried on."""
    whole = b"".join(pieces)
    entity = await sent(1, stream(pieces), file_name="a")
    assert entity["Blob"] == {"FileName": "a", "Body": base64.b64encode(whole).decode()}


@given(st.text(min_size=1).filter(str.strip), st.text(), st.text())
async def test_texts_around_a_file_do_not_touch_it(name: str, title: str, description: str) -> None:
    """Quotes, braces and line breaks in names stay where they are."""
    entity = await sent(1, b"abc", file_name=name, title=title, description=description)
    assert entity["Blob"] == {"FileName": name, "Body": "YWJj"}
    assert (entity["Title"], entity["Description"]) == (title or name, description)


async def test_sources_of_every_kind_give_the_same(tmp_path: Path) -> None:
    """A path as text or object, bytes in any form, and a stream; large enough to be read in several steps."""
    numbers = array.array("I", range(600_001))
    whole = numbers.tobytes()
    path = tmp_path / "numbers.bin"
    path.write_bytes(whole)
    backwards = memoryview(whole[::-1])[::-1]
    sources = [path, str(path), whole, bytearray(whole), memoryview(numbers), backwards, stream([whole, b""])]
    bodies = {(await sent(1, source, file_name="n"))["Blob"]["Body"] for source in sources}
    assert bodies == {base64.b64encode(whole).decode()}


@each_of(
    ("name", "mime_type", "doc_type"),
    [
        ("belt.jpg", "image/jpeg", {"Id": 3, "DisplayAs": "Picture"}),
        ("Belt.PNG", "image/png", {"Id": 3, "DisplayAs": "Picture"}),
        ("quote.pdf", "application/pdf", {"Id": 32}),
        ("log.tar.gz", "application/octet-stream", {"Id": 32}),
        ("README", "application/octet-stream", {"Id": 32}),
    ],
)
async def test_required_members_are_always_sent(name: str, mime_type: str, doc_type: Any) -> None:
    """facts 3.10: DocType.Id and StorageTypeId are needed, and MimeType decides; it comes from the name."""
    entity = await sent(1, b"a", file_name=name)
    assert (entity["MimeType"], entity["DocType"]) == (mime_type, doc_type)
    assert (entity["StorageTypeId"], entity["Title"]) == ("Cloud", name)
    chosen = await sent(1, b"a", file_name=name, mime_type="text/x", doc_type=7)
    assert (chosen["MimeType"], chosen["DocType"]) == ("text/x", {"Id": 7})


@each_of(
    ("owner", "options", "kind"),
    [
        (7, {}, "WO"),
        (Ref(7), {}, "WO"),
        (WorkOrder(id=7), {}, "WO"),
        (Customer(id=7), {}, "CommLease"),
        (Contact(id=7), {}, "LeaseUser"),
        (Location.ref(7), {}, "Asset"),
        (Specialty(id=7), {"actor_type": "Model"}, "Model"),
        (7, {"actor_type": "Asset"}, "Asset"),
    ],
)
async def test_owners(owner: Any, options: Any, kind: str) -> None:
    """A record tells its kind, an id alone is a work order's, and what is given wins."""
    entity = await sent(owner, b"a", file_name="a", **options)
    assert (entity["ActorId"], entity["ActorTypeId"]) == (7, kind)


async def test_what_cannot_be_sent_is_told_before(tmp_path: Path) -> None:
    """Faults of the caller: an exception that names the remedy, and not a byte to the service."""
    (tmp_path / "empty.txt").touch()
    (tmp_path / "long.txt").write_bytes(bytes(3_000_000))
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (1, b"a", {}, "file_name="),
        (1, b"", {"file_name": "a"}, "empty"),
        (1, tmp_path / "empty.txt", {}, "empty"),
        (1, tmp_path, {"file_name": "a"}, "not a regular file"),
        (1, 5, {"file_name": "a"}, "an int cannot be uploaded"),
        (1, stream(["text"]), {"file_name": "a"}, "yielded a str"),
        (WorkOrder(), b"a", {"file_name": "a"}, "without an id"),
        (Specialty(id=1), b"a", {"file_name": "a"}, "actor_type="),
        (1, b"a", {"file_name": "a", "doc_type": True}, "doc_type"),
        (1, tmp_path / "long.txt", {"max_bytes": 9}, "at least 3000000 bytes, and max_bytes is 9"),
        (1, tmp_path / "none.txt", {}, "none.txt' cannot be read: No such file or directory; pass the path"),
        (1, b"0123456789", {"file_name": "a", "max_bytes": 9, "doc_type": "Picture"}, "max_bytes is 9"),
    ]
    async with Service(known) as service, service.client() as client:
        for owner, source, options, words in cases:
            with pytest.raises(InvalidCallError, match=words):
                await client.company().documents.attach(owner, source, **options)
    assert service.calls == service.tokens == []


async def test_a_stream_is_read_no_further_than_the_limit() -> None:
    """An endless stream ends at the first piece beyond it."""
    given = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal given
        while True:
            given += 1
            yield b"0123456789"

    with pytest.raises(InvalidCallError, match="max_bytes is 100"):
        await sent(1, endless(), file_name="a", max_bytes=100)
    assert given == 11


async def test_an_upload_without_an_answer_is_in_doubt() -> None:
    """It is a create: sent once, and the caller is told that nobody knows."""
    async with Service(lambda _: RESET) as service, service.client() as client:
        with pytest.raises(InDoubtError):
            await client.company().documents.attach(1, b"a", file_name="a")
    assert len(service.calls) == 1


async def test_refusals_reach_the_caller() -> None:
    """What the service refuses is raised as ever; a type that it does not know is named."""
    refusal = error(400, "BUSINESS_LOGIC_ERROR", "`DocType.Id` is a required field")
    async with Service(lambda _: refusal) as service, service.client() as client:
        with pytest.raises(BusinessRuleError, check=having(code="BUSINESS_LOGIC_ERROR")):
            await client.company().documents.attach(1, b"a", file_name="a")
        service.handler = lambda _: Answer(body={"Entities": []})
        with pytest.raises(NotFoundError, match="'Painting'"):
            await client.company().documents.attach(1, b"a", file_name="a", doc_type="Painting")
