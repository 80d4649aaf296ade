"""Dask's commands in the docs, parsed by Dask."""

from __future__ import annotations

from collections.abc import Sequence

import click
from distributed.cli import dask_scheduler, dask_worker

COMMANDS: dict[str, click.Command] = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}


def parse(words: Sequence[str]) -> None:
    """Parse the options of ``dask scheduler`` or ``dask worker``; the files that they name need not exist.

    Raises:
        click.ClickException: it cannot.
    """
    command = COMMANDS[words[0]]
    command.make_parser(click.Context(command)).parse_args(list(words[1:]))
