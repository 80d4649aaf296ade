"""httpx and httpx2, its successor: one interface under two names, distinguished without an import.

A program may pass parts of either library; the classes of the part tell which one. Annotations of public
names are protocols, which the classes of both libraries fit: type checkers need neither library for them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, Protocol

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import ConfigurationError

__all__ = [
    "CORES",
    "FAMILY",
    "HttpxClient",
    "HttpxLimits",
    "HttpxTimeout",
    "HttpxTransport",
    "error_kinds",
    "is_of_family",
    "library_of",
    "mocked",
]

CORES = {"httpx": "httpcore", "httpx2": "httpcore2"}
"""Each library, with the one below it. The first that is installed is used."""
FAMILY = frozenset({*CORES, *CORES.values()})
"""Names of all four."""


# --- public annotations -------------------------------------------------------------------------


class HttpxTransport(Protocol):
    """An ``AsyncBaseTransport`` of httpx or httpx2."""

    async def handle_async_request(self, request: Any, /) -> Any:
        """Send a request and return its response, both of the library of this transport."""


class HttpxClient(Protocol):
    """An ``AsyncClient`` of httpx or httpx2."""

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""

    async def send(
        self, request: Any, *, stream: bool = ..., auth: Any = ..., follow_redirects: Any = ...
    ) -> Any:
        """Send a request and return its response, both of the library of this client."""

    async def aclose(self) -> None:
        """Close its connections."""


class HttpxTimeout(Protocol):
    """A ``Timeout`` of httpx or httpx2."""

    def as_dict(self) -> dict[str, float | None]:
        """Return the seconds of each step."""


class HttpxLimits(Protocol):
    """``Limits`` of httpx or httpx2."""

    @property
    def max_connections(self) -> int | None:
        """Most connections at once."""

    @property
    def keepalive_expiry(self) -> float | None:
        """Seconds that an idle connection is kept."""


# --- which library ------------------------------------------------------------------------------


def library_of(part: object) -> Any:
    """Return the module of the library whose client or transport ``part`` is.

    Anything that inherits from neither library, such as a transport that only has the method, is taken for a
    part of the installed one, httpx first. Raises ConfigurationError if there is none.
    """
    for kind in part.__class__.__mro__:  # not type(): wrappers show the class of what they wrap
        if (name := _library_name(kind)) in CORES:
            return import_module(name)
    for name in CORES:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ConfigurationError(
        f"{kind_of(part)} is no part of httpx or httpx2, and neither is installed to send by it:"
        " pip install httpx, or 'wosdk_async[httpx2]'"
    )


def error_kinds(error: BaseException) -> set[str]:
    """Return the names of the classes of either library that ``error`` is an instance of.

    A name means the same in both libraries, and an error of one may come out of the other: mocks and wrapped
    transports mix them.
    """
    return {kind.__name__ for kind in type(error).__mro__ if _library_name(kind) in CORES}


def is_of_family(module: str) -> bool:
    """Return whether ``module`` is one of either library, or of those below them."""
    return module.partition(".")[0] in FAMILY


def _library_name(kind: type) -> str:
    return kind.__module__.partition(".")[0]


# --- tests that mock it -------------------------------------------------------------------------

# respx, pytest-httpx, pytest-httpx2, httpx2-pytest and vcrpy patch methods of httpx, httpx2 and the libraries
# below them. The native engine does not use these, so a mocked test would reach the network without notice.
# So each request asks first: while one of the methods was not written by its library, a stock client of that
# library sends, and the mock responds. A wrapper that passes calls on (wrapt: tracing tools) is not a mock.

_methods_of_library = attrgetter(
    "AsyncClient._transport_for_url",
    "AsyncClient._send_single_request",
    "AsyncHTTPTransport.handle_async_request",
)
"""Methods that mocks replace: those that a stock client calls, and :data:`_method_of_core` of the library
below."""
_method_of_core = attrgetter("AsyncConnectionPool.handle_async_request")

_genuine: dict[str, tuple[Any, ...]] = {}
"""The methods of each library when they were last found to be its own: a request only compares them."""


def mocked() -> ModuleType | None:
    """Return the library, httpx or httpx2, whose stock client would not reach the network now; else None.

    It imports neither, unless the library below is mocked. If both are mocked, it is httpx. A program that
    has imported nothing of :data:`FAMILY` need not ask.
    """
    modules = sys.modules
    for name, core in CORES.items():
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
