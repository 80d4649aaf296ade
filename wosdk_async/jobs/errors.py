"""What makes a file or a map unusable, and what makes one row of it so."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from wosdk_async.errors import ConfigurationError, InvalidCallError
from wosdk_async.model import Record
from wosdk_async.protocol.validation.problems import problems

__all__ = ["ImportMapError", "RowError", "nearest", "require_sendable"]


class ImportMapError(ConfigurationError):
    """The file or the map cannot be worked with; one line that names the place and the remedy."""


class RowError(InvalidCallError):
    """One row cannot be sent as it stands; the others can."""


def require_sendable(record: Record, *, new: bool = False) -> None:
    """Raise RowError when the client would refuse to send ``record``."""
    if faults := [str(each) for each in problems(record, new=new) if each.severity == "error"]:
        raise RowError(f"{type(record).__name__}: {' '.join(faults)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing when no known name is like ``name``."""
    by_fold = {each.casefold(): each for each in known}
    found = difflib.get_close_matches(name.casefold(), by_fold, 1)
    return f"; did you mean {by_fold[found[0]]!r}?" if found else ""
