"""Messages of the library in the words of the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wosdk_async.errors import WosdkError

if TYPE_CHECKING:
    from wosdk_async.model import Record

__all__ = ["in_command_words", "message_of", "wire_path"]

_WORDS = (  # Python of a message -> option, command or field; the longer text stands first
    (r"\bupdate\((\w+)\.ref\((\w+)\), \.\.\.\)", r"wosdk update \1 \2"),
    (r"\bdelete\((\w+), (\w+)\)", r"wosdk delete \1 \2"),
    (r"\b\w+\.ref\((\w+)\)", r'{"Id": \1}'),
    (r"\bif_unchanged(=True)?\b", "--if-unchanged"),
    (r"\bperform_deletion=True\b", '"PerformDeletion": true'),
    (r"\bperform_deletion\b", "PerformDeletion"),
    (r"\bconcurrency_id\b", "ConcurrencyId"),
    (r"\bupdate\(\) never writes id\b", "update never writes Id"),
    (r"\b(create|update|delete)\(\)", r"\1"),
    (r' \((?:force=True|again=True|format=|format="csv"|IncrementalExport)\)', ""),  # after the option
)
_PATTERNS = tuple((re.compile(pattern), words) for pattern, words in _WORDS)


def in_command_words(text: str) -> str:
    """Return a text of the library with options, commands and JSON in place of Python."""
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    return text


def wire_path(cls: type[Record], path: str) -> str:
    """Return a path of Python names, such as ``items[0].task``, with the names of the service."""
    from wosdk_async.model import registry

    owner: Any = cls
    names = []
    for step in path.split("."):
        name, bracket, index = step.partition("[")
        meta = None if owner is None else owner.__wire__.get(name)
        names.append(f"{meta['name'] if meta else name}{bracket}{index}")
        owner = registry.resolve(meta["of"]) if meta and meta["of"] and meta["type"] != "enum" else None
    return ".".join(names)


def message_of(error: WosdkError) -> str:
    """Return the message of an error for people; a text of the service stays as it is."""
    return str(error) if error.status else in_command_words(str(error))
