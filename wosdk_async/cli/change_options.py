"""Options of every command that changes records."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import attrs
import click

from wosdk_async.cli.options import target_options

__all__ = ["ChangeOptions", "change_options"]

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen(kw_only=True)
class ChangeOptions:
    """Values of the options."""

    yes: bool
    dry_run: bool
    as_json: bool


def change_options(function: F) -> F:
    """Add ``--yes``, ``--dry-run``, ``--json`` and the global options; the command gets ``options``."""

    @functools.wraps(function)
    def command(*args: Any, yes: bool, dry_run: bool, as_json: bool, **others: Any) -> Any:
        return function(*args, options=ChangeOptions(yes=yes, dry_run=dry_run, as_json=as_json), **others)

    added: Any = command
    for option in (
        target_options(hidden=True),
        click.option("--json", "as_json", is_flag=True, help="One JSON object on a line for each record."),
        click.option("--dry-run", is_flag=True, help="Show the requests that change something; send none."),
        click.option("--yes", is_flag=True, help="Do not ask, for scripts."),
    ):
        added = option(added)
    return added  # type: ignore[no-any-return]
