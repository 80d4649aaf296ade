"""Suggestions for misspelt names: the remedy in messages about names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

__all__ = ["no_attribute", "suggestion"]


_NONE: Mapping[str, str] = MappingProxyType({})


def suggestion(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """``; did you mean ...?`` for the nearest of ``names``, or nothing when none is near.

    Letter case and underscores do not count: ``statusid`` and ``StatusId`` are both near ``status_id``.
    """
    from difflib import get_close_matches  # only ever needed for a message

    plain = {_plain(other): other for other in names}
    near = get_close_matches(_plain(name), plain, n=1, cutoff=cutoff)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""


def no_attribute(owner: object, name: str, what: str, remedies: Mapping[str, str] = _NONE) -> AttributeError:
    """Return the error for an attribute that is not there.

    Args:
        owner: the object. Only its class is looked at: it may be without attributes, as while it is copied.
        name: the attribute.
        what: the object in words.
        remedies: what to write instead of some names.
    """
    if name.startswith("_"):  # protocols of Python ask for such names
        return AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
    public = (each for each in dir(type(owner)) if not each.startswith("_"))
    remedy = f"; {remedies[name]}" if name in remedies else suggestion(name, public)
    return AttributeError(f"{what} has no attribute {name!r}{remedy}")


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
