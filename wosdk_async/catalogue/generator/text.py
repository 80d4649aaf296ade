"""Python text as ``ruff format`` would write it: docstrings, calls, imports, and what a field's says."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from wosdk_async.catalogue import Field
from wosdk_async.catalogue.generator.names import import_order

__all__ = [
    "WIDTH",
    "call",
    "docstring",
    "field_text",
    "from_import",
    "header",
    "literal",
    "sentences",
]

WIDTH = 110
FORMATS = {
    "datetime-local": "ISO 8601 local time, no zone.",
    "datetime-utc": "UTC.",
    "number": "Exact decimal.",
}


def literal(value: object) -> str:
    """A Python literal with double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def docstring(text: str, indent: str = "") -> str:
    """``text`` as a docstring; its paragraphs are separated by blank lines."""
    if "\n" not in text and len(indent) + len(text) + 6 <= WIDTH:
        return f'{indent}"""{text}"""'
    paragraphs = text.split("\n\n")
    wrapped = [
        textwrap.fill(
            ("" if i else '"""') + paragraph,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for i, paragraph in enumerate(paragraphs)
    ]
    return "\n\n".join(wrapped) + f'\n{indent}"""'


def call(head: str, arguments: Sequence[str], indent: str, tail: str = ")") -> str:
    """``head(arguments)`` on one line, on three, or with a line for each argument."""
    line = f"{indent}{head}({', '.join(arguments)}{tail}"
    if len(line) <= WIDTH:
        return line
    inner = f"{indent}    {', '.join(arguments)}"
    if len(inner) <= WIDTH:
        return f"{indent}{head}(\n{inner}\n{indent}{tail}"
    lines = "".join(f"{indent}    {argument},\n" for argument in arguments)
    return f"{indent}{head}(\n{lines}{indent}{tail}"


def from_import(module: str, names: Iterable[str], indent: str = "") -> str:
    """``from module import names``, sorted."""
    ordered = sorted(names, key=import_order)
    line = f"{indent}from {module} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return line
    return (
        f"{indent}from {module} import (\n"
        + "".join(f"{indent}    {name},\n" for name in ordered)
        + f"{indent})"
    )


def header(text: str) -> str:
    """The docstring of a generated module."""
    return docstring(f"{text}\n\nWritten by wosdk_async.catalogue.generate from the catalogue; do not edit.")


def sentences(*parts: str | None) -> str:
    """``parts`` as sentences of one paragraph, without the empty ones."""
    full = (part.strip() for part in parts if part and part.strip())
    return " ".join(f"{part[0].upper()}{part[1:]}".rstrip(".") + "." for part in full)


def _length(field: Field) -> str | None:
    if field.max_length is None:
        return None
    whose = "" if field.max_length_source == "doc" else " (a third-party client's limit, not the vendor's)"
    return f"At most {field.max_length} characters{whose}"


def field_text(field: Field, aliases: Mapping[str, str]) -> str:
    """The docstring of a field."""
    nicknames = [name for name, wire in aliases.items() if wire == field.of and name == field.name]
    return sentences(
        field.meaning or f"``{field.name}`` on the wire",
        FORMATS.get(field.kind),
        f"The service's documents call the type {nicknames[0]}" if nicknames else None,
        _length(field),
        "Required on creation" if field.required else None,
        None if field.updatable else "Not updatable",
        field.note,
    )
