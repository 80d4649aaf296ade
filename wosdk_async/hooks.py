"""Dry run of a program: reads are sent, all other calls are kept and get an empty response here."""

from __future__ import annotations

from typing import Any

from wosdk_async.protocol.wire import Call, Response

__all__ = ["DryRun"]

# Fits every call that changes something: a command, create, update or delete.
_NOTHING_DONE = Response(200, {}, b'{"CommandResult": {}, "EntitySpecifier": {}}')


class DryRun:
    """``before_send`` hook that lets reads pass and keeps all other calls.

    ::

        dry = DryRun()
        async with Client.from_env(before_send=dry) as client:
            await sync_everything(client)
        for company, call in dry.calls:
            print(company, call.operation, call.body)

    The program gets empty results: ids and numbers that the service would give are None.
    ``await company.send(call)`` sends a call that was kept.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, Call[Any]]] = []
        """Calls that were kept, in order, each with the name of its Company."""

    def __repr__(self) -> str:
        return f"<DryRun {len(self.calls)} calls kept>"

    async def __call__(self, call: Call[Any], company: str) -> Response | None:
        """Let a read pass; keep any other call and return an empty response."""
        if call.reads:
            return None
        self.calls.append((company, call))
        return _NOTHING_DONE
