"""What makes a file or a map unusable, and what makes one row of it so."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from wosdk_async.errors import ConfigurationError, InvalidCallError

__all__ = ["RowError", "UnusableError", "nearest"]


class UnusableError(ConfigurationError):
    """The file or the map cannot be worked with; one line that names the place and the remedy."""


class RowError(InvalidCallError):
    """One row cannot be sent as it stands; the others can."""


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing when no known name is like ``name``."""
    by_fold = {each.casefold(): each for each in known}
    found = difflib.get_close_matches(name.casefold(), by_fold, 1)
    return f"; did you mean {by_fold[found[0]]!r}?" if found else ""
