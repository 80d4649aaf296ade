"""``wosdk export``: the records of an entity in a file."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.options import (
    entity_argument,
    excel_separator,
    json_option,
    properties_option,
    target_of,
    target_options,
    where_option,
)
from wosdk_async.cli.output.files import require_not_kept, require_stdout
from wosdk_async.cli.texts import message_of

if TYPE_CHECKING:
    from wosdk_async.jobs.exports.exporter import Export
    from wosdk_async.jobs.exports.incremental import IncrementalExport
    from wosdk_async.jobs.exports.plan import ExportSummary

__all__ = ["export_command"]


@click.command("export", no_args_is_help=True)
@entity_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="File to write: .parquet, .csv, .jsonl or .xlsx; with --since last a directory of parts.",
)
@where_option
@properties_option("--select")
@click.option(
    "--since",
    metavar="last|TIME",
    help="Work orders that changed: since the last part of the directory, or since a time.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum rows, by the lowest ids.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["parquet", "csv", "jsonl", "xlsx"]),
    help="Format, where the suffix does not say it.",
)
@click.option(
    "--csv-for-excel",
    type=excel_separator,
    help="CSV for Excel: semicolon, with numbers such as 1,5, where the region writes them so.",
)
@click.option(
    "--csv-raw",
    is_flag=True,
    help="CSV for programs: no apostrophe before texts that begin like a formula, such as +49 30.",
)
@click.option(
    "--parallel",
    type=click.IntRange(1, 100),
    default=4,
    show_default=True,
    metavar="N",
    help="Calls at once; each reads a range of ids.",
)
@click.option(
    "--page",
    type=click.IntRange(1, 4000),
    metavar="N",
    help="Rows of one call, 1000 unless you say otherwise; fewer for large records.",
)
@click.option("--again", is_flag=True, help="Begin anew, although an export to FILE was stopped.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
@target_options(hidden=True)
@click.pass_context
def export_command(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
    """Write the records of ENTITY to a file, all of them unless conditions say otherwise.

    Records become rows in the order of Id: a column for each single value, Customer.Name for what is opened,
    JSON for lists, and a last column Extra for what the catalogue does not know. Without -p they have what
    the service sends by default. A CSV has an apostrophe before each text that a spreadsheet would take for
    a formula, such as +49 30 123: programs want --csv-raw.

    Stopped or killed, the same command resumes it. What was read is kept beside FILE until then.

    \b
      wosdk export WorkOrder -o orders.parquet
      wosdk export WorkOrder --where 'StatusId = New' -p Number -p Customer.Name -p DtDue -o new.xlsx
      wosdk export Location -p '*' -o locations.csv --csv-for-excel semicolon
      wosdk export WorkOrder --since last -o orders/

    Exit status: 0 the file is complete, 2 the command or the output cannot be used, 3 to 6 the Company
    refused or was not reached, 8 a file could not be written, 130 after Ctrl-C.
    """
    require_stdout()
    if str(given["output"]) == "-":
        raise CliError("-o -: an export is a file that appears when it is complete, not stdout; name a file")
    require_not_kept("--output", given["output"])
    summary = _run(ctx, given)
    if summary.guarded:
        from wosdk_async.cli.output.formats import guarded_texts

        say(guarded_texts(summary.guarded, raw=given["csv_raw"]))
    if summary.clock_behind:
        behind = timedelta(seconds=round(summary.clock_behind))
        say(
            f"the service's clock is {behind} behind the last part, so the new part has all work orders and "
            "none is missed; ask the maintainers of the service to correct the clock"
        )
    if as_json:
        from wosdk_async.cli.texts import json_text

        click.echo(json_text(summary.as_dict()))
    else:
        _print(summary)


def _run(ctx: click.Context, given: dict[str, Any]) -> ExportSummary:
    from wosdk_async.cli.output.progress import RowProgress
    from wosdk_async.cli.runner import Runner
    from wosdk_async.cli.texts import counted
    from wosdk_async.errors import WosdkError
    from wosdk_async.jobs.errors import OutputError

    export = _incremental(given) if given["since"] == "last" else _whole(given)
    target = attrs.evolve(target_of(ctx), read_only=True)
    with Runner(target, in_flight=given["parallel"]) as runner, RowProgress() as progress:
        export.watch(lambda rows: progress.add(rows - progress.rows), progress.stage)
        try:
            return runner.run(export.run(runner.company))
        except OutputError as error:
            raise CliError(message_of(error), Exit.UNWRITTEN) from error
        except (WosdkError, KeyboardInterrupt):
            if export.is_kept:
                say(f"{counted(export.rows, 'row')} were read and are kept: the same command resumes")
            raise


def _incremental(given: dict[str, Any]) -> IncrementalExport:
    from wosdk_async.cli.input.texts import entity_named
    from wosdk_async.jobs.exports.incremental import IncrementalExport

    for option, name in (("--where", "conditions"), ("--limit", "limit")):
        if given[name]:
            raise CliError(
                f"--since last exports every change, so {option} is not for it: an order that no longer "
                "fulfils a condition would seem unchanged. Filter the parts when you read them"
            )
    for option in ("again", "force"):
        if given[option]:
            raise CliError(f"--since last only adds parts, so there is no --{option}; name another directory")
    if given["page"]:
        raise CliError("--since last reads 1,000 rows with each call, so there is no --page; leave it out")
    return IncrementalExport(
        entity_named(given["entity"], unchecked=False),
        given["output"],
        select=given["paths"],
        format=given["file_format"],
        csv_for_excel=given["csv_for_excel"],
        csv_raw=given["csv_raw"],
    )


def _whole(given: dict[str, Any]) -> Export:
    from wosdk_async.cli.input.texts import condition, entity_named
    from wosdk_async.jobs.exports.exporter import Export

    kind = entity_named(given["entity"], unchecked=False)
    return Export(
        kind,
        given["output"],
        where=[condition(kind, text) for text in given["conditions"]],
        select=given["paths"],
        since=_time(given["since"]),
        format=given["file_format"],
        page=given["page"] or 1000,
        **{name: given[name] for name in ("limit", "parallel", "again", "force", "csv_for_excel", "csv_raw")},
    )


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CliError(f"--since {text!r}: write last, or a time with its zone such as 2026-03-01T08:00Z")
    return moment


def _print(summary: ExportSummary) -> None:
    from wosdk_async.cli.texts import counted

    if summary.path is None:
        click.echo("nothing has changed since the last part")
        return
    size = f"{summary.bytes / 1e6:.1f} MB" if summary.bytes >= 100_000 else f"{summary.bytes:,} bytes"
    click.echo(
        f"{summary.path}: {counted(summary.rows, 'row')}, {counted(summary.columns, 'column')}, {size} "
        f"in {summary.seconds:.1f} s"
    )
