"""``wosdk describe``: what the catalogue says. Nothing is sent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.completing import names
from wosdk_async.cli.exits import Unusable, unusable
from wosdk_async.cli.options import Output

if TYPE_CHECKING:
    from wosdk_async.catalogue import Catalogue
    from wosdk_async.cli.describing import Row

__all__ = ["describe_command"]


@click.command("describe", short_help="Show what is known of an entity, a command or an enum.")
@click.argument("name", required=False, shell_complete=names)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with all that the catalogue says.")
def describe_command(name: str | None, as_json: bool) -> None:
    """Show what the catalogue knows of an entity, a command or an enum; without NAME, what there is.

    Works without a Company and without a network.

    \b
      wosdk describe WorkOrder
      wosdk describe WoOnHoldCommand
      wosdk describe WorkOrderStatus --json
    """
    with unusable():
        from wosdk_async.catalogue import load
        from wosdk_async.cli.output import opened

        catalogue = load()
        row = None if name is None else _find(catalogue, name)
        with opened(Output("json" if as_json else "table", None)) as file:
            if as_json:
                file.write(_json(catalogue, row))
            else:
                _show(catalogue, row)


def _find(catalogue: Catalogue, name: str) -> Row:
    for kind in (catalogue.commands, catalogue.enums, catalogue.command_bases):
        for wire, row in kind.items():
            if wire.lower() == name.lower():
                return row
    entity = catalogue.entity(name)
    if entity is not None:
        return entity
    from wosdk_async.cli.names import near

    known = (*catalogue.entities, *catalogue.aliases, *catalogue.commands, *catalogue.enums)
    guess = near(name, known) or "; wosdk describe lists all names"
    raise Unusable(f"the catalogue has no entity, command or enum {name!r}{guess}")


def _json(catalogue: Catalogue, row: Row | None) -> str:
    from wosdk_async.cli.describing import as_data, contents
    from wosdk_async.cli.plain import json_text

    data: Any = contents(catalogue) if row is None else as_data(row)
    return f"{json_text(data)}\n"


def _show(catalogue: Catalogue, row: Row | None) -> None:
    from wosdk_async.cli.describing import show, show_all

    if row is None:
        show_all(sys.stdout, catalogue)
    else:
        show(sys.stdout, row)
