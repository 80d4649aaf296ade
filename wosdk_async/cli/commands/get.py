"""``wosdk get``: one record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.commands.completion import entities, properties
from wosdk_async.cli.exit_codes import CliError, cli_errors, writing
from wosdk_async.cli.options import output_of, output_options, target_of, target_options, unchecked_option

if TYPE_CHECKING:
    from wosdk_async.protocol.calls import Id

__all__ = ["get_command"]


@click.command("get", no_args_is_help=True)
@click.argument("entity", shell_complete=entities)
@click.argument("record_id", metavar="ID")
@click.option(
    "-p",
    "--property",
    "paths",
    multiple=True,
    metavar="PATH",
    shell_complete=properties,
    help="Read this property path, such as '*', Customer.Name or 'Items.*'; may be repeated.",
)
@unchecked_option
@output_options
@target_options(hidden=True)
@click.pass_context
def get_command(
    ctx: click.Context,
    entity: str,
    record_id: str,
    paths: tuple[str, ...],
    unchecked: bool,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
) -> None:
    """Read one record.

    ID is a number, or a JSON object for an entity with a compound key. Without -p the service sends the
    record's own values, and no lists.

    \b
      wosdk get Customer 512 -p DisplayAs -p WorkZone.DisplayAs
      wosdk get AssetTree '{"ParentId": 20400, "ChildId": 20410}'
    """
    result = output_of(as_json, as_csv, output)
    with cli_errors():
        from wosdk_async.cli.input.texts import entity_named
        from wosdk_async.cli.output.formats import write_record
        from wosdk_async.cli.runner import Runner
        from wosdk_async.query.plan import selection

        id, entity_type = _parse_id(record_id), entity_named(entity, unchecked)
        selection(entity_type, paths)  # only a check; a read by name keeps the record as sent
        name = entity_type if isinstance(entity_type, str) else entity_type.wire_name
        with Runner(target_of(ctx)) as runner:
            record = runner.run(runner.company.get(name, id, properties=paths))
        with writing("the record was read", result.path):
            write_record(result, record, paths, entity_type)


def _parse_id(text: str) -> Id:
    """Return the id in an argument: a number, or the fields of a compound key."""
    from wosdk_async import codec

    try:
        found: Any = codec.loads(text.encode())
    except ValueError:
        found = None
    if isinstance(found, dict) and found and all(type(value) is int for value in found.values()):
        return found
    if type(found) is int:
        return found
    raise CliError(
        f"ID is {text!r}; it takes a whole number, or a JSON object of whole numbers for a compound key"
    )
