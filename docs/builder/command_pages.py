"""Pages of commands, written from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from docs.builder.markup import table, title
from docs.builder.shapes import Links, field_table, joined, says, sentence
from wosdk_async.catalogue import Command
from wosdk_async.catalogue.generator.names import command_modules

__all__ = ["command_pages"]


def command_pages(links: Links) -> Iterator[tuple[str, str]]:
    """Give the pages of commands, one for each module of them, and the list of all."""
    modules = command_modules(links.catalogue)
    rows = []
    for module, commands in modules.items():
        name = module.rpartition(".")[2]
        parts = [f"# Commands: {title(name).lower()}"]
        parts.append(f"{_contents(len(commands))} `company.run(...)` sends one.")
        for command in commands:
            parts += [f"## {command.name}", *command_body(command, links)]
            safe = "yes" if command.repeat == "safe" else "no"
            rows.append((links.to(command.name), sentence(command.meaning), safe))
        yield f"commands/{name}.md", joined(parts)
    text = (
        f"All {len(rows)} commands. A command that is not safe to repeat is never sent a second time when "
        "the first may have taken effect: [what failure means](../failures.md)."
    )
    yield (
        "commands/index.md",
        joined(["# Commands", text, table(["Command", "Does", "Safe to repeat"], sorted(rows))]),
    )


def command_body(command: Command, links: Links) -> Iterator[str]:
    """Give the parts of a command below its heading."""
    yield f"{sentence(command.meaning)} In Python `wosdk_async.model.{command.name}`."
    safe = "It is safe to repeat." if command.repeat == "safe" else "It is not safe to repeat."
    others = "".join(f" or `{path}`" for path in command.other_paths)
    yield " ".join(
        filter(
            None,
            (f"Sent to `cmd/{command.path}`{others}.", safe, sentence(command.note), says(command.sources)),
        )
    )
    if command.request:
        yield f"### Fields of {command.name}"
        yield field_table(command.request, links)
    if command.response:
        yield f"### Result of {command.name}: {command.result or 'without a name'}"
        yield field_table(command.response, links)


def _contents(commands: int) -> str:
    if commands == 1:
        return "One command, with the fields that it takes and returns."
    return f"{commands} commands, with the fields that each takes and returns."
