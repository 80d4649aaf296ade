"""``wosdk create``: create a record of any entity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from wosdk_async import Company
from wosdk_async.calls.markers import Marker
from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.cli.input.fields import parsed_fields, record_of, shown_value
from wosdk_async.cli.input.records import look_for, look_for_order, newest_of, python_name
from wosdk_async.cli.input.texts import entity_named
from wosdk_async.cli.options import (
    ChangeOptions,
    change_options,
    entity_argument,
    fields_argument,
    json_body_option,
    unchecked_option,
)
from wosdk_async.cli.record_changes import ChangeResult, ChangeSession, RecordChange
from wosdk_async.model import Record, WoCreateCommand
from wosdk_async.protocol.arguments import entity_name, require_support
from wosdk_async.protocol.order_rules import DUE_TIMES, replaced_fields


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
    options: ChangeOptions,
) -> None:
    """Create a record.

    Fields are NAME=VALUE as in `wosdk run`; `wosdk describe ENTITY` lists them. Work orders are created by
    WoCreateCommand. The service computes the due time unless you give DtDue, or another field that it would
    overwrite, such as Priority. To set fields of the command itself, use `wosdk run WoCreateCommand`.

    \b
      wosdk create Contact FirstName=Ann LastName=Lee CustomerId=512
      wosdk create Customer Name='Acme Mall' TenantCode=T-77 WorkZone=14 --marker TenantCode
    """
    kind = entity_named(entity, unchecked)
    is_order = not isinstance(kind, str) and kind.wire_name == "WorkOrder"
    if not is_order and not unchecked:
        require_support(kind, "create")
    values = parsed_fields(kind, fields, json_body)
    if not values:
        raise CliError(f"no fields given; add some, such as wosdk create {entity} NAME=VALUE")
    name = entity_name(kind)
    lines = [f"{key}: {shown_value(key, value)}" for key, value in values.items()]
    if is_order and not replaced_fields(values):
        lines.append("DtDue: computed by the service")
    change = RecordChange(
        label=name,
        facts={"entity": name},
        make=_create_order(kind, values, marker) if is_order else _create(kind, values, marker),
        shown=tuple(lines),
        look=_look_for(kind, values, marker),
    )
    with ChangeSession.open(ctx, options) as session:
        for warning in _order_warnings(values) if is_order else ():
            say(warning)
        session.carry_out(f"create {name}", f"Create this {name}?", [change])


def _create(kind: type[Record] | str, values: dict[str, Any], marker: str | None) -> Callable[[Company], Any]:
    what: list[Any] = [kind, values]
    options: dict[str, Any] = {"check": False}
    if isinstance(kind, str):
        if marker is not None:
            raise CliError("--marker needs an entity in the catalogue; leave out --unchecked")
    else:
        record = record_of(kind, values, new=True)
        path = None if marker is None else python_name(kind, marker, "--marker")
        if path is not None:
            Marker.of_record(record, path)  # raises if there is no key or no way to look it up
        what, options = [record], {"marker": path}

    async def create(company: Company) -> ChangeResult:
        created = await company.create(*what, **options)
        return ChangeResult(f"created, id {created.id}", {"id": created.id})

    return create


def _create_order(kind: Any, values: dict[str, Any], marker: str | None) -> Callable[[Company], Any]:
    # Let the service compute the schedule, unless that would overwrite a given field.
    compute = {} if replaced_fields(values) else {"ComputeSchedule": True}
    command = record_of(WoCreateCommand, {"WorkOrder": values, **compute})
    path = None if marker is None else f"work_order.{python_name(kind, marker, '--marker')}"
    if path is not None:
        Marker.of_command(command, path)

    async def create(company: Company) -> ChangeResult:
        order = (await company.run(command, marker=path)).wo
        if order is None:
            return ChangeResult("created")
        state = None if order.status_id is None else str(order.status_id)
        facts = {"id": order.id, "number": order.number, "after": state}
        return ChangeResult(f"{order.number or ''} created, id {order.id}, {state or '?'}".strip(), facts)

    return create


_NEXT_TIME = "with --marker PoNumber, create does the look-up for you"


def _look_for(kind: type[Record] | str, values: Mapping[str, Any], marker: str | None) -> str:
    if isinstance(kind, str):
        return newest_of(kind)
    if marker is None:
        return (
            look_for_order(values, _NEXT_TIME) if kind.wire_name == "WorkOrder" else newest_of(kind.wire_name)
        )
    key = python_name(kind, marker, "--marker")
    return look_for(kind, key, values.get(kind.__wire__[key]["name"]))


def _order_warnings(values: Mapping[str, Any]) -> Iterator[str]:
    replaced = replaced_fields(values)
    if replaced and not any(name in values for name in DUE_TIMES):
        yield (
            f"the order gets no due time, because computing it would overwrite {' and '.join(replaced)};"
            f" add DtDue=TIME or leave {'this field' if len(replaced) == 1 else 'these fields'} out"
        )
    if values.get("Contactid"):  # spec 4.3 sends the field; facts 5: a recorded release drops it
        yield "some releases drop Contactid; use RequestorContact=ID"
