"""Pages of commands, enums and error codes, written from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from docs.builder.markup import table, title
from docs.builder.shapes import Links, field_table, joined, says, sentence
from wosdk_async.catalogue import Command, EnumType
from wosdk_async.catalogue.generator.names import command_modules, member_name
from wosdk_async.protocol.verdicts import CODES

__all__ = ["code_page", "command_pages", "enum_page"]


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
        f"All {len(rows)} commands. A command that is not safe to repeat is never sent a "
        f"second time when the "
        "first may have taken effect: [what failure means](../failures.md)."
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


def enum_page(links: Links) -> str:
    """Return the page of all enums."""
    enums = links.catalogue.enums
    parts = [
        "# Enums",
        f"All {len(enums)} enums with their values. Each is open: the service may add a "
        f"value in any release, "
        "and the library keeps one that it does not know as it came.",
    ]
    for enum in enums.values():
        parts += [
            f"## {enum.name}",
            " ".join(filter(None, (sentence(enum.note), says(enum.sources)))),
            values(enum),
        ]
    return joined(parts)


def values(enum: EnumType) -> str:
    """Return the table of an enum's values."""
    rows = (
        (
            f"`{value.name}`",
            f"`{member_name(value.name)}`" if member_name(value.name) != value.name else "",
            "" if value.value is None else value.value,
            " ".join(filter(None, (value.meaning, sentence(value.note)))),
            value.sources.replace(" ", ", "),
        )
        for value in enum.values
    )
    kept = list(rows)
    shown = [i for i in range(5) if i in (0, 4) or any(row[i] != "" for row in kept)]
    head = ("Value", "In Python", "Number", "Meaning", "Sources")
    return table([head[i] for i in shown], ([row[i] for i in shown] for row in kept))


def code_page(links: Links) -> str:
    """Return the page of error codes: the catalogue's facts beside the library's rule for each."""
    known = {value.name: value for value in links.catalogue.enums["ErrorCode"].values}
    rows = []
    for code in sorted({*known, *CODES}):
        value, rule = known.get(code), CODES.get(code)
        rows.append(
            (
                f"`{code}`",
                value.http_status if value and value.http_status else "",
                value.meaning if value else "Named by the library alone.",
                rule.verdict.name if rule else "refused",
                f"`{rule.error.__name__}`" if rule else "`RefusedError`",
            )
        )
    return joined(
        [
            "# Error codes",
            f"The {len(rows)} codes of the service that are known, what the library takes each for, and the "
            "exception that your program sees. The list is open: any other code is raised as "
            "`RefusedError`, which "
            "has it as `code`.",
            table(["Code", "HTTP", "Meaning", "Verdict", "Raised as"], rows),
            "[What failure means](failures.md) explains the verdicts; [error "
            "messages](messages.md) go by what "
            "you read.",
        ]
    )
