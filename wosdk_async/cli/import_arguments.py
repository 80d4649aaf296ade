"""Arguments of ``wosdk import``, from the command line or a job's journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs
import click

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.import_options import OneRun, import_options
from wosdk_async.cli.options import TEMPORARY, Target, target_of
from wosdk_async.cli.output.files import (
    require_not_in_job,
    require_not_input,
    require_not_store,
    require_writable,
)
from wosdk_async.cli.texts import in_commands
from wosdk_async.errors import ConfigurationError

if TYPE_CHECKING:
    from wosdk_async.jobs import ImportOptions
    from wosdk_async.jobs.cluster.messages import WorkerPool
    from wosdk_async.jobs.sources.table_rules import TableRules


def read_options(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``open_source`` from a command's parameters."""
    return {name: params[name] for name in ("delimiter", "encoding", "sheet", "format", "header_row")}


@attrs.frozen(kw_only=True)
class ImportArguments:
    """Validated arguments of ``wosdk import``."""

    target: Target
    file: str
    map_file: Path
    operation: str | None
    """Operation name; None if the map decides."""
    reading: Mapping[str, Any]
    """Arguments of ``open_source``."""
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
        """Return a command's arguments. Raises CliError for contradictory options."""
        from wosdk_async.jobs import ImportOptions

        params = ctx.params
        named = {each.name: params[each.name] for each in attrs.fields(cls) if each.name in params}
        options = {
            each.name: params[each.name]
            for each in attrs.fields(ImportOptions)
            if params.get(each.name) is not None
        }
        return cls(
            **named,
            target=target_of(ctx),
            operation=operation_of(params),
            reading=read_options(params),
            options=ImportOptions(**options, details=_options_to_save(ctx)),
        )

    def reading_with(self, rules: TableRules) -> dict[str, Any]:
        """Return ``reading`` with the header row that the map sets, unless an option sets one."""
        return {**self.reading, "header_row": self.reading["header_row"] or rules.header_row}

    def require_outcomes(self) -> None:
        """Raise CliError if the outcomes cannot be written, or would overwrite a file that is needed."""
        if self.outcomes is None:
            return
        require_not_input("--outcomes", self.outcomes, Path(self.file), self.map_file)
        if self.sandbox is not None and self.sandbox != TEMPORARY:
            require_not_store("--outcomes", self.outcomes, Path(self.sandbox))
        require_not_in_job("--outcomes", self.outcomes)
        folder = self.options.folder or Path(f"{self.file}.job")
        # run_import() refuses a file in the job folder once the folder exists.
        if folder.absolute() not in self.outcomes.absolute().parents:
            require_writable(self.outcomes)

    def require_new_outcomes(self) -> None:
        """Refuse to overwrite an import's outcomes, which may be the only list of created records."""
        if self.outcomes is None or self.force:
            return
        if self.outcomes.is_file() and self.outcomes.stat().st_size:
            raise CliError(
                f"{self.outcomes} exists, and may be the only list of an earlier import's records; name "
                "another file, or add --force to overwrite it"
            )

    @property
    def outcomes_mode(self) -> int:
        """Permissions of a new outcomes file, which is private unless everybody can read the input."""
        with suppress(OSError):  # stdin and URLs, whose job folder is private too
            if Path(self.file).stat().st_mode & 0o044 == 0o044:
                return 0o666
        return 0o600

    def workers(self, on_stage: Callable[[str], None]) -> WorkerPool | None:
        """Return the worker pool, or None if this process sends the rows. Raises CliError for bad options."""
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

        # Hide Dask's log of errors, because the import reports them.
        os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
        cluster = DaskCluster(engine, on_stage=on_stage)
        if self.sandbox is not None and not is_local(f"http://{cluster.address.partition('://')[2]}"):
            raise CliError(
                "workers of --engine on other machines cannot reach --sandbox; leave out one of these options"
            )
        return cluster


_EXCLUDE = (
    ("again", "new_rows"),
    ("again", "retry_refused"),
    ("again", "retry_undone"),
    ("processes", "engine"),
    ("command", "entity"),
    ("update_by", "delete_by"),
)


def operation_of(params: Mapping[str, Any]) -> str | None:
    """Return the operation name from a command's parameters; None if the map decides.

    Raises CliError for contradictory parameters.
    """
    for names in _EXCLUDE:
        if all(params.get(name) not in (None, False) for name in names):
            one, other = (f"--{name.replace('_', '-')}" for name in names)
            raise CliError(f"{one} and {other} are mutually exclusive; use one")
    if params.get("lease") is not None and params["processes"] is None and params["engine"] is None:
        raise CliError("--lease needs --processes or --engine")
    command: str | None = params["command"]
    entity, update_by, delete_by = (params[name] for name in ("entity", "update_by", "delete_by"))
    if entity is None:
        if update_by is not None or delete_by is not None:
            raise CliError("--update-by and --delete-by need --entity, as in --entity Customer")
        return command
    if update_by is not None:
        return f"update {entity} by {update_by}"
    return f"create {entity}" if delete_by is None else f"delete {entity} by {delete_by}"


_COMMAND, _GLOBALS = "command", "global"


def _options_to_save(ctx: click.Context) -> dict[str, Any]:
    """Return the options to save in the job's journal, with absolute paths."""
    arguments = [
        _argument(param, value)
        for param in _saved_params(ctx.command)
        if (value := ctx.params.get(param.name or "")) != param.get_default(ctx)
        and value is not None
        and value is not False
    ]
    shared = dict(ctx.find_root().ensure_object(dict))
    shared.pop("verbose", None)
    return {_COMMAND: arguments, _GLOBALS: shared}


def _saved_params(command: click.Command) -> list[click.Option]:
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
        value = int(value)  # write --rate=400 as people do, not --rate=400.0
    return f"{option}={value}"


PARSER = click.command("import", add_help_option=False)(import_options(lambda **_: None))
"""Parser of saved arguments; it has all options of ``wosdk import`` but the global ones."""


def saved_arguments(options: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the options in a job's journal that ``wosdk import`` could have written.

    Other texts are skipped, because anyone with write access to the folder can edit the journal. Raises
    CliError if Python code, not ``wosdk import``, started the job.
    """
    found = options.get(_COMMAND)
    if not isinstance(found, list):
        raise CliError(
            f"{folder}: the job was not started by wosdk import; rerun the program that started it"
        )
    params = _saved_params(PARSER)
    return [each for each in map(str, found) if any(_is_option(each, param) for param in params)]


def _is_option(argument: str, param: click.Option) -> bool:
    """Return whether :func:`_argument` could have written ``argument`` for ``param``."""
    may_be_bare = param.is_flag or isinstance(param.flag_value, str)
    return (argument == param.opts[0] and may_be_bare) or (
        argument.startswith(f"{param.opts[0]}=") and not param.is_flag
    )


def saved_import(options: Mapping[str, Any], folder: Path) -> ImportArguments | None:
    """Return the import arguments of a job; None if Python code, not ``wosdk import``, started the job.

    The file is a placeholder; the job's plan names the input.
    """
    if not isinstance(options.get(_COMMAND), list):
        return None
    try:
        context = PARSER.make_context("import", ["FILE", *saved_arguments(options, folder)])
    except click.ClickException as error:  # a newer version wrote the journal
        raise CliError(
            f"{folder}: this version of wosdk cannot use the journal's options: {error.message}; update wosdk"
        ) from None
    return ImportArguments.of(context)


def saved_globals(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a job's global options: profile, Company and deadline."""
    found = options.get(_GLOBALS)
    known = ("profile", "company", "deadline")
    return {name: found[name] for name in known if name in found} if isinstance(found, dict) else {}
