"""``wosdk export``: write an entity's records to a file."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from wosdk_async.cli.exit_codes import CliError, Exit, say
from wosdk_async.cli.options import (
    Whole,
    entity_argument,
    excel_option,
    json_option,
    properties_option,
    raw_option,
    target_of,
    target_options,
    where_option,
)
from wosdk_async.cli.output.files import require_not_in_job, require_stdout
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.cli.texts import counted, json_text, message_of
from wosdk_async.errors import WosdkError

if TYPE_CHECKING:
    from wosdk_async.jobs.exports import ExportSummary
    from wosdk_async.jobs.exports.exporter import Export
    from wosdk_async.jobs.exports.incremental import IncrementalExport


@click.command("export", no_args_is_help=True)
@entity_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="File to write; with --since last, a directory.",
)
@where_option
@properties_option("--select")
@click.option("--since", metavar="last|TIME", help="Only work orders changed since the last run or TIME.")
@click.option("--limit", type=Whole(1), metavar="N", help="Maximum rows; lowest ids first.")
@click.option(
    "--format",
    type=click.Choice(["parquet", "csv", "jsonl", "xlsx"]),
    help="File format, if the suffix is ambiguous.",
)
@excel_option
@raw_option
@click.option(
    "--parallel",
    type=Whole(1, 100),
    default=4,
    show_default=True,
    metavar="N",
    help="Concurrent calls.",
)
@click.option("--page", type=Whole(1, 4000), metavar="N", help="Rows per call (default: 1000).")
@click.option("--again", is_flag=True, help="Restart a stopped export instead of resuming it.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
@target_options(hidden=True)
@click.pass_context
def export_command(ctx: click.Context, /, as_json: bool, **params: Any) -> None:
    """Write the records of ENTITY to a .parquet, .csv, .jsonl or .xlsx file.

    Rows are ordered by Id. Each value has its own column; lists are written as JSON. Values unknown to the
    catalogue go to the last column, Extra. Without -p the service chooses the properties. In CSV, text that a
    spreadsheet would read as a formula, such as +49 30 123, gets a leading apostrophe.

    After a stop or kill, run the same command to resume.

    \b
      wosdk export WorkOrder -o orders.parquet
      wosdk export WorkOrder --where 'StatusId = New' -p Number -p Customer.Name -p DtDue -o new.xlsx
      wosdk export Location -p '*' -o locations.csv --csv-for-excel semicolon
      wosdk export WorkOrder --since last -o orders/

    Exit status: 0 complete, 2 bad arguments or output, 3 to 6 refused by the Company or unreachable, 8 output
    not written, 130 after Ctrl-C.
    """
    require_stdout()
    if str(params["output"]) == "-":
        raise CliError("-o -: cannot export to stdout; name a file")
    require_not_in_job("--output", params["output"])
    summary = _run(ctx, params)
    if summary.guarded:
        from wosdk_async.cli.output.formats import guard_warning

        say(guard_warning(summary.guarded, raw=params["csv_raw"]))
    if summary.clock_behind:
        behind = timedelta(seconds=round(summary.clock_behind))
        say(
            f"the service's clock is {behind} behind the time of the last part, so the new part has all work "
            "orders; ask the service's operator to correct the clock"
        )
    if as_json:
        click.echo(json_text(summary.as_dict()))
    else:
        _print(summary)


def _run(ctx: click.Context, params: dict[str, Any]) -> ExportSummary:
    from wosdk_async.cli.runner import Runner
    from wosdk_async.jobs.errors import OutputError

    export = _incremental(params) if params["since"] == "last" else _whole(params)
    target = attrs.evolve(target_of(ctx), read_only=True)
    with Runner(target, in_flight=params["parallel"]) as runner, RowProgress() as progress:
        export.watch(lambda rows: progress.add(rows - progress.rows), progress.stage)
        try:
            return runner.run(export.run(runner.company))
        except OutputError as error:
            raise CliError(message_of(error), Exit.UNWRITTEN) from error
        except (WosdkError, KeyboardInterrupt):
            if export.is_kept:
                rows = counted(export.rows, "row")
                say(f"{rows} written so far; run the same command to resume the export")
            raise


def _incremental(params: dict[str, Any]) -> IncrementalExport:
    from wosdk_async.cli.input.texts import entity_named
    from wosdk_async.jobs.exports.incremental import IncrementalExport

    for option, name in (("--where", "conditions"), ("--limit", "limit")):
        if params[name]:
            raise CliError(
                f"--since last exports every change, so {option} does not apply; filter when you "
                "read the parts"
            )
    for option in ("again", "force"):
        if params[option]:
            raise CliError(
                f"--since last only adds parts, so --{option} does not apply; name another directory"
            )
    if params["page"]:
        raise CliError("--since last always reads 1,000 rows per call; leave out --page")
    export = IncrementalExport(
        entity_named(params["entity"], unchecked=False),
        params["output"],
        select=params["paths"],
        **{name: params[name] for name in ("format", "csv_for_excel", "csv_raw")},
    )
    if export.folder.suffix and not export.folder.exists():
        say(f"{export.folder} will be a directory; each run adds a part to it")
    return export


_PASSED = ("format", "limit", "parallel", "again", "force", "csv_for_excel", "csv_raw")


def _whole(params: dict[str, Any]) -> Export:
    from wosdk_async.cli.input.texts import condition, entity_named
    from wosdk_async.jobs.exports.exporter import Export

    kind = entity_named(params["entity"], unchecked=False)
    return Export(
        kind,
        params["output"],
        where=[condition(kind, text) for text in params["conditions"]],
        select=params["paths"],
        since=_time(params["since"]),
        page=params["page"] or 1000,
        **{name: params[name] for name in _PASSED},
    )


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CliError(f"--since {text!r}: write 'last', or a time with its zone, such as 2026-03-01T08:00Z")
    return moment


def _print(summary: ExportSummary) -> None:
    if summary.path is None:
        click.echo("nothing has changed since the last part")
        return
    size = f"{summary.bytes / 1e6:.1f} MB" if summary.bytes >= 100_000 else f"{summary.bytes:,} bytes"
    click.echo(
        f"{summary.path}: {counted(summary.rows, 'row')}, {counted(summary.columns, 'column')}, {size} "
        f"in {summary.seconds:.1f} s"
    )
