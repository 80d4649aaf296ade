"""``wosdk create``, ``wosdk update`` and ``wosdk delete``: create, change or delete records of any entity."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from wosdk_async import Company, codec
from wosdk_async.calls.markers import Marker, field_of, is_key
from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.cli.input.fields import parsed_fields, record_of, shown_value
from wosdk_async.cli.input.records import (
    RecordTexts,
    by_option,
    label_of,
    newest_command,
    order_search_command,
    python_name,
    search_command,
    show_command,
)
from wosdk_async.cli.input.texts import entity_named
from wosdk_async.cli.options import (
    change_options,
    entity_argument,
    fields_argument,
    json_body_option,
    unchecked_option,
)
from wosdk_async.cli.record_changes import ChangeResult, ChangeSession, RecordChange
from wosdk_async.cli.texts import counted, json_text
from wosdk_async.model import Record, WoCreateCommand, WorkOrder, registry
from wosdk_async.model.metadata import OWNED, Wire
from wosdk_async.protocol import updates
from wosdk_async.protocol.arguments import entity_name, require_support
from wosdk_async.protocol.order_rules import DUE_TIMES, replaced_fields
from wosdk_async.protocol.records import Id


@click.command("create", no_args_is_help=True)
@entity_argument
@fields_argument
@json_body_option
@click.option("--marker", metavar="NAME", help="Field with your own key, to find a record in doubt.")
@unchecked_option
@click.pass_context
@change_options
def create_command(
    ctx: click.Context,
    entity: str,
    fields: tuple[str, ...],
    json_body: Path | None,
    marker: str | None,
    unchecked: bool,
    **options: bool,
) -> None:
    """Create a record.

    Fields are NAME=VALUE as in `wosdk run`; `wosdk describe ENTITY` lists them. Work orders are created by
    WoCreateCommand. The service computes the due time, unless you give DtDue or another field that the
    computation would overwrite, such as Priority. To set fields of the command itself, use
    `wosdk run WoCreateCommand`.

    \b
      wosdk create Contact FirstName=Ann LastName=Lee CustomerId=512
      wosdk create Customer Name='Acme Mall' TenantCode=T-77 WorkZone=14 --marker TenantCode
    """
    kind = entity_named(entity, unchecked)
    is_order = not isinstance(kind, str) and kind.wire_name == "WorkOrder"
    if not is_order and not unchecked:
        require_support(kind, "create")
    values = parsed_fields(kind, fields, json_body, empty_is_null=True)
    if not values:
        raise CliError(f"no fields given; add some, such as wosdk create {entity} NAME=VALUE")
    name = entity_name(kind)
    lines = [f"{key}: {shown_value(key, value)}" for key, value in values.items()]
    if is_order and not replaced_fields(values):
        lines.append("DtDue: computed by the service")
    change = RecordChange(
        label=name,
        facts={"entity": name},
        make=_order_creator(values, marker) if is_order else _creator(kind, values, marker),
        shown=tuple(lines),
        look_command=_look_command(kind, values, marker),
    )
    with ChangeSession.open(ctx, **options) as session:
        for warning in _order_warnings(values) if is_order else ():
            say(warning)
        session.carry_out(f"create {name}", f"Create this {name}?", [change])


def _creator(
    kind: type[Record] | str, values: dict[str, Any], marker: str | None
) -> Callable[[Company], Any]:
    what: list[Any] = [kind, values]
    options: dict[str, Any] = {"check": False}
    if isinstance(kind, str):
        if marker is not None:
            raise CliError("--marker needs an entity in the catalogue; leave out --unchecked")
    else:
        record = record_of(kind, values, new=True)
        what, options = [record], {"marker": _marker_path(record, values, marker)}

    async def create(company: Company) -> ChangeResult:
        created = await company.create(*what, **options)
        return ChangeResult(f"created, id {created.id}", {"id": created.id})

    return create


def _order_creator(values: dict[str, Any], marker: str | None) -> Callable[[Company], Any]:
    # Let the service compute the schedule, unless that would overwrite a given field.
    compute = {} if replaced_fields(values) else {"ComputeSchedule": True}
    command = record_of(WoCreateCommand, {"WorkOrder": values, **compute})
    path = _marker_path(command, values, marker)

    async def create(company: Company) -> ChangeResult:
        order = (await company.run(command, marker=path)).wo
        if order is None:
            return ChangeResult("created")
        state = None if order.status_id is None else str(order.status_id)
        facts = {"id": order.id, "number": order.number, "after": state}
        return ChangeResult(f"{order.number or ''} created, id {order.id}, {state or '?'}".strip(), facts)

    return create


def _marker_path(subject: Any, values: Mapping[str, Any], marker: str | None) -> str | None:
    """Return the marker's path in the order's command or the record. Raises CliError if no key is set."""
    if marker is None:
        return None
    is_order = isinstance(subject, WoCreateCommand)
    kind: Any = WorkOrder if is_order else type(subject)
    key = python_name(kind, marker, "--marker")
    path = f"work_order.{key}" if is_order else key
    field_of(type(subject), path)  # raises if the field cannot hold a key
    name = kind.__wire__[key]["name"]
    if not is_key(values.get(name)):
        raise CliError(
            f"--marker {marker}: add {name}=KEY, your own unique key, without surrounding whitespace"
        )
    (Marker.of_command if is_order else Marker.of_record)(subject, path)  # raises if it cannot be looked up
    return path


_NEXT_TIME = "next time, --marker PoNumber does this look-up for you"


def _look_command(kind: type[Record] | str, values: Mapping[str, Any], marker: str | None) -> str:
    if isinstance(kind, str):
        return newest_command(kind)
    if marker is None and kind.wire_name == "WorkOrder":
        return order_search_command(values, _NEXT_TIME)
    if marker is None:
        return newest_command(kind.wire_name)
    key = python_name(kind, marker, "--marker")
    return search_command(kind, key, values.get(kind.__wire__[key]["name"]))


def _order_warnings(values: Mapping[str, Any]) -> Iterator[str]:
    replaced = replaced_fields(values)
    if replaced and not any(name in values for name in DUE_TIMES):
        yield (
            f"the order gets no due time, because computing it would overwrite {' and '.join(replaced)};"
            f" add DtDue=TIME or leave {'this field' if len(replaced) == 1 else 'these fields'} out"
        )
    if values.get("Contactid"):  # spec 4.3 sends the field; facts 5: a recorded release drops it
        yield "some releases drop Contactid; use RequestorContact=ID"


@click.command("update", no_args_is_help=True)
@entity_argument
@click.argument("record_id", metavar="ID")
@fields_argument
@json_body_option
@click.option("--if-unchanged", is_flag=True, help="Fail if the record has changed since it was read.")
@by_option
@unchecked_option
@click.pass_context
@change_options
def update_command(
    ctx: click.Context,
    entity: str,
    record_id: str,
    fields: tuple[str, ...],
    json_body: Path | None,
    if_unchanged: bool,
    by: str | None,
    unchecked: bool,
    **options: bool,
) -> None:
    """Update fields of a record, after showing old and new values.

    ID is the record's id, number or name. For a work order write id:2903 or number:2903 if the digits could
    be either. NAME= writes null. Only changed fields are sent.

    \b
      wosdk update Customer 512 Instructions='Ring twice' WorkZone=15
      wosdk update WorkOrder RSC000005 PoNumber= --if-unchanged
    """
    kind = entity_named(entity, unchecked)
    if not unchecked:
        require_support(kind, "update")
    texts = RecordTexts.read(kind, [record_id], by)
    values = parsed_fields(kind, fields, json_body, empty_is_null=True)
    if not values:
        raise CliError(f"no fields given; add some, as in: wosdk update {entity} ID NAME=VALUE")
    if if_unchanged and isinstance(kind, str):
        raise CliError("--if-unchanged needs an entity in the catalogue; leave out --unchecked")
    if not isinstance(kind, str):
        record_of(kind, values)
    with ChangeSession.open(ctx, **options) as session:
        change = session.runner.run(_plan_update(session.runner.company, kind, texts, values, if_unchanged))
        if change is None:
            say("the record already has these values; nothing was sent")
            return
        session.carry_out(f"update {change.label}", f"Update {change.label}?", [change])


Write = Callable[[Company], Awaitable[int | None]]
"""Function that writes an update and returns the record's new version."""


async def _plan_update(
    company: Company, kind: type[Record] | str, texts: RecordTexts, values: dict[str, Any], if_unchanged: bool
) -> RecordChange | None:
    """Read the record, and return the change to make, or None if nothing differs."""
    (id,) = await texts.ids(company, certain=True)
    if isinstance(kind, str):
        old, new, write = await _by_name(company, kind, id, values)
    else:
        old, new, write = await _by_class(company, kind, id, values, if_unchanged)
    if not new:
        return None

    async def make(company: Company) -> ChangeResult:
        version = await write(company)
        return ChangeResult(f"updated: {', '.join(new)}", {"fields": list(new), "version": version})

    name = entity_name(kind)
    return RecordChange(
        label=label_of(name, id, old),
        facts={"entity": name, "id": id},
        make=make,
        shown=tuple(
            f"{key}: {shown_value(key, old.get(key))} -> {shown_value(key, new[key])}" for key in new
        ),
        look_command=show_command(name, id),
    )


async def _by_name(
    company: Company, name: str, id: Id, values: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], Write]:
    """Return a record of an unknown entity, the differing fields, and a function to write them."""
    old: dict[str, Any] = await company.get(name, id, properties=["*"])
    new = _differing(old, values)
    properties = [
        path
        for field, value in new.items()
        for path in ([f"{field}.{inner}" for inner in value] if isinstance(value, dict) else [field])
    ]

    async def write(company: Company) -> int | None:
        key = {"Id": id} if isinstance(id, int) else dict(id)
        return (await company.put(name, {**key, **new}, properties=properties)).concurrency_id

    return old, new, write


async def _by_class(
    company: Company, kind: type[Record], id: Id, values: dict[str, Any], if_unchanged: bool
) -> tuple[dict[str, Any], dict[str, Any], Write]:
    """Return a record, the differing fields, and a function to write them; raise validation errors."""
    metas = {meta["name"]: meta for meta in kind.__wire__.values()}
    paths = ["*", *(path for name in values for path in _paths_below(name, metas[name]))]
    read: Any = await company.get(kind, id, properties=paths)
    old: dict[str, Any] = codec.unstructure(read)
    whole = dict(values)
    for name, value in values.items():
        had = old.get(name)
        if metas[name]["type"] == "money" and isinstance(value, dict) and isinstance(had, dict):
            whole[name] = had | value  # facts 3.4: an amount is written whole, so unchanged parts are added
    new, changes = _differing(old, whole), {}
    if new:
        record = record_of(kind, new)
        names = [python_name(kind, name, "update") for name in new]
        changes = {name: getattr(record, name) for name in names}
        updates.change(read, changes)
        if if_unchanged:
            updates.version(read)

    async def write(company: Company) -> int | None:
        updated = await company.update(read, if_unchanged=if_unchanged, **changes)
        return getattr(updated, "concurrency_id", None)

    return old, new, write


def _paths_below(name: str, meta: Wire) -> list[str]:
    """Return the paths to read below a reference: all for a list or owned record, else only id and name."""
    if meta["type"] != "ref":
        return []
    if meta.get("many") or meta["of"] in OWNED:
        return [f"{name}.*"]
    has_name = "display_as" in registry.resolve(meta["of"]).__wire__
    return [f"{name}.Id", *([f"{name}.DisplayAs"] if has_name else [])]


def _differing(old: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not _same(old.get(name), value)}


def _same(old: Any, new: Any) -> bool:
    """Return whether two values are equal. For objects, only the fields in ``new`` are compared."""
    if isinstance(new, dict) and isinstance(old, dict):
        return bool(new) and all(_same(old.get(key), value) for key, value in new.items())
    return bool(old == new)


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
    **options: bool,
) -> None:
    """Delete records, after showing each.

    `wosdk run RestoreCommand` restores soft-deleted records. Work orders cannot be deleted; use `wosdk
    cancel`.

    \b
      wosdk delete Contact 731
      wosdk delete Contact 'Ann Lee' 'Bo Ray' --by DisplayAs --dry-run
    """
    kind = entity_named(entity, unchecked)
    name = entity_name(kind)
    if not isinstance(kind, str) and name == "WorkOrder":
        raise CliError("a work order cannot be deleted; cancel it: wosdk cancel ORDER --reason NAME")
    if not unchecked:
        require_support(kind, "delete")
    texts = RecordTexts.read(kind, record_ids, by)
    with ChangeSession.open(ctx, **options) as session:
        changes = session.runner.run(_plan_deletions(session.runner.company, name, texts))
        what = changes[0].label if len(changes) == 1 else counted(len(changes), f"{name} record")
        session.carry_out(f"delete {what}", f"Delete {what}?", changes)


async def _plan_deletions(company: Company, name: str, texts: RecordTexts) -> list[RecordChange]:
    ids = {json_text(id if isinstance(id, int) else dict(id)): id for id in await texts.ids(company)}
    records = await asyncio.gather(*(company.get(name, id) for id in ids.values()))
    return [_plan_deletion(name, id, record) for id, record in zip(ids.values(), records, strict=True)]


def _plan_deletion(name: str, id: Id, record: dict[str, Any]) -> RecordChange:
    async def make(company: Company) -> ChangeResult:
        await company.delete(name, id, check=False)
        return ChangeResult("deleted")

    label = label_of(name, id, record)
    return RecordChange(
        label=label, facts={"entity": name, "id": id}, make=make, look_command=show_command(name, id)
    )
