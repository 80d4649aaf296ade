"""JSON lines: each record as the service sent it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

from wosdk_async.cli.output.sanitize import json_text

__all__ = ["JsonFormat"]


class JsonFormat:
    """Writes a line for each record."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def rows(self, rows: Sequence[Any]) -> None:
        """Write a page of records."""
        self._file.write("".join(f"{json_text(row)}\n" for row in rows))

    def close(self) -> None:
        """Nothing is left to be written."""
