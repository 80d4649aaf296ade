"""Options of one run of an import, which ``wosdk jobs resume`` takes, too: how fast and where it runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

__all__ = ["RUN_NAMES", "RUN_OPTIONS", "run_options"]

F = TypeVar("F", bound=Callable[..., Any])


class _Count(click.IntRange):
    """A whole number; errors say which ones there are, and how one is written."""

    def __init__(self, least: int, most: int | None = None, *, hint: str) -> None:
        super().__init__(least, most)
        self._hint = hint

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            which = f"of {self.min} or more" if self.max is None else f"from {self.min} to {self.max}"
            self.fail(f"{value!r} is not a whole number {which}; {self._hint}", param, ctx)


class _Above(click.FloatRange):
    """A number; errors say which ones there are, and how one is written."""

    def __init__(self, least: float, *, is_open: bool = False, hint: str) -> None:
        super().__init__(least, min_open=is_open)
        self._hint = hint

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        try:
            found = float(super().convert(value, param, ctx))
        except click.BadParameter:
            found = math.nan
        if not math.isfinite(found):
            which = f"over {self.min:g}" if self.min_open else f"of {self.min:g} or more"
            self.fail(f"{value!r} is not a number {which}; {self._hint}", param, ctx)
        return found


_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "concurrency": {
        "type": _Count(1, 1000, hint="write one, such as --concurrency 32"),
        "metavar": "N",
        "help": "The highest number of calls at a time; fewer when the service gets slow.",
    },
    "rate": {
        "type": _Above(0, is_open=True, hint="write calls in a second, such as --rate 20, or leave it out"),
        "metavar": "N",
        "help": "The highest number of calls in a second.",
    },
    "processes": {
        "type": _Count(
            1, 256, hint="write one, such as --processes 4, or leave it out to send from one process"
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
        "type": _Above(1, hint="write seconds, such as --lease 30"),
        "metavar": "SECONDS",
        "help": "Seconds for which a worker may send the rows of one grant; 30 by default.",
    },
    "stop_after": {
        "metavar": "N|P%",
        "help": "Stop when so many rows have failed: 20, or 5% of all rows.",
    },
    "stop_after_doubt": {
        "type": _Count(1, hint="write one, such as --stop-after-doubt 100"),
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
