"""``wosdk sandbox serve``: a local Company in a process of its own."""

from __future__ import annotations

from pathlib import Path

import click

from wosdk_async.cli.exits import Unusable, sandbox_extra, say, unusable

__all__ = ["sandbox_command"]


@click.group("sandbox", short_help="A local Company that answers like the service.")
def sandbox_command() -> None:
    """A local Company that answers like the service, kept in one SQLite file."""


@sandbox_command.command()
@click.option(
    "--store", type=click.Path(path_type=Path), required=True, help="The file; made when it is not there."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8900, show_default=True, help="0 picks a free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--faults", type=click.Path(path_type=Path), help="A TOML file of what goes wrong.")
@click.option(
    "--second-port", type=click.IntRange(0, 65535), default=0, help="Where a fault moves the Company to."
)
def serve(store: Path, port: int, host: str, faults: Path | None, second_port: int) -> None:
    """Serve a local Company until Ctrl-C.

    Once it accepts connections it prints the variables that lead a client to it, one KEY=VALUE a line:

    \b
      wosdk sandbox serve --store company.db > company.env &
      while IFS= read -r line; do export "$line"; done < company.env
      wosdk import requests.csv --map map.toml
    """
    with sandbox_extra():
        from wosdk_async.sandbox import Faults, FaultScriptError, StoreError
        from wosdk_async.sandbox.server import serve as serve_store

    def announce(variables: dict[str, str]) -> None:
        for name, value in variables.items():
            click.echo(f"{name}={value}")
        say(f"serving {store}; Ctrl-C ends it")

    with unusable():
        try:
            serve_store(
                store,
                host=host,
                port=port,
                faults=Faults(faults),
                second_port=second_port,
                announce=announce,
            )
        except (StoreError, FaultScriptError) as error:
            raise Unusable(str(error)) from error
