"""The command group ``wosdk``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from wosdk_async import __version__
from wosdk_async.cli.exit_codes import CliError, Exit, cli_errors, say
from wosdk_async.cli.help import Group
from wosdk_async.cli.options import target_options
from wosdk_async.cli.signals import INTERRUPTION
from wosdk_async.regular_files import open_user_path

SECTIONS = {
    "Connect and read": {
        "login": "Check and save the credentials of a Company.",
        "check": "Diagnose the connection step by step.",
        "describe": "Describe an entity, a command or an enum.",
        "get": "Read one record.",
        "query": "Read rows of an entity.",
    },
    "Change records": {
        "create": "Create a record.",
        "delete": "Delete records.",
        "run": "Run a command of the service.",
        "update": "Update fields of a record.",
    },
    "Work orders": {
        "assign": "Assign work orders to employees or providers.",
        "attach": "Attach files to a work order.",
        "cancel": "Cancel work orders.",
        "complete": "Complete work orders that are in progress.",
        "hold": "Put work orders on hold.",
        "note": "Add a note to work orders.",
        "pickup": "Pick up work orders (New to Open).",
        "resume": "Resume work orders that are on hold or paused.",
        "start": "Start work orders (Open to InProgress).",
    },
    "Files": {
        "export": "Export the records of an entity to a file.",
        "import": "Create or change a record for each row of a file.",
        "jobs": "Show, resume, settle or undo imports.",
    },
    "This machine": {
        "completion": "Print a completion script for a shell.",
        "mcp": "Serve a Company to AI agents.",
        "sandbox": "Serve local Companies that behave like the service.",
    },
}
"""Help text by section and command; stored here so that the main help imports no command."""
_COMMANDS = dict(sorted(row for section in SECTIONS.values() for row in section.items()))
_MODULES = {
    "import": "import_",  # a Python keyword cannot name a module
    "check": "login",
    **dict.fromkeys(("get", "query"), "read"),
    **dict.fromkeys(("create", "delete", "update"), "records"),
    **dict.fromkeys(SECTIONS["Work orders"], "work_orders"),
    "assign": "assign",
    "attach": "attach",
}


class Wosdk(Group):
    """Command group with lazy imports. Ctrl-C and closed pipes cause no traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            module = import_module(f"wosdk_async.cli.commands.{_MODULES.get(cmd_name, cmd_name)}")
            self.add_command(getattr(module, f"{cmd_name}_command"), cmd_name)
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            found.short_help = _COMMANDS[cmd_name]
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with ``incomplete``."""
        found = [CompletionItem(name, help=text) for name, text in _COMMANDS.items()]
        commands = [each for each in found if each.value.startswith(incomplete)]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands by section."""
        self.write_commands(formatter, SECTIONS)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the program. A second Ctrl-C during exit does not change the exit status."""
        try:
            return super().main(*args, **extra)
        except SystemExit as ending:
            if isinstance(ending.__context__, click.Abort):
                sys.exit(INTERRUPTION.status)
            raise

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the options; handle output errors of ``--help`` and ``--version``."""
        with _quiet_end():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _quiet_end():
            return super().invoke(ctx)


@contextmanager
def _quiet_end() -> Iterator[None]:
    """Flush stdout at the end. Exit without a traceback on Ctrl-C or a closed stdout pipe."""
    try:
        try:
            with cli_errors():
                yield
        finally:
            _flush()
    except BrokenPipeError:
        _discard_stdout()
        raise click.exceptions.Exit(Exit.PIPE) from None
    except (KeyboardInterrupt, click.Abort):
        say("interrupted")
        raise click.exceptions.Exit(INTERRUPTION.status) from None


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:  # such as a full disk
        _discard_stdout()
        if error.__context__ is None:  # an earlier error is more useful, and is reported instead
            raise CliError(f"stdout: {error.strerror}") from error


def _discard_stdout() -> None:
    """Redirect stdout to the null device, so that Python's flush at exit does not fail."""
    with open_user_path(os.devnull) as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@click.group(cls=Wosdk, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="wosdk")
@target_options()
def app() -> None:
    """Work orders from the command line: read and change records, import files, serve a local Company.

    \b
    Try an import; it needs no account:
      wosdk import FILE --map MAP --sandbox
    Connect to your Company:
      wosdk login
      wosdk check
      wosdk query WorkOrder --where 'StatusId = New' -p Number -p Customer.Name
      wosdk hold RSC000005 --reason 'Waiting for parts' --dry-run

    `wosdk login` saves a Company as a profile; --profile selects one. Without --profile, these variables
    override profiles: WOSDK_COMPANY, WOSDK_CLIENT_ID, WOSDK_CLIENT_SECRET and WOSDK_REGION (americas, apac or
    emea). The options below may also follow the command. Results go to stdout, everything else to stderr.
    """


@app.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, entities, properties and enum values.

    \b
      eval "$(wosdk completion bash)"  # in ~/.bashrc
      eval "$(wosdk completion zsh)"   # in ~/.zshrc
      wosdk completion fish > ~/.config/fish/completions/wosdk.fish
    """
    root = ctx.find_root()
    completion = get_completion_class(shell)
    if completion is None:  # a newer click may have dropped the shell
        raise click.UsageError(f"click does not support completion for {shell}")
    click.echo(completion(root.command, {}, "wosdk", "_WOSDK_COMPLETE").source())
