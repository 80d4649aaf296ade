"""``wosdk get``: one record."""

from __future__ import annotations

import shlex

import click

from wosdk_async.cli.exit_codes import writing
from wosdk_async.cli.input.records import RecordTexts, by_option
from wosdk_async.cli.input.texts import entity_named
from wosdk_async.cli.options import (
    entity_argument,
    output_options,
    properties_option,
    target_of,
    target_options,
    unchecked_option,
)
from wosdk_async.cli.output.cells import DefaultColumns
from wosdk_async.cli.output.files import Output
from wosdk_async.cli.output.formats import write_record
from wosdk_async.cli.runner import Runner
from wosdk_async.errors import UnknownNameError
from wosdk_async.model import entity_class
from wosdk_async.protocol.arguments import entity_name
from wosdk_async.query.builder import selection

__all__ = ["get_command"]


@click.command("get", no_args_is_help=True)
@entity_argument
@click.argument("record_id", metavar="ID", required=False)
@properties_option()
@by_option
@unchecked_option
@output_options
@target_options(hidden=True)
@click.pass_context
def get_command(
    ctx: click.Context,
    entity: str,
    record_id: str | None,
    paths: tuple[str, ...],
    by: str | None,
    unchecked: bool,
    result: Output,
) -> None:
    """Read one record.

    ID is the record's id, number or name, or a JSON object for a compound key. Without -p a table shows the
    record's own values and the names of its references.

    \b
      wosdk get WorkOrder RSC000005
      wosdk get Customer 512 -p DisplayAs -p WorkZone.DisplayAs
      wosdk get AssetTree '{"ParentId": 20400, "ChildId": 20410}'
    """
    if record_id is None:  # the only argument is an entity, or a record without its entity
        example = f"{entity} ID" if entity_class(entity) else f"WorkOrder {shlex.quote(entity)}"
        raise click.UsageError(f"Missing argument 'ID'; write wosdk get {example}.")
    entity_type = entity_named(entity, unchecked)
    texts = RecordTexts.read(entity_type, [record_id], by)
    selection(entity_type, paths)  # a check; a read by name returns the record as sent
    name = entity_name(entity_type)
    by_name = DefaultColumns.of(entity_type).selection if result.format == "table" and not paths else ()
    with Runner(target_of(ctx)) as runner:
        (id,) = runner.run(texts.ids(runner.company))
        try:
            record = runner.run(runner.company.get(name, id, properties=by_name or paths))
        except UnknownNameError:  # a release may lack the name of a reference
            if not by_name:
                raise
            record = runner.run(runner.company.get(name, id, properties=paths))
    with writing("the record was read", result.path):
        write_record(result, record, paths, entity_type)
