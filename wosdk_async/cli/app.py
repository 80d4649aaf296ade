"""The command group ``wosdk``."""

from __future__ import annotations

import click

from wosdk_async import __version__
from wosdk_async.cli.import_command import import_command
from wosdk_async.cli.sandbox_command import sandbox

__all__ = ["app"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="wosdk")
def app() -> None:
    """Work orders from the command line: import files, and a local Company to try everything on.

    \b
    Try an import, nothing else to start:
      wosdk import requests.csv --map map.toml --sandbox
    Keep what it made, and look at it later:
      wosdk import requests.csv --map map.toml --sandbox company.db
      wosdk sandbox serve --store company.db
    The real thing, once the variables below are set:
      wosdk import requests.csv --map map.toml --outcomes outcomes.jsonl

    A Company is named by WOSDK_COMPANY, WOSDK_CLIENT_ID and WOSDK_CLIENT_SECRET, and by WOSDK_REGION
    (americas, apac or emea).
    """


app.add_command(import_command)
app.add_command(sandbox)
