"""``wosdk run``: run any command of the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import click

from wosdk_async import Trace, codec
from wosdk_async.cli.exit_codes import CliError, advice, say_sent, status_of, writing
from wosdk_async.cli.input.fields import add_assignments, json_object, record_of
from wosdk_async.cli.input.records import newest_command, order_search_command
from wosdk_async.cli.input.texts import command_named
from wosdk_async.cli.options import (
    commands,
    fields_argument,
    json_body_option,
    output_options,
    target_of,
    target_options,
    unchecked_option,
    yes_option,
)
from wosdk_async.cli.output.files import Output
from wosdk_async.cli.output.formats import write_record
from wosdk_async.cli.runner import Runner, confirm
from wosdk_async.errors import InDoubtError
from wosdk_async.model import Command, command_class


@click.command("run", no_args_is_help=True)
@click.argument("command", shell_complete=commands)
@fields_argument
@json_body_option
@yes_option
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
    result: Output,
) -> None:
    """Run a command of the service.

    Fields are NAME=VALUE. A dotted NAME sets a field of a nested object, a reference takes an id, and
    NAME:=JSON sets any other value. They override --json-body. `wosdk describe COMMAND` lists the fields.

    \b
      wosdk run WoOnHoldCommand WorkOrderId=1 ActionReasonId=2201 Comment='Waiting for parts'
      wosdk run WoCreateCommand --json-body order.json WorkOrder.PoNumber=PO-77 ComputeSchedule=true

    Exit status 7: in doubt. The command was sent, and no response says whether it was carried out.
    """
    request = _Request.read(command, fields, json_body, unchecked)
    target = target_of(ctx)
    if target.read_only and not request.only_reads:
        raise CliError(f"--read-only: {request.name} may change something, so nothing is sent")
    with Runner(target) as runner:
        trace = _send(runner, request, ask=not yes)
    with writing(f"{request.name} was carried out (RequestId {trace.request_id})", result.path):
        reply: Any = trace.reply
        found = codec.loads(reply.body)["CommandResult"]
        write_record(result, found if isinstance(found, dict) else {})


@attrs.frozen
class _Request:
    """A command and its fields as JSON."""

    name: str
    command: Command[Any] | str
    """The name, if the command is missing from the catalogue."""
    fields: dict[str, Any]

    @property
    def only_reads(self) -> bool:
        return not isinstance(self.command, str) and self.command.repeat == "safe"

    @classmethod
    def read(cls, name: str, texts: tuple[str, ...], body: Path | None, unchecked: bool) -> _Request:
        """Parse a command line. Raises CliError for invalid fields."""
        kind = command_named(name, unchecked)
        fields = json_object("--json-body", body) if body is not None else {}
        if isinstance(kind, str):
            return cls(kind, kind, add_assignments(fields, texts, None))
        fields = add_assignments(fields, texts, kind)
        return cls(kind.wire_name, record_of(kind, fields), fields)


def _send(runner: Runner, request: _Request, *, ask: bool) -> Trace:
    runner.run(runner.company.connect())
    if not request.only_reads:
        confirm(runner.company, request.name, f"Run {request.name}?", ask=ask)
    trace = Trace()
    company: Any = runner.company.traced(trace)
    is_known = not isinstance(request.command, str)
    arguments = (request.command,) if is_known else (request.command, request.fields)
    try:
        runner.run(company.run(*arguments, check=is_known))
    except InDoubtError as error:
        raise CliError(f"{error}. {advice(_look_command(request))}", status_of(error)) from error
    except KeyboardInterrupt:
        if not request.only_reads and trace.sent:
            say_sent(request.name, trace.request_id, _look_command(request))
        raise
    return trace


def _look_command(request: _Request) -> str | None:
    """Return a ``wosdk`` command that shows the effect of ``request``; None if there is no such command."""
    if isinstance(id := request.fields.get("WorkOrderId"), int | str) and id:
        return f"wosdk get WorkOrder {id} -p '*' -p 'ActionLogRecords.*'"
    cls = command_class(request.name)
    result = cls.result_class() if cls is not None else None
    metas = result.__wire__.values() if result is not None else ()
    entity = next((str(meta["of"]) for meta in metas if meta["type"] == "ref"), None)
    if entity == "WorkOrder" and isinstance(order := request.fields.get("WorkOrder"), dict):
        return order_search_command(order)
    return None if entity is None else newest_command(entity)
