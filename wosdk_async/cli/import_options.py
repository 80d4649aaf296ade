"""Options of ``wosdk import``: how a file is read, what is done with its rows, how the job is run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import attrs
import click

from wosdk_async.cli.engine_choice import PoolMaker, pool_maker
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.kept_commands import kept_command
from wosdk_async.cli.local_company import TEMPORARY
from wosdk_async.cli.options import Target, excel_separator, target_of
from wosdk_async.cli.run_options import RUN_OPTIONS

__all__ = ["ImportArguments", "excel_option", "input_options", "job_options", "operation_of", "sheet_of"]

F = TypeVar("F", bound=Callable[..., Any])

_PATH = click.Path(path_type=Path)

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
        help="Sheet of an Excel file by its name or number; the first by default.",
    ),
    click.option(
        "--format", "file_format", metavar="NAME", help="Format, whatever the suffix, such as csv or xlsx."
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
        is_flag=True,
        help="Send all rows of FILE once more, in a new job. To resume after a stop or a kill, leave it out.",
    ),
    click.option(
        "--new-rows",
        is_flag=True,
        help="Rows that the job does not know are new, although rows that it sent are gone from FILE.",
    ),
    click.option(
        "--retry-refused", is_flag=True, help="Send unchanged rows again that the service refused before."
    ),
    click.option("--retry-undone", is_flag=True, help="Send rows again that wosdk jobs undo took back."),
    click.option("--check", is_flag=True, help="Write nothing; say what would become of each row."),
    click.option("--sample", type=click.IntRange(1), metavar="N", help="With --check: look at N rows only."),
    click.option("--resume", is_flag=True, hidden=True, help="Begin no new job (wosdk jobs resume)."),
)

_RESULTS = (
    click.option(
        "--outcomes",
        type=_PATH,
        metavar="OUT.jsonl",
        help="Write one JSON line for each row when its outcome is known; with --check as CSV.",
    ),
    click.option("--force", is_flag=True, help="Overwrite the outcomes of an earlier import."),
    excel_option,
    click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object."),
    click.option(
        "--yes", is_flag=True, help="Do not ask before creating in a Company that is not on this machine."
    ),
)


def input_options(command: F) -> F:
    """Add the options that say how a file is read and what is done with its rows."""
    return functools.reduce(lambda made, option: option(made), reversed(_INPUT), command)


def job_options(command: F) -> F:
    """Add the options that say where the job is, and how it is carried out."""
    options = (*_JOB, *RUN_OPTIONS, *_RESULTS)
    return functools.reduce(lambda made, option: option(made), reversed(options), command)


@attrs.frozen(kw_only=True)
class ImportArguments:
    """What ``wosdk import`` was given, checked as far as the options alone can tell."""

    target: Target
    file: str
    map_file: Path
    operation: str | None
    """The name of the operation; None leaves it to the map."""
    reading: Mapping[str, Any]
    """Arguments of ``open_input`` that say how the file is read."""
    sandbox: str | None
    sample: int | None
    rate: float | None
    make_pool: PoolMaker | None
    """Makes the workers that send the rows; None sends them from this process."""
    outcomes: Path | None
    force: bool
    as_json: bool
    yes: bool
    job: Mapping[str, Any]
    """Options of :class:`wosdk_async.jobs.ImportOptions`."""

    @classmethod
    def of(cls, ctx: click.Context) -> Self:
        """Return the arguments of a command. Raise CliError when two options exclude each other."""
        given = ctx.params
        for other in ("new_rows", "retry_refused", "retry_undone"):
            if given["again"] and given[other]:
                raise CliError(f"--again sends all rows, so --{other.replace('_', '-')} does not go with it")
        return cls(
            target=target_of(ctx),
            operation=operation_of(
                *(given[each] for each in ("command", "entity", "update_by", "delete_by"))
            ),
            reading={
                "delimiter": given["delimiter"],
                "encoding": given["encoding"],
                "sheet": sheet_of(given["sheet"]),
                "format": given["file_format"],
            },
            make_pool=pool_maker(given["processes"], given["engine"], given["lease"], given["sandbox"]),
            **{name: given[name] for name in _AS_GIVEN},
            job={
                "limit": given["concurrency"],
                "details": kept_command(ctx),
                **{name: given[name] for name in _PASSED},
                **({} if given["lease"] is None else {"lease": given["lease"]}),
            },
        )


_AS_GIVEN = (
    "file",
    "map_file",
    "sandbox",
    "sample",
    "rate",
    "outcomes",
    "force",
    "as_json",
    "yes",
)
_PASSED = (
    "folder",
    "marker",
    "if_exists",
    "again",
    "new_rows",
    "retry_refused",
    "retry_undone",
    "resume",
    "stop_after",
    "stop_after_doubt",
    "csv_for_excel",
)


def operation_of(
    command: str | None, entity: str | None, update_by: str | None, delete_by: str | None
) -> str | None:
    """Return the name of the operation that the options ask for; None leaves it to the map."""
    if command is not None and entity is not None:
        raise CliError("--command and --entity exclude each other; give one of them")
    if update_by is not None and delete_by is not None:
        raise CliError("--update-by and --delete-by exclude each other; give one of them")
    if entity is None:
        if update_by is not None or delete_by is not None:
            raise CliError(
                "--update-by and --delete-by need --entity: --entity Customer --update-by Id; a map that "
                "says its operation needs none of them"
            )
        return command
    if update_by is not None:
        return f"update {entity} by {update_by}"
    return f"create {entity}" if delete_by is None else f"delete {entity} by {delete_by}"


def sheet_of(text: str | None) -> str | int | None:
    """Return a number for digits; a sheet whose name is digits is named by its place."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() else text
