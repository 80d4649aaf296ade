"""``wosdk import``: create, change or delete records from a file, as a map says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from wosdk_async.cli.commands.import_init import init_command
from wosdk_async.cli.exit_codes import cli_errors
from wosdk_async.cli.import_options import ImportArguments, input_options, job_options
from wosdk_async.cli.local_company import TEMPORARY
from wosdk_async.cli.options import target_options
from wosdk_async.cli.output.files import require_stdout

__all__ = ["import_command"]


class _Import(click.Command):
    """Command with a FILE, or the command ``init`` in its place; a file of that name is ``./init``."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the options of the one or the other."""
        if args[:1] == ["init"]:
            init_command.context_class = self.context_class
            return init_command.make_context(f"{info_name} init", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    "import",
    cls=_Import,
    short_help="Create or change a record for each row of a file.",
    no_args_is_help=True,
)
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--map",
    "map_file",
    type=click.Path(path_type=Path),
    required=True,
    metavar="MAP.toml",
    help="TOML file that says which column fills which field.",
)
@input_options
@job_options
@target_options(hidden=True)
@click.pass_context
def import_command(
    ctx: click.Context, /, file: str | None, sandbox: str | None, check: bool, sample: int | None, **_: Any
) -> None:
    """Create one work order for each row of FILE, or do for each row what the map says.

    The file and the map are checked as a whole before anything is sent. A row that cannot be used is
    reported, and all others are carried out. The map or --entity and --command say what is done: a command
    is run, or a record is created, updated or deleted.

    FILE is CSV, TSV, JSON lines, Excel or Parquet; - is stdin, and https:// and other URLs are read, too:
    their content is copied into the job folder, which is in the working directory then.

    The import keeps a ledger in a folder beside FILE. After a stop, a kill, or a correction of FILE the same
    command sends the rows that are not done, and no others: a row is known by its key, or else by its cells.

    `wosdk import init FILE` proposes a map.

    \b
      wosdk import requests.csv --map map.toml --check
      wosdk import requests.csv --map map.toml --sandbox
      wosdk import requests.csv --map map.toml --marker work_order.po_number
      wosdk import requests.csv --map map.toml --sandbox company.db --outcomes outcomes.jsonl
      wosdk import requests.csv.job/rejects.csv --map map.toml --yes

    Exit status: 0 all rows were carried out, 1 some were not, 2 the command, a file or the job cannot be
    used; 3 to 6 the Company refused or was not reached before anything was sent, 8 the summary could not be
    written, 130 after Ctrl-C and 143 after SIGTERM.
    """
    if file is None:
        raise click.UsageError(_no_file(sandbox))
    if sample is not None and not check:
        raise click.UsageError("--sample is for --check; an import takes all rows")
    require_stdout()
    with cli_errors():
        arguments = ImportArguments.of(ctx)
        if check:
            from wosdk_async.cli.import_check import check_import

            status: int = check_import(arguments)
        else:
            from wosdk_async.cli.import_run import run_import

            status = run_import(arguments)
    sys.exit(status)


def _no_file(sandbox: str | None) -> str:
    if sandbox and sandbox != TEMPORARY:
        return (
            f"FILE is missing: --sandbox took {sandbox!r} as its store. Write FILE first, as in "
            f"wosdk import {sandbox} --sandbox --map MAP.toml"
        )
    return "FILE is missing: name the CSV file, as in wosdk import requests.csv --map map.toml"
