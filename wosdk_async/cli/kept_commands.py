"""Commands as a job keeps them in its journal, so that ``wosdk jobs`` can give them again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from wosdk_async.cli.exit_codes import CliError

__all__ = [
    "changed_arguments",
    "given_arguments",
    "import_parameters",
    "kept_arguments",
    "kept_command",
    "kept_globals",
]

_COMMAND, _GLOBALS = "command", "global"
# Options of one run, and what the journal itself knows.
_NOT_KEPT = frozenset(
    (
        "file",
        "folder",
        "again",
        "new_rows",
        "retry_refused",
        "retry_undone",
        "resume",
        "force",
        "yes",
        "as_json",
        "check",
        "sample",
    )
)


def kept_command(ctx: click.Context) -> dict[str, Any]:
    """Return the options of a command as the plan of its job keeps them: files by their absolute paths."""
    arguments = [
        _argument(param, value)
        for param in ctx.command.params
        if param.name not in _NOT_KEPT
        and (value := ctx.params.get(param.name or "")) != param.get_default(ctx)
        and value is not None
        and value is not False
    ]
    given = ctx.find_root().ensure_object(dict).items()
    shared = {name: value for name, value in given if value is not None and name != "verbose"}
    return {_COMMAND: arguments, _GLOBALS: shared}


def _argument(param: click.Parameter, value: Any) -> str:
    option = param.opts[0]
    if value is True or value == getattr(param, "flag_value", None):
        return option
    if isinstance(value, Path) or param.name == "sandbox":
        value = Path(value).absolute()
    elif isinstance(value, float) and value.is_integer():
        value = int(value)  # --rate 400 is not 400.0 for people
    return f"{option}={value}"


def given_arguments(ctx: click.Context, names: Collection[str]) -> list[str]:
    """Return those of the options called ``names`` that the user gave, as arguments."""
    return [
        _argument(param, ctx.params[param.name])
        for param in ctx.command.params
        if param.name in names and ctx.get_parameter_source(param.name) == ParameterSource.COMMANDLINE
    ]


def changed_arguments(kept: Sequence[str], changes: Sequence[str], *, one_process: bool = False) -> list[str]:
    """Return the options of an earlier run with ``changes`` in their place.

    Another place to send the rows from takes the place of the earlier one; ``one_process`` means no workers.

    Raises:
        CliError: ``one_process`` contradicts the changes.
    """
    changed = {_option(each) for each in changes}
    if one_process and (wrong := changed & {*_PLACES, "--lease"}):
        raise CliError(f"--one-process and {min(wrong)} exclude each other; give one of them")
    if one_process:
        changed |= {*_PLACES, "--lease"}
    elif changed & _PLACES:
        changed |= _PLACES
    return [*(each for each in kept if _option(each) not in changed), *changes]


_PLACES = {"--processes", "--engine"}


def _option(argument: str) -> str:
    return argument.partition("=")[0]


def kept_arguments(options: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the options that a job was begun with, without any that :func:`kept_command` never writes.

    Whoever can write to the folder can add options to its journal.

    Raises:
        CliError: it was begun by a program, not by ``wosdk import``.
    """
    from wosdk_async.cli.commands.import_ import import_command

    found = options.get(_COMMAND)
    if not isinstance(found, list):
        raise CliError(
            f"{folder}: the job was not begun by wosdk import; run the program again that began it"
        )
    params = [each for each in import_command.params if each.name not in _NOT_KEPT]
    return [each for each in map(str, found) if any(_is_option(each, param) for param in params)]


def _is_option(argument: str, param: click.Parameter) -> bool:
    """Return whether an argument is the option as :func:`_argument` writes it; it takes no further one."""
    needs_value = not getattr(param, "is_flag", False)
    may_be_bare = not needs_value or isinstance(getattr(param, "flag_value", None), str)
    return (argument == param.opts[0] and may_be_bare) or (
        argument.startswith(f"{param.opts[0]}=") and needs_value
    )


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
