"""Each fault as a client of sockets sees it, and what it leaves in the store."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC
from email.utils import parsedate_to_datetime
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import attrs
import pytest

from tests.sandbox.faulty import Raw, RawResponse, creates, raw_client, receive
from tests.support.waiting import until
from wosdk_async.sandbox import LocalCompany, VirtualClock, open_store
from wosdk_async.sandbox.faults.exchange import FaultExchange
from wosdk_async.sandbox.faults.kinds import KINDS, Fault
from wosdk_async.sandbox.seed.initial import reset

names = (f"raw-{number}" for number in count())


@pytest.fixture(scope="module")
def shared() -> Iterator[Raw]:
    with LocalCompany(clock=VirtualClock()) as local, raw_client(local) as raw:
        yield raw


@pytest.fixture
def raw(shared: Raw) -> Iterator[Raw]:
    yield shared
    shared.local.faults.clear()


def struck(raw: Raw, fault: str, **settings: Any) -> tuple[RawResponse, int]:
    """Return the response of a create that the fault struck, and the number of orders it left."""
    name = next(names)
    raw.local.faults.load(creates(fault, **settings))
    seen = raw.create(name)
    assert raw.local.faults.injected == {fault: 1}
    return seen, raw.count(name)


def test_every_kind_is_seen_here() -> None:
    """A new kind of fault needs a test in this file, whose name begins with that of the kind."""
    tests = [name.removeprefix("test_") for name in globals() if name.startswith("test_")]
    assert [kind for kind in KINDS if not any(name.startswith(kind) for name in tests)] == []


def test_latency(raw: Raw) -> None:
    """Nothing is carried out, and nothing comes, before the clock has gone on for as long."""
    name = next(names)
    raw.local.faults.load(creates("latency", fixed=5))
    with raw.open(name) as connection:
        until(lambda: raw.local.clock.sleepers == 1)
        raw.local.clock.advance(4.5)
        assert raw.count(name) == 0
        assert not came(connection)
        raw.local.clock.advance(0.5)
        assert receive(connection).status == 200
    assert raw.count(name) == 1


@pytest.mark.parametrize(
    ("mode", "keys"), [("altered", {"CommandResult", "RequestId"}), ("missing", {"CommandResult"})]
)
def test_request_id(raw: Raw, mode: str, keys: set[str]) -> None:
    """The order is there, and its response carries another RequestId, or none."""
    seen, left = struck(raw, "request_id", mode=mode)
    assert (seen.status, seen.end, left) == (200, "open", 1)
    body = json.loads(seen.body)
    assert body.keys() == keys
    assert body.get("RequestId") != body["CommandResult"]["Wo"]["PoNumber"]


@pytest.mark.parametrize("carried_out", [False, True])
def test_reset(raw: Raw, carried_out: bool) -> None:
    """Nothing comes but a TCP RST; the order is there only if it was to be carried out."""
    assert struck(raw, "reset", carried_out=carried_out) == (RawResponse(b"", "reset"), int(carried_out))


@pytest.mark.parametrize(("cut", "end"), [("reset", "reset"), ("close", "closed")])
def test_half_reply(raw: Raw, cut: str, end: str) -> None:
    """The head announces more than comes before the connection ends, and the order is there."""
    seen, left = struck(raw, "half_reply", cut=cut)
    assert (seen.end, left) == (end, 1)
    if cut == "close":  # a reset may overtake what was written before it
        assert seen.status == 200
        assert 0 < len(seen.body) < int(seen.header("content-length") or 0)


@pytest.mark.parametrize("carried_out", [False, True])
def test_garbage(raw: Raw, carried_out: bool) -> None:
    """``size`` bytes that are not HTTP, then the end."""
    seen, left = struck(raw, "garbage", size=200, carried_out=carried_out)
    assert (seen.end, len(seen.data), left) == ("closed", 200, int(carried_out))
    assert not seen.data.startswith(b"HTTP/")


@pytest.mark.parametrize("status", [429, 500, 502, 503])
@pytest.mark.parametrize("carried_out", [False, True])
def test_status_with_a_json_body(raw: Raw, status: int, carried_out: bool) -> None:
    """The service's error body; the connection stays in use."""
    seen, left = struck(raw, "status", status=status, carried_out=carried_out)
    assert (seen.status, seen.end, left) == (status, "open", int(carried_out))
    assert list(json.loads(seen.body)) == ["ErrorMessage", "ErrorCode", "TimeStamp"]
    assert seen.header("retry-after") is None


def test_status_with_other_bodies(raw: Raw) -> None:
    """A gateway's page, or nothing at all."""
    page, _ = struck(raw, "status", status=502, body="html")
    assert (page.header("content-type"), page.body[:6]) == ("text/html", b"<html>")
    assert struck(raw, "status", status=503, body="empty")[0].body == b""


def test_retry_after(raw: Raw) -> None:
    """In seconds, rounded up, or as a date by the clock of the Company."""
    assert struck(raw, "status", status=429, retry_after=1.2)[0].header("retry-after") == "2"
    raw.local.clock.advance(days=40)
    raw.caller.renew()
    seen, _ = struck(raw, "status", status=503, retry_after_date=90)
    date = parsedate_to_datetime(seen.header("retry-after") or "").astimezone(UTC)
    assert 89 <= (date - raw.local.clock.now).total_seconds() <= 90


def test_slow_drip(raw: Raw) -> None:
    """The whole response comes, in pieces."""
    raw.local.faults.load(creates("slow_drip", piece=100, pause=0))
    name = next(names)
    seen = raw.create(name)
    assert (seen.status, seen.whole, raw.count(name)) == (200, True, 1)


def test_slow_drip_waits_for_the_clock(raw: Raw) -> None:
    """Nothing more comes while the clock stands still, and then one piece for each pause."""
    raw.local.faults.load(creates("slow_drip", piece=100, pause=5))
    with raw.open(next(names)) as connection:
        seen = RawResponse(b"", "open")
        for pieces in count(1):
            while len(seen.body) < 100 * pieces and not (b"\r\n\r\n" in seen.data and seen.whole):
                seen = attrs.evolve(seen, data=seen.data + connection.recv(65536))
            until(lambda: raw.local.clock.sleepers == 1)
            if seen.whole:
                break
            assert not came(connection)
            raw.local.clock.advance(5)
        raw.local.clock.advance(5)
    assert pieces > 3


def test_late_commit_after_the_client_hung_up(raw: Raw) -> None:
    """Nothing happens before the client has gone, and the order comes ``after`` seconds later."""
    name = next(names)
    raw.local.faults.load(creates("late_commit", after=30))
    with raw.open(name):
        assert raw.count(name) == 0
        assert raw.local.faults.report()["late"] == 0
    until(lambda: raw.local.clock.sleepers == 1)  # the late one counts from here
    assert raw.local.faults.report()["late"] == 1
    raw.local.clock.advance(29)
    assert raw.count(name) == 0
    raw.local.clock.advance(1)
    until(lambda: raw.count(name) == 1)


def test_late_commit_after_the_server_hung_up(raw: Raw) -> None:
    """With a limit the server resets the connection itself and carries the request out later."""
    name = next(names)
    raw.local.faults.load(creates("late_commit", after=30, hold=0))
    assert raw.create(name) == RawResponse(b"", "reset")
    until(lambda: raw.local.clock.sleepers == 1)
    assert raw.count(name) == 0
    raw.local.clock.advance(30)
    until(lambda: raw.count(name) == 1)


@pytest.mark.parametrize("way", ["start", "snapshot", "another process"])
def test_a_reset_drops_the_requests_received_before_it(way: str, tmp_path: Path) -> None:
    """Requests that a fault delays do not write into the Company of the next test; new ones do."""
    with LocalCompany(tmp_path / "s.db", clock=VirtualClock()) as local, raw_client(local) as raw:
        kept = local.snapshot()
        first = creates("latency", fixed=5, first=1)["rule"] + creates("late_commit", hold=0, every=2)["rule"]
        local.faults.load({"rule": first})
        with raw.open("delayed") as connection:
            until(lambda: local.clock.sleepers == 1)
            assert raw.create("late") == RawResponse(b"", "reset")
            until(lambda: local.clock.sleepers == 2)
            if way == "another process":
                with closing(open_store(tmp_path / "s.db")) as other:
                    reset(other)
            else:
                local.reset(kept if way == "snapshot" else None)
            local.faults.clear()
            local.clock.advance(10)
            assert receive(connection) == RawResponse(b"", "reset")
        until(lambda: local.clock.sleepers == 0)
        assert raw.create("new").status == 200
        assert [raw.count(name) for name in ("delayed", "late", "new")] == [0, 0, 1]


@attrs.frozen
class _Twice(Fault):
    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        await exchange.carry_out()
        await exchange.respond(await exchange.carry_out())
        return True


def test_a_fault_can_carry_a_request_out_twice(raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "twice", _Twice)
    seen, left = struck(raw, "twice")
    assert (seen.status, seen.whole, left) == (200, True, 2)


def test_a_request_that_breaks_off_gets_no_fault(raw: Raw) -> None:
    """There is nothing to carry out: it is not counted, and the server reports no error."""
    raw.local.faults.load({"rule": [{"fault": "half_reply"}]})
    address = urlsplit(raw.local.variables["WOSDK_LOCATOR_URL"])
    with socket.create_connection((address.hostname or "", address.port or 0), 10) as connection:
        connection.sendall(
            b"POST /api/v1/cmd/WoCreateCommand HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"
        )
        connection.shutdown(socket.SHUT_WR)
        assert receive(connection).end in ("closed", "reset")
    assert raw.local.faults.injected == {}


def test_expired_token(raw: Raw) -> None:
    """The token is dead from then on, for every request, until a new one is fetched."""
    raw.local.faults.load(creates("expired_token", first=1))
    for _ in range(2):
        seen = raw.create(next(names))
        assert (seen.status, json.loads(seen.body)["ErrorCode"]) == (403, "EXPIRED_TOKEN")
    raw.caller.renew()
    assert raw.create(next(names)).status == 200


def test_moved_host(raw: Raw) -> None:
    """The old address refuses, discovery names the new one at either, and that one serves."""
    raw.local.faults.load(creates("moved_host", first=1))
    seen = raw.create(next(names))
    assert (seen.status, json.loads(seen.body)["ErrorCode"]) == (400, "DATABASE_VERSION_MISMATCH")
    assert raw.caller.refused("GET", "base/Customer/512") == "DATABASE_VERSION_MISMATCH"
    old = raw.caller.root
    body = {"Command": {"CompanyName": raw.local.variables["WOSDK_COMPANY"]}}
    by_command = raw.caller.ok("POST", "cmd/GetCompanyWsdkUrlCommand", body)["CommandResult"]["Url"]
    by_get = raw.caller.ok("GET", "CorrigoService/GetCompanyWsdkUrl/acmefacilities")
    assert by_get["CommandResult"]["Url"] == by_command != f"{old}/"
    raw.caller.root = by_command.rstrip("/")
    try:
        assert raw.caller.get("Customer", 512)
        raw.local.faults.clear()
        assert raw.caller.get("Customer", 512)
    finally:
        raw.caller.root = old
    assert raw.caller.get("Customer", 512)


def came(connection: socket.socket) -> bool:
    """Return whether there is something to read."""
    return bool(select.select([connection], [], [], 0)[0])
