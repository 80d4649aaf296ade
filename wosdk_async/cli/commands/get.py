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


class _GetCommand(click.Command):
    """Command that explains a missing ID by an example."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raise UsageError with a command that has an ID."""
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            if (entity := ctx.params.get("entity")) is None:
                raise
            raise click.UsageError(f"Missing argument 'ID'; write {_example(entity)}.", ctx) from error


def _example(given: str) -> str:
    """Return a command for the only argument: an entity, or a record of which the entity is missing."""
    is_entity = entity_class(given) is not None
    return f"wosdk get {given} ID" if is_entity else f"wosdk get WorkOrder {shlex.quote(given)}"


@click.command("get", cls=_GetCommand, no_args_is_help=True)
@entity_argument
@click.argument("record_id", metavar="ID")
@properties_option(example=", such as '*', Customer.Name or 'Items.*'")
@by_option
@unchecked_option
@output_options
@target_options(hidden=True)
@click.pass_context
def get_command(
    ctx: click.Context,
    entity: str,
    record_id: str,
    paths: tuple[str, ...],
    by: str | None,
    unchecked: bool,
    result: Output,
) -> None:
    """Read one record.

    ID is the record's id, a JSON object for an entity with a compound key, or the number or name by which
    people know the record. Without -p a table shows the record's own values and the names of its references.

    \b
      wosdk get WorkOrder RSC000005
      wosdk get Customer 512 -p DisplayAs -p WorkZone.DisplayAs
      wosdk get AssetTree '{"ParentId": 20400, "ChildId": 20410}'
    """
    entity_type = entity_named(entity, unchecked)
    texts = RecordTexts.read(entity_type, [record_id], by)
    selection(entity_type, paths)  # only a check; a read by name keeps the record as sent
    name = entity_name(entity_type)
    by_name = DefaultColumns.of(entity_type).selection if result.format == "table" and not paths else ()
    with Runner(target_of(ctx)) as runner:
        (id,) = runner.run(texts.ids(runner.company))
        try:
            record = runner.run(runner.company.get(name, id, properties=by_name or paths))
        except UnknownNameError:  # the names of references are extras: a release may lack one
            if not by_name:
                raise
            record = runner.run(runner.company.get(name, id, properties=paths))
    with writing("the record was read", result.path):
        write_record(result, record, paths, entity_type)
