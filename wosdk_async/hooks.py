"""Run a program without changing anything: reads go out, everything else is noted and answered here."""

from __future__ import annotations

from typing import Any

from wosdk_async.protocol.wire import Call, Response

__all__ = ["DryRun"]

# Fits whatever changes something: a command, and a create, update or delete.
_NOTHING_DONE = Response(200, {}, b'{"CommandResult": {}, "EntitySpecifier": {}}')


class DryRun:
    """A ``before_send`` hook that lets reads go and keeps all else from being sent.

    ::

        dry = DryRun()
        async with Client.from_env(before_send=dry) as client:
            await sync_everything(client)
        for company, call in dry.calls:
            print(company, call.operation, call.body)

    The program gets empty results: ids and numbers that the service would have given are None.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, Call[Any]]] = []
        """What would have been sent, in order, each with its Company."""

    def __repr__(self) -> str:
        return f"<DryRun {len(self.calls)} calls held back>"

    async def __call__(self, call: Call[Any], company: str) -> Response | None:
        if call.reads:
            return None
        self.calls.append((company, call))
        return _NOTHING_DONE
