"""Whether a test has put a mock in the way of httpx.

respx, pytest-httpx and vcrpy patch methods of httpx and httpcore. The native engine passes those by, so a
test that mocks the service would reach the network without a word. Hence this is asked before each request:
while one of the methods was not written by its library, stock httpx sends, and the mock answers.

What wraps a method and stands for it (wrapt: the instrumentation of tracing tools) is no mock.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["mocked"]

_LIBRARIES = frozenset({"httpx", "httpcore"})

_genuine: tuple[Any, ...] = ()
"""The methods when they were last found to be the libraries' own: comparing is all that a request pays."""


def mocked() -> bool:
    """Whether stock httpx would not reach the network now. httpx is not imported to tell."""
    httpx = sys.modules.get("httpx")
    if httpx is None:
        return False  # and with it nothing that patches it
    return _methods(httpx) != _genuine and _look(httpx)


def _methods(httpx: ModuleType) -> tuple[Any, ...]:
    """Where mocks are put in."""
    try:
        client, core = httpx.AsyncClient, sys.modules.get("httpcore")
        if core is None:  # httpx loads it late
            return (
                client._transport_for_url,
                client._send_single_request,
                httpx.AsyncHTTPTransport.handle_async_request,
            )
        return (
            client._transport_for_url,
            client._send_single_request,
            httpx.AsyncHTTPTransport.handle_async_request,
            core.AsyncConnectionPool.handle_async_request,
            core.AsyncHTTPProxy.handle_async_request,
            core.AsyncHTTPConnection.handle_async_request,
        )
    except AttributeError:  # it is being imported by another thread, or is no httpx that we know
        return ()


def _look(httpx: ModuleType) -> bool:
    global _genuine
    methods = _methods(httpx)
    if not all(map(_is_the_librarys, methods)):
        return True
    _genuine = methods
    return False


def _is_the_librarys(method: Any) -> bool:
    """By the module that a function was written in, which nothing that imitates it can change."""
    written_in = getattr(method, "__globals__", {}).get("__name__", "")
    return written_in.partition(".")[0] in _LIBRARIES
