"""Where the sandbox steers and shows itself: these addresses are no part of the service."""

from __future__ import annotations

__all__ = ["is_aside"]

_FOLDERS = ("/_sandbox/", "/console/")
_PAGES = frozenset({"/console", "/docs", "/openapi.json"})


def is_aside(path: str) -> bool:
    """Whether the path is such an address: not recorded, and no fault strikes it."""
    return path in _PAGES or path.startswith(_FOLDERS)
