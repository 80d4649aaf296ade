"""``wosdk run``: run any command of the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wosdk_async import Trace, codec
from wosdk_async.cli.exit_codes import CliError, advice, say_sent, status_of, writing
from wosdk_async.cli.input.fields import parsed_fields, record_of
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
from wosdk_async.model import command_class


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
    kind, target, trace = command_named(command, unchecked), target_of(ctx), Trace()
    values = parsed_fields(kind, fields, json_body, empty_is_null=False)
    if isinstance(kind, str):  # missing from the catalogue
        name, only_reads = kind, False
        arguments: tuple[Any, ...] = (name, values)
    else:
        name, only_reads = kind.wire_name, kind.repeat == "safe"
        arguments = (record_of(kind, values),)
    if target.read_only and not only_reads:
        raise CliError(f"--read-only: {name} may change something, so nothing is sent")
    with Runner(target) as runner:
        runner.run(runner.company.connect())
        if not only_reads:
            confirm(runner.company, name, f"Run {name}?", ask=not yes)
        company: Any = runner.company.traced(trace)
        try:
            runner.run(company.run(*arguments, check=not isinstance(kind, str)))
        except InDoubtError as error:
            raise CliError(f"{error}. {advice(_look_command(name, values))}", status_of(error)) from error
        except KeyboardInterrupt:
            if not only_reads and trace.sent:
                say_sent(name, trace.request_id, _look_command(name, values))
            raise
    with writing(f"{name} was carried out (RequestId {trace.request_id})", result.path):
        reply: Any = trace.reply
        found = codec.loads(reply.body)["CommandResult"]
        write_record(result, found if isinstance(found, dict) else {})


def _look_command(name: str, fields: dict[str, Any]) -> str | None:
    """Return a ``wosdk`` command that shows the effect of a command; None if there is no such command."""
    if isinstance(id := fields.get("WorkOrderId"), int | str) and id:
        return f"wosdk get WorkOrder {id} -p '*' -p 'ActionLogRecords.*'"
    cls = command_class(name)
    result = cls.result_class() if cls is not None else None
    metas = result.__wire__.values() if result is not None else ()
    entity = next((str(meta["of"]) for meta in metas if meta["type"] == "ref"), None)
    if entity == "WorkOrder" and isinstance(order := fields.get("WorkOrder"), dict):
        return order_search_command(order)
    return None if entity is None else newest_command(entity)
