"""Every sample of a request is what the client sends when a program asks for the same."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.samples import ask, ask_commands
from tests.samples.sample import COMPANY, comparable, load, names
from tests.support.laws import each_of
from tests.support.service import Answer, Request, Service, error
from wosdk_async import Company, Credentials
from wosdk_async.model import command_class, entity_class
from wosdk_async.protocol.validation import content_problems

Ask = Callable[[Company], Awaitable[Any]]
CASES: dict[str, Ask] = {
    name: function
    for module in (ask, ask_commands)
    for name, function in vars(module).items()
    if name.islower() and not name.startswith("_") and callable(function)
}
DONE = {"CommandResult": {}, "EntitySpecifier": {}, "Entities": [], "Data": {}}
MADE = {"CommandResult": {"Wo": {"Id": 7}, "NewSpace": {"Id": 7}}, "EntitySpecifier": {"Id": 7}}


def answer(request: Request) -> Answer:
    """Success, but for the one path that recordings do not confirm (facts 12 row 4)."""
    if request.path.endswith("/SendWorkOrder"):
        return error(400, "COMMAND_NOT_FOUND")
    creates = request.method == "POST" and ("Create" in request.path or "/base/" in request.path)
    return Answer(body=MADE if creates else DONE)


async def sent(name: str) -> Request:
    """The last request that the client sends for a case."""
    credentials = Credentials("sample-client-id", "sample-client-secret")
    async with Service(answer) as service, service.client(company=COMPANY, credentials=credentials) as client:
        service.on_token = lambda _: Answer(body=load("token", "response")["body"])
        await CASES[name](client.company())
    last = {"token": service.tokens, "discovery": service.discoveries}.get(name, service.calls)
    return last[-1]


def target(url: str) -> tuple[str, Any, list[str]]:
    """What a URL asks for: its path, the id in either of its two places (facts 3.1), the properties."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    path, _, last = parts.path.rpartition("/")
    given = query["ID"][0] if "ID" in query else last if last.isdigit() else None
    properties = query.get("properties", [""])[0].split(",")
    return (path if last.isdigit() else unquote(parts.path)), json.loads(given or "null"), properties


def meant(body: Any) -> Any:
    """A body without what says nothing: the client's own RequestId, and what a query is without being told.

    The builder of queries also puts ``Id`` behind other orders, so that pages have one order (facts 4).
    """
    if not isinstance(body, dict):
        return body
    body = {name: part for name, part in body.items() if name != "RequestId"}
    if "QueryExpression" in body:
        told = {"Distinct": False, "FirstResultIndex": 0} | body["QueryExpression"]
        told["Orders"] = [order for order in told.get("Orders", ()) if order["PropertyName"] != "Id"]
        body["QueryExpression"] = told
    order = body.get("Command", {}).get("WorkOrder", {})
    if order.get("TypeCategory") == "Basic":  # spec 4.3 sends the number, the recording of a peer the name
        body["Command"] = body["Command"] | {"WorkOrder": order | {"TypeCategory": 1}}
    return comparable(body)


def test_every_sample_has_a_case() -> None:
    """A new file without a case fails."""
    assert set(CASES) == set(names("request"))


@each_of("name", names("request"))
async def test_request(name: str) -> None:
    """Method, path, every header and the whole body are the sample's; commands have a RequestId."""
    sample, request = load(name, "request"), await sent(name)
    assert request.method == sample["method"]
    assert target(request.path) == target(sample["url"])
    assert {h: request.headers[h.lower()].replace(", ", ",") for h in sample["headers"]} == sample["headers"]
    if "form" in sample:
        assert {key: value for key, (value,) in parse_qs(request.body.decode()).items()} == sample["form"]
        return
    body = json.loads(request.body or b"null")
    if "/cmd/" in sample["url"]:
        assert ("RequestId" in body) == ("RequestId" in sample["body"])
    assert meant(body) == meant(sample.get("body"))


@each_of("name", names("request"))
def test_parts_follow_the_catalogue(name: str) -> None:
    """What a sample says of its parts holds: each name and value is one that the catalogue knows."""
    sample = load(name, "request")
    for row in sample.get("check", ()):
        part: Any = sample
        for step in row["path"]:
            part = part[step]
        cls = entity_class(row["entity"]) if "entity" in row else command_class(row["command"])
        assert cls is not None
        assert content_problems(cls, part) == []
