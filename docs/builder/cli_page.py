"""Page of the options of ``wosdk``, generated from its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from docs.builder.markup import table
from wosdk_async.cli.app import app


def commands(group: click.Group = app, before: str = "wosdk") -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group, each with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        yield f"{before} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{before} {name}")


def cli_page() -> str:
    """Return the page."""
    return "\n".join(_parts())


def _parts() -> Iterator[str]:
    yield "# Options of wosdk\n\nEvery command of `wosdk` with its arguments and options, as `--help` shows"
    yield "them; [the command line](cli.md) has examples.\n"
    for words, command in commands():
        yield f"## {words}\n\n{(command.get_short_help_str(300)).strip()}\n"
        if isinstance(command, click.Group):
            continue
        context = click.Context(command, info_name=words)
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"Usage: `{words} {usage}`\n"
        records = [param.get_help_record(context) for param in command.params]
        rows = [(f"`{names}`", _literal(about)) for names, about in filter(None, records) if about]
        if rows:
            yield table(["Option", "Meaning"], rows)


def _literal(text: str) -> str:
    return re.sub(r"([>*_])", r"\\\1", text).replace("<", "&lt;")
