"""wosdk run: one workflow command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.commands.completion import assignments, commands
from wosdk_async.cli.exit_codes import CliError, say, status_of, unusable, writing
from wosdk_async.cli.options import (
    Target,
    output_of,
    output_options,
    target_of,
    target_options,
    unchecked_option,
)
from wosdk_async.model import command_class

if TYPE_CHECKING:
    from wosdk_async import Trace
    from wosdk_async.cli.runner import Runner
    from wosdk_async.model import Command

__all__ = ["run_command", "what_to_look_at"]


def what_to_look_at(command: str, fields: Mapping[str, Any]) -> str:
    """The ``wosdk`` command that shows the effect, if there was one."""
    before = "before you run it again: "
    if isinstance(id := fields.get("WorkOrderId"), int | str) and id:
        return f"Look {before}wosdk get WorkOrder {id} -p '*' -p 'ActionLogRecords.*'"
    if (made := _made(command)) is not None:
        return f"Look {before}wosdk query {made} --order 'Id desc' --limit 5"
    return "Look at what it would have changed before you run it again"


def _made(command: str) -> str | None:
    """The entity that the command's result refers to."""
    cls = command_class(command)
    result = cls.result_class() if cls is not None else None
    refers = (meta for meta in result.__wire__.values() if meta["type"] == "ref") if result else iter(())
    first = next(refers, None)
    return None if first is None else str(first["of"])


@click.command("run", no_args_is_help=True)
@click.argument("command", shell_complete=commands)
@click.argument("fields", nargs=-1, metavar="[NAME=VALUE]...", shell_complete=assignments)
@click.option(
    "--json-body",
    type=click.Path(path_type=Path),
    metavar="FILE|-",
    help="The command's fields as a JSON object.",
)
@click.option("--yes", is_flag=True, help="Do not ask before changing a Company that is not on this machine.")
@unchecked_option
@output_options
@target_options(hidden=True)
@click.pass_context
def run_command(
    ctx: click.Context,
    command: str,
    fields: tuple[str, ...],
    json_body: Path | None,
    yes: bool,
    unchecked: bool,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
) -> None:
    """Run a command of the service.

    Fields are NAME=VALUE, a dotted NAME leads into an object, and a reference takes an id. NAME:=JSON sets
    anything else. They are put over those of --json-body, and checked against the catalogue before
    anything is sent. `wosdk describe COMMAND` shows what a command takes.

    \b
      wosdk run WoOnHoldCommand WorkOrderId=1 ActionReasonId=2201 Comment='Waiting for parts'
      wosdk run WoCreateCommand --json-body order.json WorkOrder.PoNumber=PO-77 ComputeSchedule=true

    An outcome in doubt ends with 7: the command was sent, and no answer tells whether it was carried out.
    """
    how = output_of(as_json, as_csv, output)
    with unusable():
        from wosdk_async.cli.output.forms import write_record
        from wosdk_async.cli.runner import Runner

        given = _Given.read(command, fields, json_body, unchecked)
        target = target_of(ctx)
        given.require_allowed(target)
        with Runner(target) as link:
            trace = _sent(link, given, ask=not yes)
        with writing(f"{given.name} was carried out (RequestId {trace.request_id})", how.path):
            write_record(how, _result(trace))


class _Given:
    """What is to be sent: a command of the catalogue, or a name with its fields."""

    def __init__(self, name: str, command: Command[Any] | str, fields: dict[str, Any]) -> None:
        self.name = name
        self.command = command
        self.fields = fields
        self.reads = not isinstance(command, str) and command.repeat == "safe"

    @classmethod
    def read(cls, name: str, texts: tuple[str, ...], body: Path | None, unchecked: bool) -> _Given:
        from wosdk_async.cli.input.fields import assigned, command_of
        from wosdk_async.cli.input.json import json_object
        from wosdk_async.cli.input.names import command_named

        kind = command_named(name, unchecked)
        fields = json_object("--json-body", body) if body is not None else {}
        if isinstance(kind, str):
            return cls(kind, kind, assigned(fields, texts, None))
        fields = assigned(fields, texts, kind)
        return cls(kind.wire_name, command_of(kind, fields), fields)

    def require_allowed(self, target: Target) -> None:
        if target.read_only and not self.reads:
            raise CliError(f"--read-only: {self.name} may change something, so it is not sent")


def _sent(link: Runner, given: _Given, *, ask: bool) -> Trace:
    """Send the command; the trace holds the response."""
    from wosdk_async import Trace
    from wosdk_async.cli.commands.run import what_to_look_at
    from wosdk_async.cli.input.confirm import confirm
    from wosdk_async.errors import InDoubtError

    link.do(link.company.connect())
    if not given.reads:
        confirm(link.company, given.name, f"Run {given.name}?", ask=ask)
    trace = Trace()
    try:
        link.do(_run(link, given, trace))
    except InDoubtError as error:
        raise CliError(f"{error}. {what_to_look_at(given.name, given.fields)}", status_of(error)) from error
    except KeyboardInterrupt:
        if not given.reads and trace.sent:
            sent = f"{given.name} was sent (RequestId {trace.request_id}) and may have been carried out"
            say(f"{sent}. {what_to_look_at(given.name, given.fields)}")
        raise
    return trace


async def _run(link: Runner, given: _Given, trace: Any) -> Any:
    company = link.company.traced(trace)
    if isinstance(given.command, str):
        return await company.run(given.command, given.fields, check=False)
    return await company.run(given.command)


def _result(trace: Any) -> dict[str, Any]:
    """``CommandResult`` by its own names, as it came."""
    from wosdk_async import codec

    found = codec.loads(trace.reply.body)["CommandResult"]
    return found if isinstance(found, dict) else {}
