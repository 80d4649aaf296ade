"""One Company over stdin and stdout: two clients, the journal of plans, the server."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.client import Client
from wosdk_async.company import Company
from wosdk_async.mcp.commits import Commits
from wosdk_async.mcp.plan_journal import PlanJournal
from wosdk_async.mcp.plan_tools import PlanTools
from wosdk_async.mcp.server import make_server
from wosdk_async.mcp.write_gate import WriteGate
from wosdk_async.transport.clock import TransportClock

__all__ = ["ServerOptions", "plan_tools", "serve", "state_folder"]

MakeClient = Callable[..., Client]
"""Function that makes a client with further arguments: ``read_only``, ``before_send``."""


@attrs.frozen(kw_only=True)
class ServerOptions:
    """What the person who starts the server decides."""

    company: str | None = None
    """Name of the Company; None for that of the settings."""
    allow_writes: bool = False
    state: Path | None = None
    """Folder of the plans; None for the usual one."""
    settle: float | None = None
    """Seconds for which a request that was given up may still take effect; None for those of the client."""


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for what programs of this user remember, by the XDG rules."""
    base = environ.get("XDG_STATE_HOME", "")
    root = Path(base) if os.path.isabs(base) else Path.home() / ".local" / "state"
    return root / "wosdk" / "mcp"


def plan_tools(
    client: Client,
    gate: WriteGate,
    reads: Company,
    options: ServerOptions,
    now: Callable[[], float] = time.time,
    clock: TransportClock = TransportClock(),
) -> PlanTools:
    """Return the tools that change something.

    Args:
        client: made with ``before_send=gate``.
        gate: the hook of that client.
        reads: the same Company of a client with ``read_only=True``.
        options: of the server.
        now: the time in seconds since 1970, for the time until which a plan can be committed.
        clock: of the look-ups of plans in doubt.

    Raises:
        ConfigurationError: the folder of the plans cannot be used.
    """
    company = client.company(options.company)
    if options.settle is not None:
        company = company.with_options(settle=options.settle)
    journal = PlanJournal(options.state or state_folder(), now)
    commits = Commits(journal=journal, company=company, gate=gate, target=_target(company), clock=clock)
    return PlanTools(commits=commits, reads=reads)


def _target(company: Company) -> str:
    """Return a text that tells Companies of one name in two regions, or in two sandboxes, apart."""
    region = company.region
    digest = hashlib.blake2b(f"{region.locator_url}\n{region.token_url}".encode(), digest_size=6)
    return f"{company.name} ({digest.hexdigest()})"


async def serve(make_client: MakeClient, options: ServerOptions) -> None:
    """Serve one Company over stdin and stdout until the client of the protocol goes away.

    Args:
        make_client: makes a client of the settings that the user named.
        options: of the server.

    Raises:
        ConfigurationError: a setting is missing or wrong.
    """
    async with AsyncExitStack() as exits:
        reads = (await exits.enter_async_context(make_client(read_only=True))).company(options.company)
        plans: Any = None
        if options.allow_writes:
            gate = WriteGate()
            client = await exits.enter_async_context(make_client(before_send=gate))
            plans = plan_tools(client, gate, reads, options)
        await make_server(reads, plans).run_stdio_async()
