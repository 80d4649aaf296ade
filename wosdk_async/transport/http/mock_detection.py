"""Detection of tests that mock httpx.

respx, pytest-httpx and vcrpy patch methods of httpx and httpcore. The native engine does not use these, so a
test that mocks the service would reach the network without notice. So each request asks here first: while one
of the methods was not written by its library, a stock httpx client sends, and the mock responds. It is asked
for each request because a client may live for a session of tests and a mock for one function.

A wrapper that passes calls on (wrapt: the instrumentation of tracing tools) is not a mock.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["mocked"]

_LIBRARIES = frozenset({"httpx", "httpcore"})

_genuine: tuple[Any, ...] = ()
"""The methods when they were last found to be the libraries' own: a request only compares them."""


def mocked() -> bool:
    """Return whether a stock httpx client would not reach the network now. It does not import httpx."""
    httpx = sys.modules.get("httpx")
    return httpx is not None and _methods(httpx) != _genuine and _find_mock(httpx)


def _methods(httpx: ModuleType) -> tuple[Any, ...]:
    """Return the methods that mocks replace: a stock client calls each of them."""
    try:
        client, httpcore = httpx.AsyncClient, sys.modules.get("httpcore")  # httpx imports httpcore late
        return (
            client._transport_for_url,
            client._send_single_request,
            httpx.AsyncHTTPTransport.handle_async_request,
            httpcore and httpcore.AsyncConnectionPool.handle_async_request,
        )
    except AttributeError:  # another thread is importing it, or it is another version than those we know
        return ()


def _find_mock(httpx: ModuleType) -> bool:
    """Look where each method was written; remember them if all are genuine."""
    global _genuine  # GIL: threads replace the tuple, in one step; each finds the same methods
    methods = _methods(httpx)
    if not all(map(_is_genuine, methods)):
        return True
    _genuine = methods
    return False


def _is_genuine(method: Any) -> bool:
    """Return whether a library defines ``method``, by its globals: no decorator copies these."""
    written_in = getattr(method, "__globals__", {}).get("__name__", "")
    return method is None or written_in.partition(".")[0] in _LIBRARIES
