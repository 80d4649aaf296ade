"""httpx and httpx2, its successor: the same interface under two names, told apart without importing either.

A program may pass parts of either library; the classes of the part tell which one. Where nothing is passed,
httpx is used if it is installed, else httpx2. Annotations of public names are protocols, which the classes of
both libraries fit: type checkers need neither library for them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from wosdk_async.errors import ConfigurationError

__all__ = [
    "CORES",
    "MISSING",
    "HttpxClient",
    "HttpxLimits",
    "HttpxTimeout",
    "HttpxTransport",
    "error_kinds",
    "installed_library",
    "is_installed",
    "library_name",
    "library_of",
]

CORES = {"httpx": "httpcore", "httpx2": "httpcore2"}
"""Each library, with the one below it. The first that is installed is used."""

MISSING = (
    "neither httpx nor httpx2 is installed; proxies, HTTP/2, downloads, and systems without httptools need "
    "one of them: pip install httpx, or 'wosdk_async[httpx2]'"
)


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
    """Return the library, as its module, of which ``part`` is a client or transport.

    Anything that inherits from neither library, such as a transport that only has the method, is taken for a
    part of the installed one.
    """
    for kind in part.__class__.__mro__:  # not type(): wrappers show the class of what they wrap
        if (name := _library_name(kind)) in CORES:
            return import_module(name)
    return installed_library()


def installed_library() -> Any:
    """Return httpx as its module; httpx2 if it is not installed. Raises ConfigurationError without both."""
    for name in CORES:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ConfigurationError(MISSING)


def is_installed() -> bool:
    """Return whether either library is installed, without importing it."""
    return library_name() is not None


def library_name() -> str | None:
    """Return the name of the library that is used, None without both; it is not imported."""
    return next(filter(find_spec, CORES), None)


def error_kinds(error: BaseException) -> set[str]:
    """Return the names of the classes of either library that ``error`` is an instance of.

    A name means the same in both libraries, and an error of one may come out of the other: mocks and wrapped
    transports mix them.
    """
    return {kind.__name__ for kind in type(error).__mro__ if _library_name(kind) in CORES}


def _library_name(kind: type) -> str:
    return kind.__module__.partition(".")[0]
