"""httpx and its successor httpx2: one interface under two names, distinguished without importing either.

A program may pass objects of either library; the client identifies the library by their classes. Public
annotations are protocols that match both libraries, so type checkers need neither.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, Protocol

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import ConfigurationError

CORES = {"httpx": "httpcore", "httpx2": "httpcore2"}
"""Each library with its lower layer, in order of preference."""
FAMILY = frozenset({*CORES, *CORES.values()})
"""Names of the libraries and their lower layers."""


# --- public annotations -------------------------------------------------------------------------


class HttpxTransport(Protocol):
    """An ``AsyncBaseTransport`` of httpx or httpx2."""

    async def handle_async_request(self, request: Any, /) -> Any:
        """Send a request and return its response; both are objects of this transport's library."""


class HttpxClient(Protocol):
    """An ``AsyncClient`` of httpx or httpx2."""

    @property
    def is_closed(self) -> bool:
        """Whether the client is closed."""

    async def send(
        self, request: Any, *, stream: bool = ..., auth: Any = ..., follow_redirects: Any = ...
    ) -> Any:
        """Send a request and return its response; both are objects of this client's library."""

    async def aclose(self) -> None:
        """Close the connections."""


class HttpxTimeout(Protocol):
    """A ``Timeout`` of httpx or httpx2."""

    def as_dict(self) -> dict[str, float | None]:
        """Return the timeout of each phase, in seconds."""


class HttpxLimits(Protocol):
    """``Limits`` of httpx or httpx2."""

    @property
    def max_connections(self) -> int | None:
        """Maximum concurrent connections."""

    @property
    def keepalive_expiry(self) -> float | None:
        """Seconds that an idle connection is kept."""


# --- which library ------------------------------------------------------------------------------


def library_of(part: object) -> Any:
    """Return the library module of a client or transport.

    If the object's class inherits from neither library, return the installed library, preferably httpx.
    Raises ConfigurationError if neither is installed.
    """
    for kind in part.__class__.__mro__:  # unlike type(), __class__ of a wrapper is the wrapped object's class
        if (name := _library_name(kind)) in CORES:
            return import_module(name)
    for name in CORES:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ConfigurationError(
        f"{kind_of(part)} is not from httpx or httpx2, and neither is installed:"
        " pip install httpx, or 'wosdk_async[httpx2]'"
    )


def error_kinds(error: BaseException) -> set[str]:
    """Return the names of the httpx and httpx2 classes that ``error`` is an instance of.

    Names are enough: they mean the same in both libraries, and mocks and wrapped transports mix errors of
    both.
    """
    return {kind.__name__ for kind in type(error).__mro__ if _library_name(kind) in CORES}


def is_of_family(module: str) -> bool:
    """Return whether ``module`` belongs to either library or its lower layer."""
    return module.partition(".")[0] in FAMILY


def _library_name(kind: type) -> str:
    return kind.__module__.partition(".")[0]


# --- tests that mock httpx ----------------------------------------------------------------------

# respx, pytest-httpx, pytest-httpx2, httpx2-pytest and vcrpy patch methods of httpx, httpx2 and their lower
# layers. The native engine does not use these methods, so a mocked test would silently reach the network.
# Each request therefore checks the methods: if one is replaced, a stock client of that library sends the
# request, and the mock responds. A wrapper that passes calls on, such as a tracing tool's, is not a mock.

_methods_of_library = attrgetter(
    "AsyncClient._transport_for_url",
    "AsyncClient._send_single_request",
    "AsyncHTTPTransport.handle_async_request",
)
"""Methods of httpx that mocks replace."""
_method_of_core = attrgetter("AsyncConnectionPool.handle_async_request")
"""Method of httpcore that mocks replace."""

_genuine: dict[str, tuple[Any, ...]] = {}
"""Cache of each library's unmocked methods; methods equal to these need no further check."""


def mocked() -> ModuleType | None:
    """Return the library, httpx or httpx2, whose stock client is currently mocked; None if neither is.

    A library that is not yet imported is imported only if its lower layer is mocked. If both are mocked,
    httpx is returned. The result is always None if nothing from :data:`FAMILY` has been imported.
    """
    modules = sys.modules
    for name, core in CORES.items():
        library, below = modules.get(name), modules.get(core)
        if library is None and (below is None or name in modules):  # an entry of None blocks the import
            continue
        try:
            methods = library and _methods_of_library(library), below and _method_of_core(below)
        except AttributeError:  # another thread is still importing it, or this version is unknown
            continue
        if methods != _genuine.get(name):
            if not all(map(_is_genuine, (*(methods[0] or ()), methods[1]))):
                return import_module(name)
            _genuine[name] = methods  # GIL: threads set the key atomically; each finds the same methods
    return None


def _is_genuine(method: Any) -> bool:
    """Return whether ``method`` is missing or a library's own.

    Checks ``__globals__``, which decorators do not copy, unlike ``__module__``.
    """
    return method is None or is_of_family(getattr(method, "__globals__", {}).get("__name__", ""))
