"""Dask's commands in the docs, read by Dask."""

from __future__ import annotations

from collections.abc import Sequence

import click
from distributed.cli import dask_scheduler, dask_worker

COMMANDS: dict[str, click.Command] = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}


def parse(words: Sequence[str]) -> None:
    """Let ``dask scheduler`` or ``dask worker`` read its options; their files need not be there.

    Raises:
        click.ClickException: it cannot.
    """
    command = COMMANDS[words[0]]
    command.make_parser(click.Context(command)).parse_args(list(words[1:]))
