"""Errors of an import: of a whole file or map, and of one row."""

from __future__ import annotations

from wosdk_async.errors import ConfigurationError, InvalidCallError
from wosdk_async.model import Record
from wosdk_async.protocol.validation import problems

__all__ = ["ImportMapError", "RowError", "require_sendable"]


class ImportMapError(ConfigurationError):
    """A file or map that cannot be used; the message names the place and the remedy on one line."""


class RowError(InvalidCallError):
    """One row that cannot be sent; the others can."""


def require_sendable(record: Record, *, new: bool = False) -> None:
    """Raise RowError when the client would refuse to send ``record``."""
    if faults := [str(each) for each in problems(record, new=new) if each.severity == "error"]:
        raise RowError(f"{type(record).__name__}: {' '.join(faults)}")
