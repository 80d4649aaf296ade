"""Options of ``wosdk import``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wosdk_async.cli.options import TEMPORARY, Number, Whole, excel_option, with_options

_PATH = click.Path(path_type=Path)


class _MapPath(click.Path):
    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002
        return "`wosdk import init FILE` proposes a map."


class OneRun(click.Option):
    """Option of a single run; ``wosdk jobs resume`` does not reuse its value."""


def _sheet(_: click.Context, __: click.Parameter, text: str | None) -> str | int | None:
    """Convert digits to a sheet's position, even if a sheet has this name."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() else text


# --- the file and its rows ------------------------------------------------------------------

_FILE = click.argument("file", required=False, type=click.Path())
_MAP = click.option(
    "--map",
    "map_file",
    type=_MapPath(path_type=Path),
    required=True,
    metavar="MAP.toml",
    help="TOML map of columns to fields.",
)
_INPUT = (
    click.option("--delimiter", metavar="CHAR", help="CSV delimiter, such as ';', '|' or tab."),
    click.option("--encoding", metavar="NAME", help="Text encoding, such as cp1252 (default: UTF-8)."),
    click.option(
        "--sheet", metavar="NAME|N", callback=_sheet, help="Excel sheet (default: the first visible one)."
    ),
    click.option(
        "--header-row",
        type=Whole(1, 10_000_000),
        metavar="N",
        help="Header line number (default: the first).",
    ),
    click.option(
        "--format",
        metavar="NAME",
        help="File format, such as csv, if the suffix does not show it.",
    ),
    click.option("--command", metavar="NAME", help="Command to run per row (default: WoCreateCommand)."),
    click.option("--entity", metavar="NAME", help="Create a record of this entity for each row."),
    click.option(
        "--update-by", metavar="FIELD", help="Update the --entity record whose FIELD matches the row."
    ),
    click.option(
        "--delete-by", metavar="FIELD", help="Delete the --entity record whose FIELD matches the row."
    ),
)

# --- the job --------------------------------------------------------------------------------

_JOB = (
    click.option(
        "--sandbox",
        is_flag=False,
        flag_value=TEMPORARY,
        metavar="[STORE.db]",
        help="Use a local Company (temporary without STORE.db).",
    ),
    click.option(
        "--job",
        "folder",
        cls=OneRun,
        type=_PATH,
        metavar="DIR",
        help="Job folder on a local disk (default: FILE.job).",
    ),
    click.option("--marker", metavar="FIELD", help="Field for each row's key; prevents duplicates."),
    click.option(
        "--if-exists",
        type=click.Choice(["fail", "skip"]),
        default="fail",
        show_default=True,
        help="What to do if a row's key already exists.",
    ),
    click.option("--again", cls=OneRun, is_flag=True, help="Resend all rows in a new job."),
    click.option(
        "--new-rows", cls=OneRun, is_flag=True, help="Send new rows even if FILE lacks rows sent before."
    ),
    click.option("--retry-refused", cls=OneRun, is_flag=True, help="Retry unchanged rows that were refused."),
    click.option("--retry-undone", cls=OneRun, is_flag=True, help="Retry rows undone by wosdk jobs undo."),
    click.option("--check", cls=OneRun, is_flag=True, help="Report what would happen; send nothing."),
    click.option("--sample", cls=OneRun, type=Whole(1), metavar="N", help="Check only N rows."),
    click.option("--resume", cls=OneRun, is_flag=True, hidden=True, help="Do not start a new job."),
)
_RESULTS = (
    click.option(
        "--outcomes", type=_PATH, metavar="FILE", help="Write outcomes as JSON lines (CSV with --check)."
    ),
    click.option("--force", cls=OneRun, is_flag=True, help="Overwrite the --outcomes of another import."),
    excel_option,
    click.option("--json", "as_json", cls=OneRun, is_flag=True, help="Print one JSON object."),
    click.option("--yes", cls=OneRun, is_flag=True, help="Do not ask for confirmation."),
)

# --- how fast, and where ---------------------------------------------------------------------

_RUN = (
    click.option(
        "--concurrency",
        type=Whole(1, 1000),
        metavar="N",
        help="Concurrent calls (default: 32).",
    ),
    click.option("--rate", type=Number(0, min_open=True), metavar="N", help="Maximum calls per second."),
    click.option(
        "--processes",
        type=Whole(1, 256),
        metavar="N",
        help="Send from N processes; needs --marker and dask.",
    ),
    click.option("--engine", metavar="URL", help="Send from a Dask cluster: dask+tls://HOST:8786."),
    click.option(
        "--lease", type=Number(1), metavar="SECONDS", help="Lease time for a worker's rows (default: 30)."
    ),
    click.option("--stop-after", metavar="N|P%", help="Stop after N failed rows, or P% of all."),
    click.option(
        "--stop-after-doubt",
        type=Whole(1),
        metavar="N",
        help="Stop after N rows in doubt (default: 100).",
    ),
)


def input_options(command: Any) -> Any:
    """Add the options for reading a file and mapping its rows."""
    return with_options(command, *_INPUT)


def import_options(command: Any) -> Any:
    """Add the FILE argument and all import options."""
    return with_options(command, _FILE, _MAP, *_INPUT, *_JOB, *_RUN, *_RESULTS)
