"""A Company whose calls are recorded and get a fixed response: a test sees what is sent, without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from wosdk_async import Client, Company, Credentials, Region
from wosdk_async.codec import dumps, loads
from wosdk_async.protocol.wire import Call, Response

REGION = Region("test", locator_url="https://locator.example", token_url="https://login.example/token")


class Recorder:
    """A ``before_send`` hook that keeps each call and responds with ``body``."""

    def __init__(self, body: Any) -> None:
        self.body = dumps(body)
        self.calls: list[Call[Any]] = []

    async def __call__(self, call: Call[Any], company: str) -> Response:
        self.calls.append(call)
        return Response(200, {}, self.body)

    @property
    def sent(self) -> tuple[str, str, Any]:
        """Method, path and JSON of the only call."""
        (call,) = self.calls
        return call.method, call.path, loads(call.body) if call.body else None


@asynccontextmanager
async def recorded(body: Any) -> AsyncIterator[tuple[Company, Recorder]]:
    """Open a Company whose calls get ``body`` as their response, with the recorder of its calls."""
    hook = Recorder(body)
    credentials = Credentials("id", "secret")
    async with Client(region=REGION, credentials=credentials, company="Acme", before_send=hook) as client:
        yield client.company(), hook


SAMPLES: dict[str, Callable[[Any], Any]] = {
    "string": lambda field: field.name[: field.max_length or 40],
    "integer": lambda field: 7,  # as in the references: a result has the id of its command
    "number": lambda field: 12.5,
    "boolean": lambda field: True,
    "datetime-local": lambda field: "2024-05-14T09:15:07",
    "datetime-utc": lambda field: "2024-05-14T13:15:07Z",
    "money": lambda field: {"CurrencyTypeId": "USD", "Value": 3},
    "ref": lambda field: {"Id": 7},
    "object": lambda field: {},
}
"""JSON of a value, by the catalogue's type; made from the catalogue alone, never from the model."""
