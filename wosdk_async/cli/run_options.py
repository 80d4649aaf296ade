"""Options of one run of an import, which ``wosdk jobs resume`` takes, too: how fast and where it runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

__all__ = ["RUN_NAMES", "RUN_OPTIONS", "run_options"]

F = TypeVar("F", bound=Callable[..., Any])


_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "concurrency": {
        "type": click.IntRange(1, 1000),
        "help": "The highest number of calls at a time; fewer when the service gets slow.",
    },
    "rate": {
        "type": click.FloatRange(0, min_open=True),
        "metavar": "N",
        "help": "The highest number of calls in a second.",
    },
    "processes": {
        "type": click.IntRange(1, 256),
        "metavar": "N",
        "help": "Send the rows from N processes of this machine.",
    },
    "engine": {
        "metavar": "URL",
        "help": "Send the rows from the workers of a cluster: dask+tls://HOST:8786, dask://127.0.0.1:8786.",
    },
    "lease": {
        "type": click.FloatRange(1),
        "metavar": "SECONDS",
        "help": "Seconds for which a worker may send the rows of one grant; 30 by default.",
    },
    "stop_after": {
        "metavar": "N|P%",
        "help": "Stop when so many rows have failed: 20, or 5% of all rows.",
    },
    "stop_after_doubt": {
        "type": click.IntRange(1),
        "metavar": "N",
        "help": "Stop when so many rows are in doubt.",
    },
}
_DEFAULTS = {"concurrency": 32, "stop_after_doubt": 100}

RUN_NAMES = tuple(_SETTINGS)
"""The names of their parameters."""


def _options(defaults: Mapping[str, int]) -> tuple[Callable[[F], F], ...]:
    return tuple(
        click.option(
            f"--{name.replace('_', '-')}",
            default=defaults.get(name),
            show_default=name in defaults,
            **settings,
        )
        for name, settings in _SETTINGS.items()
    )


RUN_OPTIONS = _options(_DEFAULTS)


def run_options(command: F) -> F:
    """Add the options of one run, without defaults: what is not given is as before."""
    options = _options({})
    return functools.reduce(lambda made, option: option(made), reversed(options), command)
