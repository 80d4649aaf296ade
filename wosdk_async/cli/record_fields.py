"""Fields of a record on the command line, and their values as they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.completed_names import assignments, entities
from wosdk_async.cli.output.cells import json_text
from wosdk_async.text.safe_text import shortened

if TYPE_CHECKING:
    from wosdk_async.model import Record

__all__ = ["entity_argument", "fields_argument", "given_fields", "json_body_option", "shown_value"]

_MAX_VALUE = 200  # characters of a value that is shown before the question

entity_argument = click.argument("entity", shell_complete=entities)
fields_argument = click.argument("fields", nargs=-1, metavar="[NAME=VALUE]...", shell_complete=assignments)
json_body_option = click.option(
    "--json-body",
    type=click.Path(path_type=Path),
    metavar="FILE|-",
    help="The record's fields as a JSON object.",
)


def given_fields(kind: type[Record] | str, texts: tuple[str, ...], body: Path | None) -> dict[str, Any]:
    """Return the fields of a record by wire name, from ``--json-body`` and ``NAME=VALUE``; ``NAME=`` is null.

    Raises:
        CliError: a field is wrong; the message names it and the remedy.
    """
    from wosdk_async.cli.input.fields import assigned, json_object

    cls = None if isinstance(kind, str) else kind
    fields = json_object("--json-body", body) if body is not None else {}
    return assigned(fields, [_null_if_empty(text) for text in texts], cls)


def _null_if_empty(text: str) -> str:
    name, sign, value = text.partition("=")
    return f"{name}:=null" if sign and not value and not name.endswith(":") else text


def shown_value(value: Any) -> str:
    """Return a value as JSON for the lines before the question; of a long one only the beginning."""
    return shortened(json_text(value), _MAX_VALUE)
