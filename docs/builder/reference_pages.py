"""Pages of options: those of ``wosdk`` from its commands, those of a client from its classes."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import click

from docs.builder.markup import plain, shown, table
from wosdk_async import CallOptions, ClientOptions, Limits, RetryPolicy, Timeouts
from wosdk_async.cli.app import app
from wosdk_async.jobs import ExportOptions, ImportOptions

__all__ = ["commands", "pages"]

OPTIONS = (ClientOptions, CallOptions, RetryPolicy, Limits, Timeouts, ImportOptions, ExportOptions)


def pages() -> dict[str, str]:
    """Return path -> text of all pages."""
    return {"cli-options.md": "\n".join(_cli()), "options.md": "\n".join(_options())}


def commands(group: click.Group = app, before: str = "wosdk") -> Iterator[tuple[str, click.Command]]:
    """Give all commands below a group with the words that call them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        yield f"{before} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{before} {name}")


def _cli() -> Iterator[str]:
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


def _options() -> Iterator[str]:
    yield "# Options of a client and of its jobs\n\nEvery option with its default and unit. Those of"
    yield "`ClientOptions` are arguments of `Client(...)` and `Client.from_env(...)`;"
    yield "[settings](settings.md) says where Company and credentials come from.\n"
    for owner in OPTIONS:
        yield f"## {owner.__name__}\n\n{plain(inspect.getdoc(owner) or '')}\n".replace("](../", "](")
        meanings = attribute_docs(owner)
        rows = [
            (f"`{each.name}`", f"`{shown(each.default)}`", plain(meanings[each.name]).replace("](../", "]("))
            for each in attrs.fields(owner)
        ]
        yield table(["Option", "Default", "Meaning"], rows)


def attribute_docs(owner: type[Any]) -> dict[str, str]:
    """Return attribute -> the text below it in the source of its class."""
    found: dict[str, str] = {}
    for kind in reversed(owner.__mro__[:-1]):
        module = ast.parse(Path(inspect.getfile(kind)).read_text(encoding="utf-8"))
        body = next(n.body for n in module.body if isinstance(n, ast.ClassDef) and n.name == kind.__name__)
        for line, after in pairwise(body):
            if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
                continue
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                found[line.target.id] = inspect.cleandoc(str(after.value.value))
    return found
