"""``wosdk query``: rows of an entity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.commands.completion import entities, properties
from wosdk_async.cli.exit_codes import say, unusable, writing
from wosdk_async.cli.options import (
    Output,
    Target,
    output_of,
    output_options,
    target_of,
    target_options,
    unchecked_option,
)

if TYPE_CHECKING:
    from wosdk_async.model import Record
    from wosdk_async.query.builder import Query

__all__ = ["query_command"]

_LIMIT = 100  # rows, unless --limit or --all says otherwise


@click.command("query", no_args_is_help=True)
@click.argument("entity", shell_complete=entities)
@click.option(
    "-w",
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    shell_complete=properties,
    help="Only rows that fulfil it; of several, all must hold.",
)
@click.option(
    "-p",
    "--property",
    "paths",
    multiple=True,
    metavar="PATH",
    shell_complete=properties,
    help="Read this property path; may be repeated.",
)
@click.option(
    "--order",
    "orders",
    multiple=True,
    metavar="PATH [desc]",
    shell_complete=properties,
    help="Order by it; otherwise by Id.",
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help=f"Rows at the most; {_LIMIT} unless given."
)
@click.option("--all", "everything", is_flag=True, help="All rows, written as they come.")
@click.option(
    "--expression",
    type=click.Path(path_type=Path),
    metavar="FILE|-",
    help="A QueryExpression as JSON, sent once as it is.",
)
@unchecked_option
@output_options
@target_options(hidden=True)
@click.pass_context
def query_command(
    ctx: click.Context,
    entity: str,
    conditions: tuple[str, ...],
    paths: tuple[str, ...],
    orders: tuple[str, ...],
    limit: int | None,
    everything: bool,
    expression: Path | None,
    unchecked: bool,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
) -> None:
    """Read rows of an entity.

    A condition is PROPERTY OPERATOR VALUE: =, !=, >, >=, <, <=, like, not like, in (A, B), not in (A, B),
    between A and B, not between A and B, is null, is not null. Text may stand in quotes, and must where it
    holds a comma in a list.

    \b
      wosdk query WorkOrder --where 'StatusId in (New, Open)' --where 'Customer = 512' --order 'DtDue desc'
      wosdk query Location --all --csv -o locations.csv -p Id -p Name -p TypeId
    """
    how = output_of(as_json, as_csv, output)
    if limit and everything:
        raise click.UsageError("--limit and --all contradict each other; give one of them")
    if expression and (conditions or paths or orders or limit or everything):
        raise click.UsageError(
            "--expression says all of the query: no --where, -p, --order, --limit or --all"
        )
    with unusable():
        from wosdk_async.cli.input.names import entity_named, require_query

        kind = entity_named(entity, unchecked)
        require_query(kind)
        if expression is not None:
            _by_expression(target_of(ctx), kind, expression, how)
            return
        rows = None if everything else limit or _LIMIT
        _by_conditions(target_of(ctx), kind, conditions, orders, paths, rows, how)


def _by_expression(target: Target, kind: type[Record] | str, path: Path, how: Output) -> None:
    from wosdk_async.cli.input.json import json_object
    from wosdk_async.cli.output.forms import opened, rows_to
    from wosdk_async.cli.runner import Runner
    from wosdk_async.query.paging import ROW_CAP

    expression = json_object("--expression", path)
    name = kind if isinstance(kind, str) else kind.wire_name
    with Runner(target) as link:
        rows = link.do(link.company.query(name, expression, check=False))
    with writing("the rows were read", how.path), opened(how) as file:
        form = rows_to(file, how.form, ())
        form.rows(rows)
        form.close()
    if len(rows) >= ROW_CAP:
        say(f"{ROW_CAP} rows are the most of one answer: there may be more; --all reads on")


def _by_conditions(
    target: Target,
    kind: type[Record] | str,
    conditions: tuple[str, ...],
    orders: tuple[str, ...],
    paths: tuple[str, ...],
    limit: int | None,
    how: Output,
) -> None:
    from wosdk_async.cli.input.conditions import condition, order
    from wosdk_async.cli.output.streaming import checked, stream
    from wosdk_async.cli.runner import Runner

    asked = [condition(kind, text) for text in conditions]
    by = [order(text) for text in orders]

    def narrow(query: Query[Any]) -> Query[Any]:
        return query.where(*asked).order_by(*by).select(*paths)

    name = checked(kind, narrow)
    with Runner(target) as link:
        query = narrow(link.company.query(name, check=False))
        link.do(stream(query, limit, how, paths))
