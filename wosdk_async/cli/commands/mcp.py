"""``wosdk mcp``: serve one Company to AI agents over the Model Context Protocol."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from wosdk_async.cli.exit_codes import extra
from wosdk_async.cli.options import Number, target_of, target_options

if TYPE_CHECKING:
    from wosdk_async import Client

_DEADLINE = 45.0  # seconds; MCP clients commonly time out after 60 s


@click.command("mcp")
@click.option("--allow-writes", is_flag=True, help="Enable the tools plan, commit and settle.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Plan folder (default: ~/.local/state/wosdk/mcp).",
)
@click.option(
    "--settle",
    type=Number(0),
    metavar="SECONDS",
    help="Seconds after which a request in doubt can no longer take effect (default: 30).",
)
@target_options(hidden=True)
@click.pass_context
def mcp_command(ctx: click.Context, allow_writes: bool, state: Path | None, settle: float | None) -> None:
    """Serve one Company to AI agents over the Model Context Protocol (MCP) on stdin and stdout.

    An MCP client starts this command; docs/mcp.md shows the settings. The tools are read-only by default.
    With --allow-writes, each change is planned, shown, and carried out once.

    \b
      wosdk mcp
      wosdk --profile stage mcp --allow-writes
    """
    target = target_of(ctx)
    if target.read_only and allow_writes:
        raise click.UsageError("--read-only and --allow-writes are mutually exclusive; use one")
    if not allow_writes and (state is not None or settle is not None):
        raise click.UsageError("--state and --settle need --allow-writes")
    if target.deadline is None:
        target = attrs.evolve(target, deadline=_DEADLINE)
    with extra("mcp", "the MCP server"):
        import anyio

        from wosdk_async.mcp import serve
        from wosdk_async.mcp.commits import WriteOptions

        writes = WriteOptions(state=state, settle=settle) if allow_writes else None

        def make_client(*, read_only: bool = False, **more: Any) -> Client:
            return attrs.evolve(target, read_only=read_only).client(**more)

        # Signals end the process immediately, because the thread that reads stdin cannot be woken. A plan
        # being sent is then in doubt, as after a kill.
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda number, _: os._exit(128 + number))
        anyio.run(serve, make_client, target.company, writes)
