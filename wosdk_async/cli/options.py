"""Options that commands share: which Company, and how results are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click

from wosdk_async.cli.output.files import Output, require_not_kept, require_stdout, require_writable

if TYPE_CHECKING:
    from wosdk_async import Client

__all__ = [
    "Target",
    "excel_separator",
    "has_unchecked",
    "is_verbose",
    "output_of",
    "output_options",
    "target_of",
    "target_options",
    "unchecked_hint",
    "unchecked_option",
]

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen(kw_only=True)
class Target:
    """The global options; what they leave open the environment decides."""

    profile: str | None = None
    company: str | None = None
    deadline: float | None = None
    read_only: bool = False
    verbose: int = 0

    def client(self, variables: Mapping[str, str] | None = None, **more: Any) -> Client:
        """Return a client for ``variables``, or for the profile and the environment."""
        from wosdk_async import CallOptions, Client

        more |= {"profile": self.profile, "company": self.company} if variables is None else {}
        options = CallOptions(deadline=self.deadline)
        if self.verbose:
            from wosdk_async.cli.verbose import RequestPrinter

            printer = RequestPrinter(self.verbose)
            more |= {"engine": printer.engine, "on_attempt": printer.attempt_ended}
        return Client.from_env(variables, options=options, read_only=self.read_only, **more)


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value not in (None, False) and param.name:  # an empty name is a mistake, and is refused as one
        ctx.find_root().ensure_object(dict)[param.name] = value


class _Seconds(click.types.FloatParamType):
    """A number of seconds; errors name the unit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = 0
        if not 0 < seconds < math.inf:
            text = f"{value!r} is not a deadline: write a number of seconds over 0, such as 30."
            self.fail(text, param, ctx)
        return seconds


def target_options(hidden: bool = False) -> Callable[[F], F]:
    """Return a decorator that adds the global options, for ``wosdk`` and commands that use a Company."""
    shared: dict[str, Any] = {"expose_value": False, "callback": _remember, "hidden": hidden}
    deadline = "Seconds for each call as a whole; otherwise 60, and 120 for calls that change something."
    options = (
        click.option(
            "--profile", metavar="NAME", help="Profile of the settings file (WOSDK_PROFILE).", **shared
        ),
        click.option("--company", metavar="NAME", help="The Company, instead of WOSDK_COMPANY.", **shared),
        click.option("--deadline", type=_Seconds(), metavar="SECONDS", help=deadline, **shared),
        click.option("--read-only", is_flag=True, help="Refuse whatever could change something.", **shared),
        click.option(
            "-v",
            "--verbose",
            count=True,
            help="Show each request on stderr; -vv with headers and bodies, without secrets.",
            **shared,
        ),
    )

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def target_of(ctx: click.Context) -> Target:
    """Return the global options, from before and behind the command."""
    return Target(**ctx.find_root().ensure_object(dict))


def is_verbose() -> bool:
    """Return whether the command that runs shows its requests."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().ensure_object(dict).get("verbose"))


unchecked_option = click.option(
    "--unchecked", is_flag=True, help="Send names and values as they are, without asking the catalogue."
)


def has_unchecked() -> bool:
    """Return whether the command that runs has the option ``--unchecked``."""
    context = click.get_current_context(silent=True)
    return context is None or any(each.name == "unchecked" for each in context.command.params)


def unchecked_hint(does: str = "sends it as it is") -> str:
    """Return what sends a name or value that the catalogue does not know, for a message."""
    return f"--unchecked {does}" if has_unchecked() else f"`wosdk query --unchecked` {does}"


excel_separator = click.Choice(["comma", "semicolon"])
"""What separates the cells of a CSV for Excel, in all commands that write one."""

_EXCEL = "wosdk.csv_for_excel"  # in the context: commands need no parameter for it


_RAW = "wosdk.csv_raw"


def _remember_excel(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    ctx.meta[_EXCEL] = value


def _remember_raw(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[_RAW] = value


_OUTPUT = (
    click.option("--json", "as_json", is_flag=True, help="JSON, one record a line, as the service sent it."),
    click.option(
        "--csv", "as_csv", is_flag=True, help="CSV (RFC 4180), safe for spreadsheets: +49 30 becomes '+49 30."
    ),
    click.option(
        "--csv-for-excel",
        type=excel_separator,
        expose_value=False,
        callback=_remember_excel,
        help="CSV for Excel: semicolon, with numbers such as 1,5, where the region writes them so.",
    ),
    click.option(
        "--csv-raw",
        is_flag=True,
        expose_value=False,
        callback=_remember_raw,
        help="CSV for programs: no apostrophe before texts that begin like a formula.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write there instead of to stdout.",
    ),
)


def output_options(function: F) -> F:
    """Add the options of results; the command passes its parameters to :func:`output_of`."""
    for option in reversed(_OUTPUT):
        function = option(function)
    return function


def output_of(as_json: bool, as_csv: bool, output: Path | None) -> Output:
    """Return the output that the options name; raise CliError when it cannot be written."""
    meta = click.get_current_context().meta
    excel, raw = meta.get(_EXCEL), bool(meta.get(_RAW))
    if as_json and (as_csv or excel or raw):
        other = "--csv" if as_csv else "--csv-for-excel" if excel else "--csv-raw"
        raise click.UsageError(f"--json and {other} are two formats of one result; give one of them")
    if output is None:
        require_stdout(", or name a file with --output")
    else:
        require_writable(output)
        require_not_kept("--output", output)
    return Output("json" if as_json else "csv" if as_csv or excel or raw else "table", output, excel, raw)
