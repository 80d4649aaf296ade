"""``wosdk import``: import a file; ``wosdk import init``: propose a map."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.cli.import_arguments import ImportArguments, operation_of, read_options
from wosdk_async.cli.import_options import import_options, input_options
from wosdk_async.cli.options import TEMPORARY, target_options
from wosdk_async.cli.output.files import require_stdout
from wosdk_async.cli.texts import shell_words
from wosdk_async.regular_files import create_file

if TYPE_CHECKING:
    from wosdk_async.jobs.sources.source import Source


@click.command("init", no_args_is_help=True)
@click.argument("file", type=click.Path())
@input_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="MAP.toml",
    help="Write the map to a new file instead of stdout.",
)
@click.pass_context
def init_command(ctx: click.Context, /, file: str, output: Path | None, **params: Any) -> None:
    """Propose a map from similar column and field names.

    Nothing is sent. Required fields without a matching column are marked {ADAPT}. Fill those in, check the
    other lines, then pass the map to `wosdk import`.

    \b
      wosdk import init requests.csv -o map.toml
      wosdk import init customers.xlsx --entity Customer -o customers.toml
      wosdk import init prices.csv --entity Customer --update-by TenantCode
    """
    from wosdk_async.cli.import_run import say_sheet
    from wosdk_async.jobs import open_source
    from wosdk_async.jobs.mapping.draft_columns import key_columns
    from wosdk_async.jobs.mapping.drafting import ADAPT, draft_map
    from wosdk_async.jobs.mapping.import_map import DEFAULT_OPERATION
    from wosdk_async.jobs.mapping.record_operations import operation_named
    from wosdk_async.jobs.sources.spool import is_remote
    from wosdk_async.jobs.sources.table_rules import likely_header_line

    if is_remote(file):
        raise CliError(f"{file}: can only propose a map for a local file; save the input to a file first")
    operation = operation_named(operation_of(params) or DEFAULT_OPERATION)
    reading = read_options(params)
    source = open_source(file, **reading)
    _require_delimiter(source, reading["delimiter"])
    if reading["header_row"] is None and (line := likely_header_line(source)) is not None:
        reading["header_row"] = line
        source = open_source(file, **reading)
        # Rows above the header may have hidden that the delimiter is wrong, so check again.
        _require_delimiter(source, reading["delimiter"])
    say_sheet(source)
    keys = key_columns(source)
    for note in getattr(source, "notes", ()):
        say(f"warning: {note}")
    described = f" (for details: wosdk describe {operation.kind.wire_name})"
    text = draft_map(source.columns, operation, Path(file).name, keys, described, reading["header_row"])
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        with create_file(output) as map_file:
            map_file.write(text.encode())
    except FileExistsError:
        raise CliError(f"{output} exists already; name another file with -o") from None
    places = text.count(f'= "{ADAPT}')
    what = f"fill in the {places} places marked {ADAPT}" if places else "check every line"
    say(f"{output} written; {what}")
    names = {each.name: each.opts[0] for each in ctx.command.params}
    set_options = [(name, value) for name, value in params.items() if value is not None]
    options = [word for name, value in set_options for word in (names[name], str(value))]
    shown = shell_words("wosdk", "import", file, "--map", str(output), *options, "--check")
    say(f"then run: {shown}")


def _require_delimiter(source: Source, delimiter: str | None) -> None:
    """Raise CliError if ``--delimiter`` is missing and another delimiter gives more columns."""
    from wosdk_async.jobs.sources.table_rules import likely_delimiter

    if delimiter is None and (other := likely_delimiter(source)):
        columns = ", ".join(map(repr, source.columns))[:200]
        raise CliError(
            f"{source.path}: the columns would be {columns}; add --delimiter {other}, or whichever delimiter"
            " the file uses"
        )


class _Import(click.Command):
    """Command that runs ``init`` if that is its first argument; ``./init`` names a file."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] == ["init"]:
            init_command.context_class = self.context_class
            return init_command.make_context(f"{info_name} init", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command("import", cls=_Import, no_args_is_help=True)
@import_options
@target_options(hidden=True)
@click.pass_context
def import_command(
    ctx: click.Context, /, file: str | None, sandbox: str | None, check: bool, sample: int | None, **_: Any
) -> None:
    """Create a work order for each row of FILE, or run the operation set by the map, --entity or --command.

    FILE is a table (such as CSV, JSON lines, Excel or Parquet), a URL, or - for stdin. File and map are
    checked before anything is sent. Invalid rows are reported; the others are sent.

    A ledger beside FILE records the outcomes. After a stop or kill, or after you fix FILE, the same command
    sends only the remaining rows. A row is identified by its key or, if it has none, by its cells.

    `wosdk import init FILE` proposes a map.

    \b
      wosdk import requests.csv --map map.toml --check
      wosdk import requests.csv --map map.toml --sandbox
      wosdk import requests.csv --map map.toml --marker work_order.po_number
      wosdk import requests.csv --map map.toml --sandbox company.db --outcomes outcomes.jsonl
      wosdk import requests.csv.job/rejects.csv --map map.toml --yes

    Exit status: 0 all rows done, 1 some rows not done, 2 bad arguments, file or job, 3 to 6 refused by the
    Company or unreachable before anything was sent, 8 summary not written, 130 after Ctrl-C, 143 after
    SIGTERM.
    """
    if file is None:
        if sandbox and sandbox != TEMPORARY:
            raise click.UsageError(
                f"FILE is missing: {sandbox!r} was read as the --sandbox store. Put FILE first: "
                f"wosdk import {sandbox} --sandbox --map MAP.toml"
            )
        raise click.UsageError(
            "FILE is missing: name the CSV file, as in wosdk import requests.csv --map map.toml"
        )
    if sample is not None and not check:
        raise click.UsageError("--sample needs --check; an import sends all rows")
    require_stdout()
    arguments = ImportArguments.of(ctx)
    from wosdk_async.cli.import_run import check_import, run_import

    sys.exit(check_import(arguments) if check else run_import(arguments))
