"""A local Company for tests of its faults, and a raw client that knows how a connection ended."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import attrs
import httpx

from tests.sandbox.company import ORDER, Caller
from wosdk_async.sandbox import LocalCompany
from wosdk_async.sandbox.storage.companies import StoredCompany


@attrs.frozen
class RawResponse:
    """Bytes that came over a connection, and how it ended: ``reset``, ``closed`` or ``open``."""

    data: bytes
    end: str

    @property
    def status(self) -> int:
        return int(self.data.split(b" ")[1])

    @property
    def body(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[2]

    def header(self, name: str) -> str | None:
        lines = self.data.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        pairs = (line.split(": ", 1) for line in lines)
        return next((value for key, value in pairs if key.lower() == name), None)

    @property
    def whole(self) -> bool:
        return len(self.body) == int(self.header("content-length") or -1)


def receive(connection: socket.socket) -> RawResponse:
    """Return what comes over a connection until its end, or the end of the response."""
    data = b""
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            return RawResponse(data, "reset")
        if not part:
            return RawResponse(data, "closed")
        data += part
        if data.startswith(b"HTTP/1.1 ") and b"\r\n\r\n" in data and RawResponse(data, "").whole:
            return RawResponse(data, "open")


@attrs.frozen
class Raw:
    """Client that uses only sockets, with a valid token."""

    local: LocalCompany
    caller: Caller

    def open(self, po_number: str, port: int | None = None) -> socket.socket:
        """Return a connection on which a create was sent; its RequestId is the PO number, too."""
        command = {"WorkOrder": ORDER | {"PoNumber": po_number}}
        body = json.dumps({"Command": command, "RequestId": po_number}).encode()
        address = urlsplit(self.local.variables["WOSDK_LOCATOR_URL"])
        lines = [
            "POST /api/v1/cmd/WoCreateCommand HTTP/1.1",
            f"Host: {address.netloc}",
            f"Content-Length: {len(body)}",
            *(f"{name}: {value}" for name, value in self.caller.headers.items()),
        ]
        connection = socket.create_connection((address.hostname or "", port or address.port or 0), 10)
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        return connection

    def create(self, po_number: str) -> RawResponse:
        """Send a create, and return what comes back."""
        with self.open(po_number) as connection:
            return receive(connection)

    def count(self, po_number: str) -> int:
        """Return the number of orders with this PO number."""
        return len(self.caller.ids("WorkOrder", ("PoNumber", "Equal", po_number)))


@contextmanager
def raw_client(local: LocalCompany) -> Iterator[Raw]:
    variables = local.variables
    company = StoredCompany(
        46, variables["WOSDK_COMPANY"], variables["WOSDK_CLIENT_ID"], variables["WOSDK_CLIENT_SECRET"]
    )
    with httpx.Client() as http:
        yield Raw(local, Caller(http, company, variables["WOSDK_LOCATOR_URL"]))


def creates(fault: str, **settings: Any) -> dict[str, Any]:
    """Return a script of one rule, for creates."""
    return {"rule": [{"fault": fault, "operation": "WoCreateCommand", **settings}]}


DOUBTFUL = [
    (creates("reset"), 0),
    (creates("reset", carried_out=True), 1),
    (creates("half_reply"), 1),
    (creates("half_reply", cut="close"), 1),
    (creates("garbage"), 1),
    (creates("garbage", carried_out=False), 0),
    (creates("status", status=500), 0),
    (creates("status", status=502, body="html", carried_out=True), 1),
    (creates("late_commit", after=60, hold=0), 0),
    (creates("request_id"), 1),
]
"""Scripts that leave one create in doubt, and the number of orders that it left."""

IN_DOUBT = {rule["fault"]: rule for script, _ in reversed(DOUBTFUL) for rule in script["rule"]}
del IN_DOUBT["status"]  # some statuses leave no doubt
"""Kinds of faults that leave a create in doubt, each with a rule."""
