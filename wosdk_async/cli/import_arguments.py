"""What ``wosdk import`` was given, now or by the command that a job keeps in its journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs
import click
from click.core import ParameterSource

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.import_options import OneRun, import_options
from wosdk_async.cli.options import Target, target_of
from wosdk_async.cli.texts import in_commands

if TYPE_CHECKING:
    from wosdk_async.jobs import ImportOptions
    from wosdk_async.jobs.cluster.messages import WorkerPool
    from wosdk_async.jobs.sources.table import TableRules

__all__ = [
    "ImportArguments",
    "Reading",
    "changed_arguments",
    "given_arguments",
    "kept_arguments",
    "kept_globals",
    "kept_import",
    "operation_of",
]


def _sheet(text: str | int | None) -> str | int | None:
    """Return a number for digits; a sheet whose name is digits is named by its place."""
    return int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() else text


@attrs.frozen(kw_only=True)
class Reading:
    """How a file is read: arguments of ``open_source``."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | int | None = attrs.field(default=None, converter=_sheet)
    format: str | None = None
    header_row: int | None = None

    def with_rules(self, rules: TableRules) -> Self:
        """Return this with the header row of a map, unless an option names one."""
        return attrs.evolve(self, header_row=self.header_row or rules.header_row)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return what parameters of a command say."""
        return cls(
            delimiter=given["delimiter"],
            encoding=given["encoding"],
            sheet=given["sheet"],
            format=given["file_format"],
            header_row=given["header_row"],
        )


@attrs.frozen(kw_only=True)
class ImportArguments:
    """What ``wosdk import`` was given, checked as far as the options alone can tell."""

    target: Target
    file: str
    map_file: Path
    operation: str | None
    """The name of the operation; None leaves it to the map."""
    reading: Reading
    sandbox: str | None
    sample: int | None
    rate: float | None
    processes: int | None
    engine: str | None
    outcomes: Path | None
    force: bool
    as_json: bool
    yes: bool
    options: ImportOptions

    @classmethod
    def of(cls, ctx: click.Context) -> Self:
        """Return the arguments of a command. Raise CliError when two options exclude each other."""
        from wosdk_async.jobs import ImportOptions

        given = ctx.params
        _require_no_contradiction(given)
        named = {each.name: given[each.name] for each in attrs.fields(cls) if each.name in given}
        options = {
            each.name: given[each.name]
            for each in attrs.fields(ImportOptions)
            if given.get(each.name) is not None
        }
        return cls(
            **named,
            target=target_of(ctx),
            operation=operation_of(given),
            reading=Reading.of(given),
            options=ImportOptions(**options, details=_kept_command(ctx)),
        )

    def workers(self, on_stage: Callable[[str], None]) -> WorkerPool | None:
        """Return the workers that send the rows; None sends them from this process.

        Raises CliError for workers that cannot be used; ``on_stage`` gets a text when the pool waits.
        """
        from wosdk_async.errors import ConfigurationError

        try:
            if self.processes is not None:
                from wosdk_async.jobs.cluster.processes import Processes

                return Processes(self.processes)
            return None if self.engine is None else self._cluster(self.engine, on_stage)
        except ConfigurationError as error:
            option = "" if self.engine is None else "--engine: "
            raise CliError(f"{option}{error.explained(in_commands)}") from None

    def _cluster(self, engine: str, on_stage: Callable[[str], None]) -> WorkerPool:
        from wosdk_async.jobs.cluster.dask import DaskCluster
        from wosdk_async.transport.session.hosts import is_local

        os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")  # what matters is said by the import
        cluster = DaskCluster(engine, on_stage=on_stage)
        if self.sandbox is not None and not is_local(f"http://{cluster.address.partition('://')[2]}"):
            raise CliError(
                "--sandbox runs on this machine only, and the workers of --engine on others do not reach it; "
                "leave one of them out"
            )
        return cluster


def _require_no_contradiction(given: Mapping[str, Any]) -> None:
    for other in ("new_rows", "retry_refused", "retry_undone"):
        if given["again"] and given[other]:
            raise CliError(f"--again sends all rows, so --{other.replace('_', '-')} does not go with it")
    if given["processes"] is None and given["engine"] is None and given["lease"] is not None:
        raise CliError("--lease is for --processes and --engine; give one of them")
    if given["processes"] is not None and given["engine"] is not None:
        raise CliError("--processes and --engine exclude each other; give one of them")


def operation_of(given: Mapping[str, Any]) -> str | None:
    """Return the name of the operation that parameters of a command ask for; None leaves it to the map."""
    command: str | None = given["command"]
    entity, update_by, delete_by = (given[name] for name in ("entity", "update_by", "delete_by"))
    if command is not None and entity is not None:
        raise CliError("--command and --entity exclude each other; give one of them")
    if update_by is not None and delete_by is not None:
        raise CliError("--update-by and --delete-by exclude each other; give one of them")
    if entity is None:
        if update_by is not None or delete_by is not None:
            raise CliError(
                "--update-by and --delete-by need --entity: --entity Customer --update-by Id; a map that "
                "says its operation needs none of them"
            )
        return command
    if update_by is not None:
        return f"update {entity} by {update_by}"
    return f"create {entity}" if delete_by is None else f"delete {entity} by {delete_by}"


# --- the command in the journal of a job ----------------------------------------------------

_COMMAND, _GLOBALS = "command", "global"
_PLACES = {"--processes", "--engine"}


def _kept_command(ctx: click.Context) -> dict[str, Any]:
    """Return the options of a command as the plan of its job keeps them: files by their absolute paths."""
    arguments = [
        _argument(param, value)
        for param in _kept_params(ctx.command)
        if (value := ctx.params.get(param.name or "")) != param.get_default(ctx)
        and value is not None
        and value is not False
    ]
    given = ctx.find_root().ensure_object(dict).items()
    shared = {name: value for name, value in given if value is not None and name != "verbose"}
    return {_COMMAND: arguments, _GLOBALS: shared}


def _kept_params(command: click.Command) -> list[click.Option]:
    return [
        each for each in command.params if isinstance(each, click.Option) and not isinstance(each, OneRun)
    ]


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

    Another place to send the rows from replaces the earlier one; ``one_process`` means no workers.
    """
    changed = {_option(each) for each in changes}
    if one_process and (wrong := changed & {*_PLACES, "--lease"}):
        raise CliError(f"--one-process and {min(wrong)} exclude each other; give one of them")
    if one_process:
        changed |= {*_PLACES, "--lease"}
    elif changed & _PLACES:
        changed |= _PLACES
    return [*(each for each in kept if _option(each) not in changed), *changes]


def _option(argument: str) -> str:
    return argument.partition("=")[0]


@import_options
def _parsed(**_: Any) -> None:
    """Hold the options of an import, without the command that carries them out."""


_PARSER = click.command("import", add_help_option=False)(_parsed)


def kept_arguments(options: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the options that a job was begun with, without any that no command of ours keeps.

    Whoever can write to the folder can add options to its journal. Raises CliError for the job of a program.
    """
    found = options.get(_COMMAND)
    if not isinstance(found, list):
        raise CliError(
            f"{folder}: the job was not begun by wosdk import; run the program again that began it"
        )
    params = _kept_params(_PARSER)
    return [each for each in map(str, found) if any(_is_option(each, param) for param in params)]


def _is_option(argument: str, param: click.Option) -> bool:
    """Return whether an argument is the option as :func:`_argument` writes it; it takes no further one."""
    may_be_bare = param.is_flag or isinstance(param.flag_value, str)
    return (argument == param.opts[0] and may_be_bare) or (
        argument.startswith(f"{param.opts[0]}=") and not param.is_flag
    )


def kept_import(options: Mapping[str, Any], folder: Path) -> ImportArguments | None:
    """Return what the command of a job was given; None for the job of a program."""
    if not isinstance(options.get(_COMMAND), list):
        return None
    try:
        context = _PARSER.make_context("import", ["FILE", *kept_arguments(options, folder)])
    except click.ClickException as error:  # values of a newer version
        raise CliError(f"the options that began the job are not known here: {error.message}") from None
    return ImportArguments.of(context)


def kept_globals(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the global options that a job was begun with: which Company, and the deadline."""
    found = options.get(_GLOBALS)
    known = ("profile", "company", "deadline")
    return {name: found[name] for name in known if name in found} if isinstance(found, dict) else {}
