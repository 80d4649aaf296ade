"""``wosdk get`` and ``wosdk query``: read one record, or read or count rows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from wosdk_async.cli.exit_codes import say, writing
from wosdk_async.cli.input.fields import json_object
from wosdk_async.cli.input.records import RecordTexts, by_option
from wosdk_async.cli.input.texts import condition, entity_named, order
from wosdk_async.cli.options import (
    Target,
    Whole,
    entity_argument,
    output_options,
    properties,
    properties_option,
    target_of,
    target_options,
    unchecked_option,
    where_option,
)
from wosdk_async.cli.output.cells import DefaultColumns
from wosdk_async.cli.output.files import Output, opened
from wosdk_async.cli.output.formats import format_of, write_record, write_rows
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.cli.runner import Runner
from wosdk_async.cli.texts import counted, json_text
from wosdk_async.errors import UnknownNameError
from wosdk_async.model import Record, entity_class
from wosdk_async.protocol.arguments import entity_name, require_support
from wosdk_async.protocol.wire import Call
from wosdk_async.query.builder import Query, selection
from wosdk_async.query.paging import ROW_CAP
from wosdk_async.query.plan import KEYS

_LIMIT = 100  # rows without --limit and --all
_PROGRESS = 1000  # rows between two progress reports


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

    ID is an id, number or name, or a JSON object for a compound key. Without -p the table shows the record's
    own values and the names of references.

    \b
      wosdk get WorkOrder RSC000005
      wosdk get Customer 512 -p DisplayAs -p WorkZone.DisplayAs
      wosdk get AssetTree '{"ParentId": 20400, "ChildId": 20410}'
    """
    if record_id is None:  # the only argument is an entity, or a record whose entity is missing
        example = f"{entity} ID" if entity_class(entity) else f"WorkOrder {shlex.quote(entity)}"
        raise click.UsageError(f"Missing argument 'ID'; use wosdk get {example}.")
    entity_type = entity_named(entity, unchecked)
    texts = RecordTexts.read(entity_type, [record_id], by)
    # This only validates the paths. The read below passes the entity by name, to get the record as it was
    # sent.
    selection(entity_type, paths)
    name = entity_name(entity_type)
    default_paths = DefaultColumns.of(entity_type).selection if result.format == "table" and not paths else ()
    with Runner(target_of(ctx)) as runner:
        (id,) = runner.run(texts.ids(runner.company))
        try:
            record = runner.run(runner.company.get(name, id, properties=default_paths or paths))
        except UnknownNameError:  # a release of the service may lack the name property of a reference
            if not default_paths:
                raise
            record = runner.run(runner.company.get(name, id, properties=paths))
    with writing("the record was read", result.path):
        write_record(result, record, paths, entity_type)


@click.command("query", no_args_is_help=True)
@entity_argument
@where_option
@properties_option()
@click.option(
    "--order",
    "orders",
    multiple=True,
    metavar="PATH [desc]",
    shell_complete=properties,
    help="Sort order (default: Id).",
)
@click.option("--limit", type=Whole(1), metavar="N", help=f"Maximum rows (default: {_LIMIT}).")
@click.option("--all", "everything", is_flag=True, help="Write all rows.")
@click.option(
    "--expression",
    type=click.Path(path_type=Path),
    metavar="FILE|-",
    help="QueryExpression as JSON, sent unchanged.",
)
@click.option("--count", is_flag=True, help="Print the number of rows.")
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
    count: bool,
    unchecked: bool,
    result: Output,
) -> None:
    """Read rows of an entity (default: up to 100).

    A condition is PROPERTY OPERATOR VALUE. Operators: =, !=, >, >=, <, <=, like, not like, in (A, B), not in
    (A, B), between A and B, not between A and B; without a value: is null, is not null. In a list, quote text
    that contains a comma.

    \b
      wosdk query WorkOrder --where 'StatusId in (New, Open)' --where 'Customer = 512' --order 'DtDue desc'
      wosdk query Location --all --csv -o locations.csv -p Id -p Name -p TypeId
    """
    if limit and everything:
        raise click.UsageError("--limit and --all are mutually exclusive; use one")
    if expression and (conditions or paths or orders or limit or everything):
        raise click.UsageError(
            "--expression replaces the whole query; leave out --where, -p, --order, --limit and --all"
        )
    if count and (expression or paths or orders or limit or everything or result.format == "csv"):
        raise click.UsageError("--count can be combined only with --where, --json and --output")
    kind = entity_named(entity, unchecked)
    if not unchecked:
        require_support(kind, "query")
    name, where = entity_name(kind), [condition(kind, text) for text in conditions]
    if expression is not None:
        _by_expression(target_of(ctx), kind, json_object("--expression", expression), result)
        return
    if count:
        with Runner(target_of(ctx)) as runner:
            number = runner.run(_count_rows(runner.company.query(name, check=False).where(*where), name))
        with writing("the rows were counted", result.path), opened(result.path) as file:
            data = json_text({"entity": name, "count": number}) if result.format == "json" else number
            file.write(f"{data}\n")
        return
    order_by = [order(text) for text in orders]

    def narrow(query: Query[Any]) -> Query[Any]:
        return query.where(*where).order_by(*order_by).select(*paths)

    # This only checks the names against the class. The query below passes the entity by name, to get the rows
    # as they were sent.
    narrow(Query(kind, _never_sent))
    default_paths = DefaultColumns.of(kind).selection if result.format == "table" and not paths else ()
    with Runner(target_of(ctx)) as runner:
        query = narrow(runner.company.query(name, check=False))
        rows = None if everything else limit or _LIMIT
        write = partial(_write, kind=kind, paths=paths, limit=rows, result=result)
        try:
            runner.run(write(query.select(*default_paths)))
        except UnknownNameError:
            if not default_paths:
                raise
            # A release of the service may lack the name property of a reference, so try again without these
            # properties. If a condition is at fault, the same error is raised again.
            runner.run(write(query))


def _by_expression(
    target: Target, kind: type[Record] | str, expression: dict[str, Any], result: Output
) -> None:
    with Runner(target) as runner:
        rows = runner.run(runner.company.query(entity_name(kind), expression, check=False))
    with writing("the rows were read", result.path):
        write_rows(result, rows, (), kind)
    if len(rows) >= ROW_CAP:
        say(f"a response has at most {ROW_CAP} rows; to read all, use --where and --all, not --expression")


async def _never_sent(call: Call[list[Any]]) -> NoReturn:
    raise AssertionError(f"{call.operation} is only checked, never sent")


async def _write(
    query: Query[Any], *, kind: type[Record] | str, paths: Sequence[str], limit: int | None, result: Output
) -> None:
    """Write up to ``limit`` rows page by page; report if there are no rows, or more than ``limit``."""
    wanted = query if limit is None else query.limit(limit + 1)
    rows_on_terminal = result.path is None and sys.stdout.isatty()
    live = sys.stderr.isatty() and not rows_on_terminal
    with opened(result.path) as file, RowProgress(shown=limit is None, live=live) as progress:
        writer = format_of(result, file, paths, kind)
        async with aclosing(wanted.pages()) as pages:
            async for page in pages:
                rest = page if limit is None else page[: limit - progress.rows]
                with writing("the rows were read", result.path):
                    writer.write(rest)
                    file.flush()
                progress.add(len(page))
        with writing("the rows were read", result.path):
            if not progress.rows:
                writer.write([])
            writer.close()
            file.flush()
    if limit is not None and progress.rows > limit:
        say(f"{counted(limit, 'row')} shown; there are more (see --limit, --all and --count)")
    elif not progress.rows:
        say("no rows")


async def _count_rows(query: Query[Any], entity: str) -> int:
    """Count the rows by reading their ids (facts 4)."""
    rows, key = 0, KEYS.get(entity)
    found = query.select("Id").scan(size=ROW_CAP) if key is None else aiter(query.select(*key))
    with RowProgress(final=False) as progress:
        async with aclosing(found):
            async for _ in found:
                rows += 1
                if not rows % _PROGRESS:
                    progress.add(_PROGRESS)
    return rows
