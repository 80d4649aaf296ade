"""What tests of your own program need: a Company in the process, a clock, faults, and routes for mocks.

    plugin.py     the pytest fixtures, loaded by pytest itself
    sandbox.py    a Company of one test           world.py     what a new one starts with
    engine.py     requests without a socket       exchange.py  one of them and its answer
    clock.py      the time of both sides          requests.py  what the Company was asked
    faults.py     faults added one by one         respx_routes.py  the service as routes of respx
    paths.py      what a request asks for         answers.py   what is answered; examples.py: if nobody says
    mistakes.py   routes that would never match

``docs/testing.md`` shows how they are used. Names are loaded when they are asked for: pytest imports this
package in every run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wosdk_async.testing.clock import SkippingClock
    from wosdk_async.testing.requests import RecordedRequest
    from wosdk_async.testing.respx_routes import Routes, routes
    from wosdk_async.testing.sandbox import Sandbox, Snapshot

__all__ = ["RecordedRequest", "Routes", "Sandbox", "SkippingClock", "Snapshot", "routes"]

_HOMES = {
    "Routes": "respx_routes",
    "Sandbox": "sandbox",
    "RecordedRequest": "requests",
    "Snapshot": "sandbox",
    "SkippingClock": "clock",
    "routes": "respx_routes",
}
_OF_THE_EXTRA = {"starlette", "uvicorn"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = import_module(f"{__name__}.{_HOMES[name]}")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _OF_THE_EXTRA:
            raise
        why = f"{name} needs an extra: pip install wosdk_async[sandbox]"
        raise ModuleNotFoundError(why, name=missing.name) from missing
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
