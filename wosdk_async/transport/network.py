"""How a client reaches the network."""

from __future__ import annotations

import ssl
from importlib.util import find_spec
from typing import TYPE_CHECKING

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.options import Limits, Timeouts
from wosdk_async.transport.http.proxies import checked_proxy

if TYPE_CHECKING:
    import httpx

__all__ = ["Network"]


@attrs.frozen(kw_only=True, eq=False)
class Network:
    """What :class:`~wosdk_async.client.Client` was told of the network, free of contradictions.

    ``timeouts`` None stands for those of ``http_client``, or for the defaults. Raises ConfigurationError.
    """

    limits: Limits = attrs.field(factory=Limits)
    timeouts: Timeouts | None = None
    ssl_context: ssl.SSLContext | None = None
    proxy: str | None = attrs.field(default=None, repr=False)
    trust_env: bool = True
    http2: bool = False
    transport: httpx.AsyncBaseTransport | None = None
    http_client: httpx.AsyncClient | None = None

    def __attrs_post_init__(self) -> None:
        self._require_one_way()
        if self.proxy is not None:
            checked_proxy(self.proxy, "proxy")
        if self.http2 and find_spec("h2") is None:
            raise ConfigurationError("http2=True needs the package h2: pip install 'wosdk_async[http2]'")
        if self.transport is not None and not hasattr(self.transport, "handle_async_request"):
            raise ConfigurationError(
                f"transport is a {type(self.transport).__name__}; it takes an httpx.AsyncBaseTransport"
            )
        if self.http_client is not None and not hasattr(self.http_client, "aclose"):
            raise ConfigurationError(
                f"http_client is a {type(self.http_client).__name__}; it takes an httpx.AsyncClient"
            )

    def _require_one_way(self) -> None:
        """What is given with a transport or client of the user's would be ignored: better to say so."""
        own = [name for name in ("transport", "http_client") if getattr(self, name) is not None]
        if len(own) == 2:
            raise ConfigurationError(
                "transport= and http_client= are two ways; pass one, or httpx.AsyncClient(transport=...)"
            )
        ours = [name for name in ("ssl_context", "proxy", "http2") if getattr(self, name)]
        if own and ours:
            raise ConfigurationError(f"{ours[0]}= has no effect beside {own[0]}=; set it there")
