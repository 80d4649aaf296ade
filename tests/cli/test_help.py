"""Help on a narrow terminal: nothing is cut, and examples stay whole."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
from click.testing import CliRunner

from tests.support.laws import each_of
from wosdk_async.cli.app import app
from wosdk_async.cli.commands.import_ import init_command

NARROW, TERMINAL, WIDE = 58, 78, 98  # characters of a line on terminals of 60, 80 and 100 columns


def names(group: click.Group = app) -> Iterator[tuple[str, ...]]:
    """The words of every command, those of groups first."""
    context = click.Context(group)
    for name in group.list_commands(context):
        yield (name,)
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((name, *more) for more in names(command))


def examples(text: str) -> list[str]:
    """The lines of a help that are commands."""
    return [line for line in text.splitlines() if re.match(" +(wosdk|eval|set) ", line)]


def help_of(*words: str, width: int) -> str:
    result = CliRunner().invoke(app, [*words, "--help"], prog_name="wosdk", terminal_width=width)
    assert result.exit_code == 0
    return result.stdout


@each_of("words", [(), *names(), ("import", "init")], ids=" ".join)
def test_help_fits_a_terminal(words: tuple[str, ...]) -> None:
    """No line but an example is longer, no text is cut, no word broken, and the examples stay the same."""
    narrow, wide = help_of(*words, width=NARROW), help_of(*words, width=WIDE)
    assert help_of(*words, width=TERMINAL).count("\n") <= 80, "two screens of 40 lines"
    assert not [line for line in narrow.splitlines() if len(line) > NARROW and line not in examples(wide)]
    assert not re.search(r"[a-z]\.\.\.$|\w-$", narrow + wide, re.MULTILINE)
    assert examples(narrow) == examples(wide)
    assert "".join(narrow.split()) == "".join(wide.split())


def test_the_help_and_completion_of_all_commands_import_none_of_them() -> None:
    """They are quick, although a command imports what it needs at its top."""
    script = (
        "import sys; from click import Context; from wosdk_async.cli.app import app; "
        "context = Context(app); app.get_help(context); app.shell_complete(context, ''); "
        "print([name for name in sys.modules if name.startswith('wosdk_async.cli.commands.')])"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_the_help_has_a_line_for_each_command() -> None:
    context = click.Context(app)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command is not None
        assert f"  {name} " in help_of(width=WIDE)
        assert command.short_help


def test_each_option_says_what_it_does() -> None:
    commands = {words: command_of(words) for words in names()} | {("import", "init"): init_command}
    silent = [
        (*words, each.name)
        for words, command in commands.items()
        for each in command.params
        if isinstance(each, click.Option) and not each.hidden and not each.help
    ]
    assert not silent


def command_of(words: tuple[str, ...]) -> click.Command:
    command: click.Command = app
    for word in words:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    return command
