"""Detection of tests that mock httpx or httpx2.

respx, pytest-httpx, pytest-httpx2, httpx2-pytest and vcrpy patch methods of httpx, httpx2 and the libraries
below them. The native engine does not use these, so a mocked test would reach the network without notice. So
each request asks here first: while one of the methods was not written by its library, a stock client of that
library sends, and the mock responds. A wrapper that passes calls on (wrapt: tracing tools) is not a mock.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any

from wosdk_async.options.httpx_family import CORES, is_of_family

__all__ = ["mocked"]

_LIBRARIES = tuple(CORES.items())
_MODULES = frozenset({*CORES, *CORES.values()})
_methods_of_library = attrgetter(
    "AsyncClient._transport_for_url",
    "AsyncClient._send_single_request",
    "AsyncHTTPTransport.handle_async_request",
)
"""Methods that mocks replace: a stock client calls each, and this one of the library below it."""
_method_of_core = attrgetter("AsyncConnectionPool.handle_async_request")

_genuine: dict[str, tuple[Any, ...]] = {}
"""The methods of each library when they were last found to be its own: a request only compares them."""


def mocked() -> ModuleType | None:
    """Return the library, httpx or httpx2, whose stock client would not reach the network now; else None.

    It imports neither, unless what is below it is mocked. If both are mocked, it is httpx.
    """
    modules = sys.modules
    if modules.keys().isdisjoint(_MODULES):  # most programs use neither
        return None
    for name, core in _LIBRARIES:
        library, below = modules.get(name), modules.get(core)
        if library is None and (below is None or name in modules):  # None is there: it cannot be imported
            continue
        try:
            methods = library and _methods_of_library(library), below and _method_of_core(below)
        except AttributeError:  # another thread is importing it, or it is another version than those we know
            continue
        if methods != _genuine.get(name):
            if not all(map(_is_genuine, (*(methods[0] or ()), methods[1]))):
                return import_module(name)
            _genuine[name] = methods  # GIL: threads set the key atomically; each finds the same methods
    return None


def _is_genuine(method: Any) -> bool:
    """Return whether a library defines ``method``, by its globals: no decorator copies these."""
    return method is None or is_of_family(getattr(method, "__globals__", {}).get("__name__", ""))
