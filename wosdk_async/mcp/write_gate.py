"""The hook of the client that writes: nothing passes but reads, a dry run, and the commit of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from wosdk_async.errors import InvalidCallError
from wosdk_async.options.hooks import DryRun
from wosdk_async.protocol.wire import Call, Response

__all__ = ["WriteGate"]

_COMMIT = object()


class WriteGate:
    """``before_send`` hook of a client whose changes all belong to a plan.

    A second lock: a tool that only reads, and has a mistake, cannot change anything with this client either.
    """

    def __init__(self) -> None:
        self._open: ContextVar[object] = ContextVar("wosdk_mcp_gate", default=None)

    @contextmanager
    def dry_run(self) -> Iterator[DryRun]:
        """Keep the calls of a block instead of sending them."""
        dry = DryRun()
        with self._set(dry):
            yield dry

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Send the calls of a block. The journal must have the plan as begun."""
        with self._set(_COMMIT):
            yield

    @contextmanager
    def _set(self, how: object) -> Iterator[None]:
        before = self._open.set(how)
        try:
            yield
        finally:
            self._open.reset(before)

    async def __call__(self, call: Call[Any], company: str) -> Response | None:
        """Let a call pass, keep it, or refuse it."""
        how = self._open.get()
        if isinstance(how, DryRun):
            return await how(call, company)
        if call.reads or how is _COMMIT:
            return None
        raise InvalidCallError("not sent: it belongs to no plan that is being committed")
