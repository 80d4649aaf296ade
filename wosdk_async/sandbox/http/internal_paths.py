"""Where the sandbox steers and shows itself: these addresses are no part of the service."""

from __future__ import annotations

__all__ = ["is_aside"]

_FOLDERS = ("/_sandbox/", "/console/")
_PAGES = frozenset({"/console", "/docs", "/openapi.json"})


def is_aside(path: str, method: str) -> bool:
    """Whether this is such an address: not recorded, and no fault strikes it.

    The root leads a browser to the console; whatever else is sent there, the service answers.
    """
    return path in _PAGES or path.startswith(_FOLDERS) or (path == "/" and method in ("GET", "HEAD"))
