"""JSON that a command takes from a file or from stdin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from wosdk_async.cli.exit_codes import CliError

__all__ = ["json_object"]

_LARGEST = 64 * 1024 * 1024  # bytes


def json_object(option: str, path: Path) -> dict[str, Any]:
    """The JSON object in the file ``path``, or on stdin for ``-``. Raises CliError."""
    from wosdk_async import codec

    if str(path) == "-":
        data = sys.stdin.buffer.read(_LARGEST + 1)
    else:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise CliError(f"{option} {path} is longer than {_LARGEST} bytes")
    try:
        found = codec.loads(data)
    except ValueError as error:
        raise CliError(f"{option} {path}: {error}") from None
    if not isinstance(found, dict):
        raise CliError(f"{option} {path} holds a {type(found).__name__}; it takes a JSON object")
    return found
