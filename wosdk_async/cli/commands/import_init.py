"""``wosdk import init``: propose a map for a file."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from wosdk_async.cli.exit_codes import CliError, cli_errors, say
from wosdk_async.cli.import_options import input_options, operation_of, sheet_of
from wosdk_async.regular_files import create_file

__all__ = ["init_command"]


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
        from wosdk_async.jobs.drafting import ADAPT, draft_map, key_columns
        from wosdk_async.jobs.mapping.import_map import DEFAULT_OPERATION
        from wosdk_async.jobs.operation_names import operation_named
        from wosdk_async.jobs.sources.source import likely_delimiter
        from wosdk_async.jobs.sources.spool import is_remote

        if is_remote(file):
            raise CliError("a map is proposed for a file; save the input as one first")
        operation = operation_named(operation_of(command, entity, update_by, delete_by) or DEFAULT_OPERATION)
        source = open_source(
            file, delimiter=delimiter, encoding=encoding, sheet=sheet_of(sheet), format=file_format
        )
        if delimiter is None and (other := likely_delimiter(source)):
            raise CliError(
                f"{file}: its columns would be {', '.join(map(repr, source.columns))[:200]}; add --delimiter "
                f"{other}, or the one that separates its cells"
            )
        text = draft_map(source.columns, operation, Path(file).name, key_columns(source))
        if output is None:
            click.echo(text, nl=False)
            return
        try:
            with create_file(output) as made:
                made.write(text.encode())
        except FileExistsError:
            raise CliError(f"{output} exists already; name another file with -o") from None
        say(f"{output} is written; {text.count(f'= {chr(34)}{ADAPT}')} places to fill in are marked {ADAPT}")
        given = {"--delimiter": delimiter, "--encoding": encoding, "--sheet": sheet, "--format": file_format}
        given |= {"--command": command, "--entity": entity}
        given |= {"--update-by": update_by, "--delete-by": delete_by}
        options = [word for name, value in given.items() if value is not None for word in (name, value)]
        shown = shlex.join(["wosdk", "import", file, "--map", str(output), *options, "--check"])
        say(f"next, when they are filled in: {shown}")
