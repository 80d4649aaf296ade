"""The module of enums."""

from __future__ import annotations

import re

from wosdk_async.catalogue import Catalogue, EnumType, EnumValue
from wosdk_async.catalogue.generator.names import member_name
from wosdk_async.catalogue.generator.text import docstring, from_import, header, literal, sentences

__all__ = ["enum_files"]

SECRET_WORD = re.compile(r"password|token|secret", re.IGNORECASE)


def _member(value: EnumValue) -> str:
    given = literal(value.name) if value.value is None else f"{literal(value.name)}, {value.value}"
    # ruff takes the name of an error code about tokens for a secret.
    mark = "  # noqa: S105" if value.value is None and SECRET_WORD.search(value.name) else ""
    line = f"    {member_name(value.name)} = {given}{mark}"
    status = f"HTTP status {value.http_status}" if value.http_status else None
    text = sentences(value.meaning, status, value.note)
    return f"{line}\n{docstring(text, '    ')}" if text else line


def _class(enum: EnumType) -> str:
    doc = sentences(f"Values of ``{enum.name}``", enum.note)
    members = "\n".join(_member(value) for value in enum.values)
    return f"class {enum.name}(OpenEnum):\n{docstring(doc, '    ')}\n\n{members}"


def enum_files(catalogue: Catalogue) -> dict[str, str]:
    """Module -> its text."""
    imports = "from __future__ import annotations\n\n" + from_import(
        "wosdk_async.model.open_enum", ["OpenEnum"]
    )
    classes = "\n\n\n".join(_class(enum) for enum in catalogue.enums.values())
    return {"enums": f"{header('Every enum of the service.')}\n\n{imports}\n\n\n{classes}\n"}
