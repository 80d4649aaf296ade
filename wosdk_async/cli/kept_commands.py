"""Commands as a job keeps them in its journal, so that ``wosdk jobs`` can give them again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from wosdk_async.cli.exit_codes import CliError

__all__ = ["import_parameters", "kept_arguments", "kept_command", "kept_globals"]

_COMMAND, _GLOBALS = "command", "global"
# Options of one run, and what the journal itself knows.
_NOT_KEPT = frozenset(
    ("file", "folder", "again", "carry_over", "retry", "resume", "force", "yes", "as_json", "check", "sample")
)


def kept_command(ctx: click.Context) -> dict[str, Any]:
    """Return the options of a command as the plan of its job keeps them: files by their absolute paths."""
    arguments = []
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if param.name in _NOT_KEPT or value == param.get_default(ctx) or value is None:
            continue
        option = param.opts[0]
        if value is True or value == getattr(param, "flag_value", None):
            arguments.append(option)
        elif value is not False:
            if isinstance(value, Path) or param.name == "sandbox":
                value = Path(value).absolute()
            elif isinstance(value, float) and value.is_integer():
                value = int(value)  # --rate 400 is not 400.0 for people
            arguments.append(f"{option}={value}")
    given = ctx.find_root().ensure_object(dict).items()
    shared = {name: value for name, value in given if value is not None and name != "verbose"}
    return {_COMMAND: arguments, _GLOBALS: shared}


def kept_arguments(options: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the options that a job was begun with.

    Raises:
        CliError: it was begun by a program, not by ``wosdk import``.
    """
    found = options.get(_COMMAND)
    if not isinstance(found, list):
        raise CliError(
            f"{folder}: the job was not begun by wosdk import; run the program again that began it"
        )
    return [str(each) for each in found]


def import_parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the options that a job was begun with; none for the job of a program."""
    from wosdk_async.cli.commands.import_ import import_command

    arguments = options.get(_COMMAND)
    if not isinstance(arguments, list):
        return {}
    try:
        context = import_command.make_context(
            "import", ["FILE", *map(str, arguments)], resilient_parsing=True
        )
    except click.ClickException as error:  # an option of a newer version
        raise CliError(f"the options that began the job are not known here: {error.message}") from None
    return dict(context.params)


def kept_globals(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the global options that a job was begun with: which Company, and the deadline."""
    found = options.get(_GLOBALS)
    known = ("profile", "company", "deadline")
    return {name: found[name] for name in known if name in found} if isinstance(found, dict) else {}
