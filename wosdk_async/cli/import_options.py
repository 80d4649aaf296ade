"""Options of ``wosdk import``: how a file is read, what is done with its rows, how fast and where it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from wosdk_async.cli.options import TEMPORARY, Number, added, excel_separator

__all__ = ["RUN_NAMES", "OneRun", "excel_option", "import_options", "input_options", "run_options"]

_PATH = click.Path(path_type=Path)


class OneRun(click.Option):
    """An option of one run alone, or one that the journal itself knows: no job keeps it for a resume."""


# --- the file and its rows ------------------------------------------------------------------

_FILE = click.argument("file", required=False, type=click.Path())
_MAP = click.option(
    "--map",
    "map_file",
    type=_PATH,
    required=True,
    metavar="MAP.toml",
    help="TOML file that says which column fills which field.",
)

excel_option = click.option(
    "--csv-for-excel",
    type=excel_separator,
    help="Write the CSV files of the job for Excel, which wants semicolons where 1,5 is a number.",
)

_INPUT = (
    click.option(
        "--delimiter", metavar="CHAR", help="Character between the cells of a CSV file: ';', tab, '|'."
    ),
    click.option(
        "--encoding", metavar="NAME", help="Encoding of a text file, such as cp1252; UTF-8 by default."
    ),
    click.option(
        "--sheet",
        metavar="NAME|N",
        help="Sheet of an Excel file by its name or number; the first visible one by default.",
    ),
    click.option(
        "--header-row",
        type=Number(1, 10_000_000, whole=True, hint="write the number of its line, such as --header-row 4"),
        metavar="N",
        help="Line of the header, below titles; the first by default.",
    ),
    click.option(
        "--format",
        "file_format",
        metavar="NAME",
        help="Format, such as csv or xlsx, if FILE does not show it.",
    ),
    click.option(
        "--command", metavar="NAME", help="Command to run for each row; WoCreateCommand by default."
    ),
    click.option("--entity", metavar="NAME", help="Create a record of this entity for each row: Customer."),
    click.option(
        "--update-by", metavar="FIELD", help="Update the record of --entity that has the row's FIELD."
    ),
    click.option(
        "--delete-by", metavar="FIELD", help="Delete the record of --entity that has the row's FIELD."
    ),
)

# --- the job --------------------------------------------------------------------------------

_JOB = (
    click.option(
        "--sandbox",
        is_flag=False,
        flag_value=TEMPORARY,
        metavar="[STORE.db]",
        help="Import into a local Company that runs during the import; without STORE.db it is deleted then.",
    ),
    click.option(
        "--job",
        "folder",
        cls=OneRun,
        type=_PATH,
        metavar="DIR",
        help="Folder of the job, on a local disk; by default FILE.job beside FILE.",
    ),
    click.option(
        "--marker",
        metavar="FIELD",
        help="Field that carries the key of each row, such as work_order.po_number: no row is created twice.",
    ),
    click.option(
        "--if-exists",
        type=click.Choice(["fail", "skip"]),
        default="fail",
        show_default=True,
        help="What to do with a row whose key is in the Company already.",
    ),
    click.option(
        "--again",
        cls=OneRun,
        is_flag=True,
        help="Send all rows of FILE once more, in a new job. To resume after a stop or a kill, leave it out.",
    ),
    click.option(
        "--new-rows",
        cls=OneRun,
        is_flag=True,
        help="Rows that the job does not know are new, although rows that it sent are gone from FILE.",
    ),
    click.option(
        "--retry-refused",
        cls=OneRun,
        is_flag=True,
        help="Send unchanged rows again that the service refused before.",
    ),
    click.option(
        "--retry-undone", cls=OneRun, is_flag=True, help="Send rows again that wosdk jobs undo rolled back."
    ),
    click.option(
        "--check", cls=OneRun, is_flag=True, help="Write nothing; report what would happen to each row."
    ),
    click.option(
        "--sample", cls=OneRun, type=click.IntRange(1), metavar="N", help="With --check: look at N rows only."
    ),
    click.option(
        "--resume", cls=OneRun, is_flag=True, hidden=True, help="Begin no new job (wosdk jobs resume)."
    ),
)

_RESULTS = (
    click.option(
        "--outcomes",
        type=_PATH,
        metavar="OUT.jsonl",
        help="Write one JSON line for each row when its outcome is known; with --check as CSV.",
    ),
    click.option("--force", cls=OneRun, is_flag=True, help="Overwrite the outcomes of an earlier import."),
    excel_option,
    click.option("--json", "as_json", cls=OneRun, is_flag=True, help="Print one JSON object."),
    click.option(
        "--yes",
        cls=OneRun,
        is_flag=True,
        help="Do not ask before creating in a Company that is not on this machine.",
    ),
)

# --- one run, which ``wosdk jobs resume`` takes, too ----------------------------------------

_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "concurrency": {
        "type": Number(1, 1000, whole=True, hint="write one, such as --concurrency 32"),
        "metavar": "N",
        "help": "Maximum concurrent calls; fewer when the service gets slow.",
    },
    "rate": {
        "type": Number(0, is_open=True, hint="write calls per second, such as --rate 20, or leave it out"),
        "metavar": "N",
        "help": "Maximum calls per second.",
    },
    "processes": {
        "type": Number(
            1,
            256,
            whole=True,
            hint="write one, such as --processes 4, or leave it out to send from one process",
        ),
        "metavar": "N",
        "help": "Send the rows from N processes of this machine. Needs a marker, and the extra dask.",
    },
    "engine": {
        "metavar": "URL",
        "help": "Send the rows from the workers of a Dask cluster: dask+tls://HOST:8786, or "
        "dask://127.0.0.1:8786. Needs the same.",
    },
    "lease": {
        "type": Number(1, hint="write seconds, such as --lease 30"),
        "metavar": "SECONDS",
        "help": "Seconds for which a worker may send the rows of one grant; 30 by default.",
    },
    "stop_after": {
        "metavar": "N|P%",
        "help": "Stop when so many rows have failed: 20, or 5% of all rows.",
    },
    "stop_after_doubt": {
        "type": Number(1, whole=True, hint="write one, such as --stop-after-doubt 100"),
        "metavar": "N",
        "help": "Stop when so many rows are in doubt.",
    },
}
_DEFAULTS = {"concurrency": 32, "stop_after_doubt": 100}

RUN_NAMES = tuple("limit" if name == "concurrency" else name for name in _SETTINGS)
"""The names of their parameters: those of the fields of ImportOptions, where it has one."""


def _run_options(defaults: Mapping[str, int]) -> Iterable[Callable[[Any], Any]]:
    for (name, settings), parameter in zip(_SETTINGS.items(), RUN_NAMES, strict=True):
        option, default = f"--{name.replace('_', '-')}", defaults.get(name)
        yield click.option(option, parameter, default=default, show_default=default is not None, **settings)


# --- all of them ----------------------------------------------------------------------------


def input_options(command: Any) -> Any:
    """Add the options that say how a file is read and what is done with its rows."""
    return added(command, *_INPUT)


def run_options(command: Any) -> Any:
    """Add the options of one run, without defaults: what is not given is as before."""
    return added(command, *_run_options({}))


def import_options(command: Any) -> Any:
    """Add the argument and all options of an import."""
    return added(command, _FILE, _MAP, *_INPUT, *_JOB, *_run_options(_DEFAULTS), *_RESULTS)
