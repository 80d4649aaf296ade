"""Agents: clients of the protocol, connected to a server in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from attrs import define, field
from mcp import Client
from mcp.types import CallToolResult

from wosdk_async.mcp import make_server
from wosdk_async.mcp.commits import Commits, WriteOptions
from wosdk_async.mcp.plan_rules import WriteGate
from wosdk_async.mcp.plan_tools import PlanTools
from wosdk_async.testing import Sandbox
from wosdk_async.transport.clock import TransportClock

ORDER: dict[str, Any] = {
    "TypeCategory": "Request",
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}, "Comment": "No cold air"}],
}
"""A work order that the sandbox takes."""

ERAS = ("legacy", "auto")
"""How a client may begin: the handshake of before, and the protocol without sessions."""


@define
class Agent:
    """One connected client."""

    client: Client
    last: CallToolResult | None = None

    async def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its data; the client checks them against the tool's schema."""
        self.last = await self.client.call_tool(tool, arguments)
        assert self.last.structured_content is not None, self.last.content
        return self.last.structured_content

    @property
    def text(self) -> str:
        """What a client shows that reads texts only."""
        return self.last.content[0].text


@define
class Clock:
    """Time of a journal, moved by the test."""

    seconds: float = 1_790_000_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


@define
class Workplace:
    """A sandbox, and a folder of plans that several servers may share."""

    sandbox: Sandbox
    state: Path
    clock: Clock = field(factory=Clock)

    async def sleep(self, seconds: float) -> None:
        """Move the clock, in place of a wait."""
        self.clock.seconds += seconds

    def plans(self, settle: float = 30, gate: WriteGate | None = None) -> PlanTools:
        """Return the tools that change something, of one server."""
        gate = gate or WriteGate()
        company = self.sandbox.client(before_send=gate).company()
        reads = self.sandbox.client(read_only=True).company()
        options = WriteOptions(state=self.state, settle=settle)
        clock = TransportClock(now=self.clock, sleep=self.sleep)
        return PlanTools(commits=Commits.open(company, gate, options, self.clock, clock), reads=reads)

    @asynccontextmanager
    async def agent(self, *, writes: bool = True, **options: Any) -> AsyncIterator[Agent]:
        """Connect an agent to a server of its own."""
        company = self.sandbox.client(read_only=True).company()
        async with Client(make_server(company, self.plans(**options) if writes else None)) as client:
            yield Agent(client)

    async def orders(self) -> list[Any]:
        """Return all work orders."""
        from wosdk_async import WorkOrder

        return await self.sandbox.client().company().query(WorkOrder).all()


def creates(sandbox: Sandbox) -> int:
    """Return how many creates of orders were sent."""
    return sum(request.path.endswith("WoCreateCommand") for request in sandbox.requests)


class ByService(Workplace):
    """A workplace whose servers have the clock of the service."""

    def __init__(self, sandbox: Sandbox, state: Path) -> None:
        super().__init__(sandbox, state, lambda: sandbox.clock() / 1e9)  # type: ignore[arg-type]

    async def sleep(self, seconds: float) -> None:
        """Move the clock, in place of a wait; it has whole microseconds."""
        self.sandbox.clock.advance(seconds=seconds + 1e-3)
