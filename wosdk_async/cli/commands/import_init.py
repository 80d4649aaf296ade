"""``wosdk import init``: propose a map; and the options that say how a file is read and what is done."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from wosdk_async.cli.exit_codes import CliError, cli_errors, say

__all__ = ["init_command", "input_options", "operation_of", "sheet_of"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
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
        "--format", "file_format", metavar="NAME", help="Format, whatever the suffix: csv, tsv, jsonl, xlsx."
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


def input_options(command: F) -> F:
    """Add the options that say how a file is read and what is done with its rows."""
    return functools.reduce(lambda made, option: option(made), reversed(_OPTIONS), command)


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
            raise CliError("--update-by and --delete-by need --entity: --entity Customer --update-by Id")
        return command
    if update_by is not None:
        return f"update {entity} by {update_by}"
    return f"create {entity}" if delete_by is None else f"delete {entity} by {delete_by}"


def sheet_of(text: str | None) -> str | int | None:
    """Return a number for digits; a sheet whose name is digits is named by its place."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() else text


@click.command("init", no_args_is_help=True)
@click.argument("file", type=click.Path())
@input_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="MAP.toml",
    help="Write the map to this file, which must not exist; by default to stdout.",
)
def init_command(
    file: str,
    delimiter: str | None,
    encoding: str | None,
    sheet: str | None,
    file_format: str | None,
    command: str | None,
    entity: str | None,
    update_by: str | None,
    delete_by: str | None,
    output: Path | None,
) -> None:
    """Propose a map for FILE: its columns beside the fields with similar names.

    Nothing is sent. Fields that the service requires and that no column fits have {ADAPT}: fill them in, look
    through the other lines, and give the map to `wosdk import`.

    \b
      wosdk import init requests.csv -o map.toml
      wosdk import init customers.xlsx --entity Customer -o customers.toml
      wosdk import init prices.csv --entity Customer --update-by TenantCode
    """
    with cli_errors():
        from wosdk_async.jobs import open_source
        from wosdk_async.jobs.drafting import ADAPT, draft_map
        from wosdk_async.jobs.mapping.import_map import DEFAULT_OPERATION
        from wosdk_async.jobs.operation_names import operation_named
        from wosdk_async.jobs.sources.spool import is_remote

        if is_remote(file):
            raise CliError("a map is proposed for a file; save the input as one first")
        operation = operation_named(operation_of(command, entity, update_by, delete_by) or DEFAULT_OPERATION)
        source = open_source(
            file, delimiter=delimiter, encoding=encoding, sheet=sheet_of(sheet), format=file_format
        )
        text = draft_map(source.columns, operation, Path(file).name)
        if output is None:
            click.echo(text, nl=False)
            return
        try:
            with output.open("x", encoding="utf-8") as made:
                made.write(text)
        except FileExistsError:
            raise CliError(f"{output} exists already; name another file with -o") from None
        say(f"{output} is written; {text.count(f'= {chr(34)}{ADAPT}')} places to fill in are marked {ADAPT}")
