"""Dask's commands and settings in the docs, read by Dask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click
import dask.config
from distributed.cli import dask_scheduler, dask_worker

from wosdk_async.jobs.cluster.dask_settings import SETTINGS, require_no_repeats

COMMANDS: dict[str, click.Command] = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}


def parse(words: Sequence[str]) -> None:
    """Let ``dask scheduler`` or ``dask worker`` read its options; their files need not be there.

    Raises:
        click.ClickException: it cannot.
    """
    command = COMMANDS[words[0]]
    command.make_parser(click.Context(command)).parse_args(list(words[1:]))


def require_safe_scheduler(environment: Mapping[str, str]) -> None:
    """Raise ConfigurationError when a scheduler with this environment would be refused."""
    config = dask.config.collect_env(environment)
    require_no_repeats({name: dask.config.get(name, None, config=config) for name in SETTINGS})
