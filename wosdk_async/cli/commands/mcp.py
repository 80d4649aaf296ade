"""``wosdk mcp``: one Company for AI agents, over the Model Context Protocol."""

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

__all__ = ["mcp_command"]

_DEADLINE = 45.0  # seconds: programs that use tools commonly give up after 60


@click.command("mcp")
@click.option("--allow-writes", is_flag=True, help="Add the tools plan, commit and settle.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Plans (default: ~/.local/state/wosdk/mcp).",
)
@click.option(
    "--settle", type=Number(0), metavar="SECONDS", help="Settle time of a request in doubt (default: 30)."
)
@target_options(hidden=True)
@click.pass_context
def mcp_command(ctx: click.Context, allow_writes: bool, state: Path | None, settle: float | None) -> None:
    """Serve one Company to AI agents by the Model Context Protocol (MCP), over stdin and stdout.

    An MCP client starts it; docs/mcp.md shows its settings. The tools only read, unless --allow-writes is
    given: then a change is planned, shown, and carried out once.

    \b
      wosdk mcp
      wosdk --profile stage mcp --allow-writes
    """
    target = target_of(ctx)
    if target.read_only and allow_writes:
        raise click.UsageError("--read-only and --allow-writes exclude each other; give one of them")
    if not allow_writes and (state is not None or settle is not None):
        raise click.UsageError("--state and --settle are for changes; add --allow-writes")
    if target.deadline is None:
        target = attrs.evolve(target, deadline=_DEADLINE)
    with extra("mcp", "the MCP server"):
        import anyio

        from wosdk_async.mcp.server import ServerOptions, serve

        options = ServerOptions(company=target.company, allow_writes=allow_writes, state=state, settle=settle)

        def make_client(*, read_only: bool = False, **more: Any) -> Client:
            return attrs.evolve(target, read_only=read_only).client(**more)

        _end_at_signals()
        anyio.run(serve, make_client, options)


def _end_at_signals() -> None:
    """Exit at once at Ctrl-C, SIGTERM or SIGHUP; a plan being sent is in doubt then, as after a kill.

    A thread waits for stdin and cannot be woken, so an orderly shutdown would wait for the client.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: os._exit(128 + number))
