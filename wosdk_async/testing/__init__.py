"""Test helpers for your own program: a Company in the process, a clock, faults, and routes for mocks.

    plugin.py           the pytest fixtures, loaded by pytest itself sandbox.py          the Company of one
    test engine.py           requests without a socket clock.py            the time of the Company and its
    clients recorder.py the requests that the Company received, and warnings of faults without a match
    recording.py        real traffic in a file, and its replay: recording_engines.py sends or responds,
                        scrubbing.py removes secrets and names, recorded_exchanges.py is the file
    respx_routes.py     the service as routes of respx
    operations.py       operations of the service, bodies of mocked responses, and mistakes in mocks

``docs/testing.md`` shows how to use them. Names are loaded when they are first used, because pytest
imports this package in every run. No other package of ours imports it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wosdk_async.testing.clock import SkippingClock
    from wosdk_async.testing.recorder import RecordedRequest, UnmatchedFaultWarning
    from wosdk_async.testing.recording import Recording, UnrecordedRequestError
    from wosdk_async.testing.respx_routes import Routes, routes
    from wosdk_async.testing.sandbox import Sandbox, Snapshot

__all__ = [
    "RecordedRequest",
    "Recording",
    "Routes",
    "Sandbox",
    "SkippingClock",
    "Snapshot",
    "UnmatchedFaultWarning",
    "UnrecordedRequestError",
    "routes",
]

_MODULES = {
    "RecordedRequest": "recorder",
    "Recording": "recording",
    "Routes": "respx_routes",
    "Sandbox": "sandbox",
    "SkippingClock": "clock",
    "Snapshot": "sandbox",
    "UnmatchedFaultWarning": "recorder",
    "UnrecordedRequestError": "recording",
    "routes": "respx_routes",
}
_EXTRAS = {
    "starlette": "sandbox",
    "uvicorn": "sandbox",
    "respx": "testing",
    "httpx": "testing",  # respx needs it, also to mock httpx2
    "httpcore": "testing",
}
"""Packages that may be missing, and the extra that brings each."""


if not TYPE_CHECKING:  # to type checkers every name would be one of the package

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
