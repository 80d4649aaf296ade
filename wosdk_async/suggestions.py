"""Suggestions for misspelt names: the remedy in messages about names."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["suggestion"]


def suggestion(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """``; did you mean ...?`` for the nearest of ``names``, or nothing when none is near.

    Letter case and underscores do not count: ``statusid`` and ``StatusId`` are both near ``status_id``.
    """
    from difflib import get_close_matches  # only ever needed for a message

    plain = {_plain(other): other for other in names}
    near = get_close_matches(_plain(name), plain, n=1, cutoff=cutoff)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
