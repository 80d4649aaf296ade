"""Test helpers for your own program: an in-process Company, a clock, faults, and mock routes.

``docs/testing.md`` is the user guide. Names are loaded on first use, because pytest imports this package in
every run. No other package of this library imports it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wosdk_async.sandbox.http.recorder import RecordedRequest, RecordedRequests
    from wosdk_async.testing.clock import SkippingClock
    from wosdk_async.testing.recording import Recording, UnplayedRequestError, UnrecordedRequestError
    from wosdk_async.testing.respx_routes import Routes, routes
    from wosdk_async.testing.sandbox import Sandbox, Snapshot, UnmatchedFaultWarning

__all__ = [
    "RecordedRequest",
    "RecordedRequests",
    "Recording",
    "Routes",
    "Sandbox",
    "SkippingClock",
    "Snapshot",
    "UnmatchedFaultWarning",
    "UnplayedRequestError",
    "UnrecordedRequestError",
    "routes",
]

_EXPORTS = {
    "clock": ("SkippingClock",),
    "recording": ("Recording", "UnplayedRequestError", "UnrecordedRequestError"),
    "respx_routes": ("Routes", "routes"),
    "sandbox": ("RecordedRequest", "RecordedRequests", "Sandbox", "Snapshot", "UnmatchedFaultWarning"),
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}
_EXTRAS = {
    "starlette": "sandbox",
    "uvicorn": "sandbox",
    "respx": "testing",
    "httpx": "testing",  # required by respx, even to mock httpx2
    "httpcore": "testing",
}
"""Optional packages, with the extra that installs each."""


if not TYPE_CHECKING:  # with a __getattr__, type checkers would accept any name

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            module = import_module(f"{__name__}.{_MODULES[name]}")
        except ModuleNotFoundError as missing:
            package = (missing.name or "").partition(".")[0]
            if package not in _EXTRAS:
                raise
            remedy = f"{name} needs an extra: pip install 'wosdk_async[{_EXTRAS[package]}]'"
            if _EXTRAS[package] == "testing":
                remedy += " (respx and httpx); MockTransport and the local Company need neither"
            raise ModuleNotFoundError(remedy, name=missing.name) from missing
        value = getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
