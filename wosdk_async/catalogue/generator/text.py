"""Building blocks of generated modules: literals, imports, docstrings, and ruff's formatting."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from wosdk_async.catalogue import Entity, Field
from wosdk_async.regular_files import create_file

CHECKOUT = Path(__file__).parents[3]
MARK = "Written by wosdk_async.catalogue.generate from the catalogue; do not edit."
WIDTH = 110  # maximum width of docstrings, which ruff does not wrap
FORMATS = {
    "datetime-local": "Local time without a zone.",
    "datetime-utc": "UTC.",
    "number": "Exact decimal.",
}


class RuffMissingError(Exception):
    """Ruff, which the generator needs, is not installed."""


def lay_out(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files, by path, formatted by ruff with the project's settings."""
    if importlib.util.find_spec("ruff") is None:
        raise RuffMissingError("ruff is not installed, and the generator needs it: pip install -e '.[dev]'")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, name) for name in files}
        for name, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with create_file(path) as file:
                file.write(files[name].encode())
        _ruff("check", "--fix", "--select", "I,RUF022", folder)
        _ruff("format", folder)
        return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}


def _ruff(command: str, *arguments: str) -> None:
    # Run in the checkout's folder, so that ruff recognizes the project's own package and sorts it last.
    options = ("--quiet", "--no-cache", "--config", str(CHECKOUT / "pyproject.toml"))
    subprocess.run(  # noqa: S603 no text from outside
        [sys.executable, "-m", "ruff", command, *options, *arguments], cwd=CHECKOUT, check=True
    )


def literal(value: object) -> str:
    """Return a Python literal with double quotes and one line per dict item."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        # The comma after the last item keeps ruff from joining the lines.
        return "{" + "".join(f"{literal(key)}: {literal(item)}," for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return f"({''.join(f'{literal(item)}, ' for item in value).removesuffix(' ')})"
    return repr(value)


def docstring(text: str, indent: str = "") -> str:
    """Format ``text`` as a docstring; blank lines separate its paragraphs."""
    if "\n" not in text and len(indent) + len(text) + 6 <= WIDTH:
        return f'{indent}"""{text}"""'
    wrapped = [
        textwrap.fill(
            paragraph,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for paragraph in f'"""{text}'.split("\n\n")
    ]
    return "\n\n".join(wrapped) + f'\n{indent}"""'


def from_import(module: str, names: Iterable[str]) -> str:
    """Return the import of ``names`` as one line."""
    return f"from {module} import {', '.join(sorted(names))}"


def header(text: str) -> str:
    """Return the docstring of a generated module."""
    return docstring(f"{text}\n\n{MARK}")


def sentences(*parts: str | None) -> str:
    """Join the non-empty ``parts`` as sentences of one paragraph."""
    full = (part.strip() for part in parts if part and part.strip())
    return " ".join(f"{part[0].upper()}{part[1:]}".rstrip(".") + "." for part in full)


def field_text(field: Field, aliases: Mapping[str, str], *, of_command: bool) -> str:
    """Return a field's docstring text. A command's required fields are not marked "on creation"."""
    nicknames = [name for name, wire in aliases.items() if wire == field.of and name == field.name]
    return sentences(
        field.meaning or f"``{field.name}`` on the wire",
        _format(field),
        f"The specification calls the type {nicknames[0]}" if nicknames else None,
        _length(field),
        ("Required" if of_command else "Required on creation") if field.required else None,
        None if field.updatable else "Not updatable",
        field.note,
    )


def _format(field: Field) -> str | None:
    """Return the format of a field's values; None if the field's meaning already states it."""
    meaning = field.meaning or ""
    if field.kind == "datetime-local" and meaning.startswith("Local"):
        return "No zone."
    return None if field.kind == "datetime-utc" and "UTC" in meaning else FORMATS.get(field.kind)


def _length(field: Field) -> str | None:
    if field.max_length is None:
        return None
    whose = "" if field.max_length_source == "doc" else " (a third-party client's limit, not the vendor's)"
    return f"At most {field.max_length} character{'s' * (field.max_length > 1)}{whose}"


def operations_text(entity: Entity) -> str | None:
    """Describe the operations that the entity supports (spec 4.9 rule 1, facts 3.9)."""
    if entity.kind != "entity" or not entity.operations:
        return None
    supported = [name for name, can in entity.operations.items() if can]
    refused = [name for name, can in entity.operations.items() if can is False]
    unknown = [name for name, can in entity.operations.items() if can is None]
    if not supported and not refused:
        return sentences("Operations: unknown", entity.operations_note)
    return sentences(
        f"Operations: {', '.join(supported) or 'none known'}",
        f"not supported: {', '.join(refused)}" if refused else None,
        f"unknown: {', '.join(unknown)}" if unknown else None,
        entity.operations_note,
    )


def paragraphs(*parts: str | None) -> str:
    """Join the non-empty ``parts`` as paragraphs."""
    return "\n\n".join(part for part in parts if part)
