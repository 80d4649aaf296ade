"""``wosdk delete``: records of any entity."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.change_options import ChangeOptions, change_options
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.input.records import RecordTexts, by_option, label_of, look_at, require_operation
from wosdk_async.cli.options import unchecked_option
from wosdk_async.cli.output.cells import counted, json_text
from wosdk_async.cli.record_changes import ChangeResult, ChangeSession, RecordChange
from wosdk_async.cli.record_fields import entity_argument

if TYPE_CHECKING:
    from wosdk_async import Company
    from wosdk_async.protocol.calls import Id

__all__ = ["delete_command"]

_AT_ONCE = 32  # calls under way


@click.command("delete", no_args_is_help=True)
@entity_argument
@click.argument("record_ids", nargs=-1, required=True, metavar="ID...")
@by_option
@unchecked_option
@click.pass_context
@change_options
def delete_command(
    ctx: click.Context,
    entity: str,
    record_ids: tuple[str, ...],
    by: str | None,
    unchecked: bool,
    options: ChangeOptions,
) -> None:
    """Delete records. Each is read first, and shown with its name.

    The service only marks a record that can be restored: `wosdk run RestoreCommand`. A work order cannot be
    deleted; `wosdk cancel` cancels it.

    \b
      wosdk delete Contact 731
      wosdk delete Contact 'Ann Lee' 'Bo Ray' --by DisplayAs --dry-run
    """
    from wosdk_async.cli.input.texts import entity_named

    kind = entity_named(entity, unchecked)
    name = kind if isinstance(kind, str) else kind.wire_name
    if not isinstance(kind, str) and name == "WorkOrder":
        raise CliError("a work order cannot be deleted; cancel it: wosdk cancel ORDER --reason NAME")
    require_operation(kind, "delete", "deleted")
    texts = RecordTexts.read(kind, record_ids, by)
    with ChangeSession.open(ctx, options) as session:
        changes = session.runner.run(_deletes(session.runner.company, name, texts))
        what = changes[0].label if len(changes) == 1 else counted(len(changes), f"{name} record")
        session.carry_out(f"delete {what}", f"Delete {what}?", changes, at_once=_AT_ONCE)


async def _deletes(company: Company, name: str, texts: RecordTexts) -> list[RecordChange]:
    """Read the records and return their deletes; raise the error of one that is not there."""
    ids = {json_text(id if isinstance(id, int) else dict(id)): id for id in await texts.ids(company)}
    records = await asyncio.gather(*(company.get(name, id) for id in ids.values()))
    return [_delete(name, id, record) for id, record in zip(ids.values(), records, strict=True)]


def _delete(name: str, id: Id, record: dict[str, Any]) -> RecordChange:
    async def make(company: Company) -> ChangeResult:
        await company.delete(name, id, check=False)
        return ChangeResult("deleted")

    label = label_of(name, id, record)
    return RecordChange(label=label, facts={"entity": name, "id": id}, make=make, look=look_at(name, id))
