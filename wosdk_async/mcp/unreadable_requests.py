"""Lines of stdin that are no messages of the protocol: each gets an error response.

The library drops them without a word, and the client waits for ever: a text with half of a surrogate pair is
enough, which models write sometimes.
"""

from __future__ import annotations

import contextvars
import json
import re
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

__all__ = ["ReadableRequests"]

# The id, if it stands before the arguments; what comes behind cannot be read.
_ID = re.compile(r'\s*\{[^{}\[\]]*?"id"\s*:\s*(-?[0-9]{1,15}(?=\s*[,}])|"[^"\\]{1,200}")')


class ReadableRequests:
    """Stream of the messages of a client; what cannot be read is answered and left out.

    Args:
        lines: the stream of stdin.
        responses: the stream of stdout.
    """

    def __init__(self, lines: Any, responses: Any) -> None:
        self._lines = lines
        self._responses = responses

    @property
    def last_context(self) -> contextvars.Context | None:
        """Context of the last message, which the library asks for."""
        found: contextvars.Context | None = self._lines.last_context
        return found

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        while True:
            item: SessionMessage | Exception = await self._lines.receive()
            if isinstance(item, ValidationError):
                if response := _error_response(item):
                    await self._responses.send(SessionMessage(response))
                continue
            return item

    async def aclose(self) -> None:
        """Close the stream of stdin."""
        await self._lines.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


def _error_response(error: ValidationError) -> JSONRPCError | None:
    """Return the response to a line that cannot be read; None for an empty line."""
    first = error.errors(include_url=False, include_context=False)[0]
    no_json = first["type"] == "json_invalid"
    line = first["input"] if no_json and isinstance(first["input"], str) else ""
    if no_json and not line.strip():
        return None
    found = _ID.match(line)
    said = (
        "the request cannot be read as JSON: use whole Unicode characters, numbers of up to 4,300 digits, and"
        " less than 200 levels"
        if no_json
        else "the request is not a message of JSON-RPC 2.0"
    )
    return JSONRPCError(
        jsonrpc="2.0",
        id=json.loads(found[1]) if found else None,
        error=ErrorData(code=PARSE_ERROR if no_json else INVALID_REQUEST, message=said),
    )
