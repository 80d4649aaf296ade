"""Pages of enums and error codes, written from the catalogue and the table of verdicts."""

from __future__ import annotations

from docs.builder.markup import table
from docs.builder.shapes import Links, joined, says, sentence
from wosdk_async.catalogue import EnumType
from wosdk_async.catalogue.generator.names import member_name
from wosdk_async.protocol.verdicts import CODES

__all__ = ["code_page", "enum_page"]


def enum_page(links: Links) -> str:
    """Return the page of all enums."""
    enums = links.catalogue.enums
    parts = [
        "# Enums",
        f"All {len(enums)} enums with their values. Each is open: the service may add a value in any "
        "release, and the library keeps one that it does not know as it came.",
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
            "exception that your program sees. The list is open: any other code is raised as `RefusedError`, "
            "which has it as `code`.",
            table(["Code", "HTTP", "Meaning", "Verdict", "Raised as"], rows),
            "[What failure means](failures.md) explains the verdicts; [error messages](messages.md) "
            "go by what you read.",
        ]
    )
