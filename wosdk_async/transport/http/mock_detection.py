"""Detection of tests that mock httpx or httpx2.

respx, pytest-httpx, pytest-httpx2, httpx2-pytest and vcrpy patch methods of httpx, httpx2 and the libraries
below them. The native engine does not use these, so a test that mocks the service would reach the network
without notice. So each request asks here first: while one of the methods was not written by its library, a
stock client of that library sends, and the mock responds. It is asked for each request because a client may
live for a session of tests and a mock for one function.

A wrapper that passes calls on (wrapt: the instrumentation of tracing tools) is not a mock.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from wosdk_async.httpx_family import CORES

__all__ = ["mocked"]

_LIBRARIES = tuple(CORES.items())
_AUTHORS = frozenset({*CORES, *CORES.values()})

_genuine: dict[str, tuple[Any, ...]] = {}
"""The methods of each library when they were last found to be its own: a request only compares them."""


def mocked() -> ModuleType | None:
    """Return the library, httpx or httpx2, whose stock client would not reach the network now; else None.

    It imports neither, unless what is below it is mocked. If both are mocked, it is httpx.
    """
    modules = sys.modules
    for name, core in _LIBRARIES:
        library, below = modules.get(name), modules.get(core)
        if library is None and (below is None or name in modules):  # None is there: it cannot be imported
            continue
        if _methods(library, below) != _genuine.get(name) and _find_mock(library, below, name):
            return import_module(name)
    return None


def _methods(library: ModuleType | None, below: ModuleType | None) -> tuple[Any, ...]:
    """Return the methods that mocks replace: a stock client calls each. Either module may not be imported."""
    try:
        core = below and below.AsyncConnectionPool.handle_async_request
        if library is None:
            return (core,)
        client = library.AsyncClient
        return (
            client._transport_for_url,
            client._send_single_request,
            library.AsyncHTTPTransport.handle_async_request,
            core,
        )
    except AttributeError:  # another thread is importing it, or it is another version than those we know
        return ()


def _find_mock(library: ModuleType | None, below: ModuleType | None, name: str) -> bool:
    """Look where each method was written; remember them if all are genuine."""
    methods = _methods(library, below)
    if not all(map(_is_genuine, methods)):
        return True
    _genuine[name] = methods  # GIL: threads set the key in one step; each finds the same methods
    return False


def _is_genuine(method: Any) -> bool:
    """Return whether a library defines ``method``, by its globals: no decorator copies these."""
    written_in = getattr(method, "__globals__", {}).get("__name__", "")
    return method is None or written_in.partition(".")[0] in _AUTHORS
