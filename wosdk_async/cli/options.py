"""Shared command options: Company, change confirmation, output format."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from wosdk_async.cli.output.files import Output, require_not_in_job, require_stdout, require_writable
from wosdk_async.model import command_class, entity_class, index, registry
from wosdk_async.model.metadata import is_nested

if TYPE_CHECKING:
    from wosdk_async import Client


def with_options(command: Any, *options: Callable[[Any], Any]) -> Any:
    """Add options to a command, in the order shown in the help."""
    return functools.reduce(lambda made, option: option(made), reversed(options), command)


@attrs.frozen(kw_only=True)
class Target:
    """Global options; the environment supplies missing values."""

    profile: str | None = None
    company: str | None = None
    deadline: float | None = None
    read_only: bool = False
    verbose: int = 0

    def client(self, variables: Mapping[str, str] | None = None, **more: Any) -> Client:
        """Create a client from ``variables``, or from the profile and environment."""
        from wosdk_async import CallOptions, Client

        more |= {"profile": self.profile, "company": self.company} if variables is None else {}
        options = CallOptions(deadline=self.deadline)
        if self.verbose:
            from wosdk_async.cli.verbose import RequestPrinter

            printer = RequestPrinter(self.verbose)
            more |= {"engine": printer.engine, "on_attempt": printer.attempt_ended}
        return Client.from_env(variables, options=options, read_only=self.read_only, **more)


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value not in (None, False) and param.name:  # an empty name is invalid and is reported later
        ctx.find_root().ensure_object(dict)[param.name] = value


class Whole(click.IntRange):
    """Whole number in a range."""

    name = "whole number"


class Number(click.FloatRange):
    """Finite number with a lower bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number if it is finite; click's bounds accept NaN and infinity."""
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is not a finite number; write a number such as 30", param, ctx)
        return float(found)


def target_options(hidden: bool = False) -> Callable[[Any], Any]:
    """Return a decorator that adds the global options."""
    shared: dict[str, Any] = {"expose_value": False, "callback": _remember, "hidden": hidden}
    options = (
        click.option("--profile", metavar="NAME", help="Saved profile (WOSDK_PROFILE).", **shared),
        click.option("--company", metavar="NAME", help="Company name (WOSDK_COMPANY).", **shared),
        click.option(
            "--deadline",
            type=Number(0, min_open=True),
            metavar="SECONDS",
            help="Time limit per call (default: 60; writes: 120).",
            **shared,
        ),
        click.option("--read-only", is_flag=True, help="Refuse all changes.", **shared),
        click.option(
            "-v", "--verbose", count=True, help="Show requests on stderr; -vv adds bodies.", **shared
        ),
    )

    return lambda function: with_options(function, *options)


def target_of(ctx: click.Context) -> Target:
    """Return the global options from before and after the command."""
    return Target(**ctx.find_root().ensure_object(dict))


unchecked_option = click.option("--unchecked", is_flag=True, help="Skip catalogue checks.")
excel_option = click.option(
    "--csv-for-excel",
    type=click.Choice(["comma", "semicolon"]),
    help="CSV for Excel; semicolon for regions that write 14,99.",
)
raw_option = click.option("--csv-raw", is_flag=True, help="CSV for programs: no apostrophe before =1+1.")

TEMPORARY = "\0"
"""Value of ``--sandbox`` if no STORE is given; no file can have this name."""

sandbox_option = click.option(
    "--sandbox",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="STORE.db",
    help="Store of the job's local Company (default: as in the last run).",
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to FILE instead of stdout.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")

_OUTPUT = (
    click.option("--json", "as_json", is_flag=True, help="Write JSON lines, as received from the service."),
    click.option("--csv", "as_csv", is_flag=True, help="Write spreadsheet-safe CSV: =1+1 becomes '=1+1."),
    excel_option,
    raw_option,
    output_option,
)


def output_options(function: Any) -> Any:
    """Add the output options; the command gets ``result``."""

    @functools.wraps(function)
    def command(
        *args: Any,
        as_json: bool,
        as_csv: bool,
        csv_for_excel: Any,
        csv_raw: bool,
        output: Path | None,
        **others: Any,
    ) -> Any:
        csv = {"--csv": as_csv, "--csv-for-excel": csv_for_excel, "--csv-raw": csv_raw}
        other = next((option for option, value in csv.items() if value), None)
        if as_json and other:
            raise click.UsageError(f"--json and {other} are mutually exclusive; use one")
        kind = "json" if as_json else "csv" if other else "table"
        if output is None:
            require_stdout(", or name a file with --output")
        else:
            require_writable(output)
            require_not_in_job("--output", output)
        return function(*args, result=Output(kind, output, csv_for_excel, csv_raw), **others)

    return with_options(command, *_OUTPUT)


def change_options(function: Any) -> Any:
    """Add the options of ``ChangeSession.open``, and the global options."""
    return with_options(
        function,
        yes_option,
        click.option("--dry-run", is_flag=True, help="Show the requests without sending them."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON lines, one per record."),
        target_options(hidden=True),
    )


def _starting(begin: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.lower().startswith(begin.lower()))


def _completion(known: Iterable[str]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a function that completes ``known`` names."""
    return lambda _, __, incomplete: _starting(incomplete, known)


_ENTITIES = {*index.ENTITIES, *index.ALIASES}  # aliases such as Asset for Location
_ENUMS = {name for name, module in index.MODULES.items() if module == "enums"}
commands = _completion(index.COMMANDS)
names = _completion({*_ENTITIES, *index.COMMANDS, *_ENUMS})


def properties(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the entity's property paths that complete the last step of ``incomplete``."""
    # while an option's value is missing, click leaves the entity in ctx.args
    owner = entity_class(ctx.params.get("entity") or next(iter(ctx.args), ""))
    *steps, last = incomplete.split(".")
    for step in steps:
        meta = _wire(owner).get(step)
        owner = registry.resolve(meta["of"]) if meta and is_nested(meta) else None
    prefix = "".join(f"{step}." for step in steps)
    return [prefix + name for name in _starting(last, _wire(owner))]


def assignments(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return ``name=`` for each field of the command or entity; after ``=``, each member of the enum."""
    command, entity = ctx.params.get("command"), ctx.params.get("entity")
    owner = command_class(command) if command else entity_class(entity or "")
    name, sign, begin = incomplete.partition("=")
    if not sign:
        return [f"{field}=" for field in _starting(name, _wire(owner))]
    meta = _wire(owner).get(name)
    if meta is None or meta["type"] != "enum":
        return []
    return [f"{name}={member}" for member in _starting(begin, map(str, registry.resolve(meta["of"])))]


def _wire(owner: Any) -> Mapping[str, Any]:
    return {} if owner is None else {meta["name"]: meta for meta in owner.__wire__.values()}


entity_argument = click.argument("entity", shell_complete=_completion(_ENTITIES))
fields_argument = click.argument("fields", nargs=-1, metavar="[NAME=VALUE]...", shell_complete=assignments)
json_body_option = click.option(
    "--json-body", type=click.Path(path_type=Path), metavar="FILE|-", help="Fields as a JSON object."
)
where_option = click.option(
    "-w",
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    shell_complete=properties,
    help="Filter rows; repeat to combine with AND.",
)


def properties_option(*names: str) -> Callable[[Any], Any]:
    """Return a decorator that adds an option for the properties to read; the command gets ``paths``."""
    return click.option(
        "-p",
        "--property",
        *names,
        "paths",
        multiple=True,
        metavar="PATH",
        shell_complete=properties,
        help="Property to read, such as '*' or Customer.Name; repeatable.",
    )


def job_argument(function: Any) -> Any:
    """Add the JOB argument (folder or input file); the command gets ``folder``."""

    @functools.wraps(function)
    def command(*args: Any, job: Path, **others: Any) -> Any:
        from wosdk_async.jobs.journal.folder import job_folder

        return function(*args, folder=job_folder(job), **others)

    return click.argument("job", type=click.Path(path_type=Path))(command)
