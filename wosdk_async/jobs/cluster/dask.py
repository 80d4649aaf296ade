"""Workers in a Dask cluster, each an actor created through the public API of ``distributed``."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import pkgutil
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.messages import Setup, WorkerLink, to_bytes
from wosdk_async.jobs.cluster.worker import Sealed, Worker
from wosdk_async.version import VERSION

__all__ = ["DaskCluster", "require_dask", "scheduler_address"]

_CONNECT = 15.0  # seconds for the scheduler to respond
_START = 60.0  # seconds for the first worker
_POLL = 0.5  # seconds between worker checks
_MAX_SILENCE = 30.0  # seconds for the scheduler to respond to a check
_CLOSING = 1.0  # seconds to close a worker or the connection
_CERTIFICATES = ", ".join(
    f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name in ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
)
_SCHEMES = {"": "tcp", "tcp": "tcp", "dask": "tcp", "dask+tcp": "tcp", "tls": "tls", "dask+tls": "tls"}


def require_dask(what: str) -> None:
    """Raise ConfigurationError if the package ``distributed`` is missing."""
    if find_spec("distributed") is None:
        raise ConfigurationError(f"{what} needs the package distributed; run pip install 'wosdk_async[dask]'")


def scheduler_address(text: object) -> str:
    """Return a scheduler address in Dask's form, ``tls://HOST:PORT`` or ``tcp://127.0.0.1:PORT``.

    Raises:
        ConfigurationError: the address is invalid, or the connection would expose the Company's token.
    """
    scheme, separator, host_port = text.rpartition("://") if isinstance(text, str) else ("?", "", "")
    host, port = _host_and_port(host_port)
    if scheme not in _SCHEMES or not host or (separator and not scheme):
        example = "dask+tls://HOST:8786, or dask://127.0.0.1:8786 for a scheduler on this machine"
        raise ConfigurationError(f"{text!r} is not a scheduler address; write {example}")
    if port is None:
        right = f"{scheme or 'dask'}://{host}:8786"
        raise ConfigurationError(f"{text!r} has no port; write {right} for Dask's default port")
    address = f"{_SCHEMES[scheme]}://{host}:{port}"
    if not _is_private(address):
        raise ConfigurationError(
            f"{text}: the workers get the Company's token, which must not leave this machine "
            f"unencrypted; write tls://{host}:{port}, and set up certificates for the scheduler and workers"
        )
    return address


def _host_and_port(text: str) -> tuple[str, int | None]:
    """Return the host and port of an address without a scheme; the host is empty if the text is invalid."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname or "", parts.port
        plain = text.rstrip("/").lower() in (f"{host}:{port}", f"[{host}]:{port}", host, f"[{host}]")
        if plain and port != 0 and " " not in host:
            return f"[{host}]" if ":" in host else host, port
    return "", None


def _is_private(address: str) -> bool:
    """Return whether the traffic to a Dask address is encrypted or stays on this machine."""
    scheme, _, host_port = address.rpartition("://")
    host = _host_and_port(host_port)[0].strip("[]")
    with contextlib.suppress(ValueError):
        return scheme == "tls" or (scheme in ("", "tcp") and ipaddress.ip_address(host).is_loopback)
    return scheme in ("", "tcp") and host == "localhost"


class _ActorLink:
    """Connection to this job's actor in a Dask worker."""

    def __init__(self, name: str, actor: Any, future: Any, client: Any) -> None:
        self.name, self.lost, self.closed = name, "", False
        self._actor, self._client = actor, client
        self._future = future  # unused, but Dask drops the actor when its future is garbage-collected

    async def exchange(self, order: bytes) -> bytes:
        with self._client.as_current():
            reply = self._actor.exchange(Sealed(order))
        return bytes(await reply)

    async def aclose(self) -> None:
        self.closed = True
        with self._client.as_current():
            ending = self._actor.aclose()
        async with asyncio.timeout(_CLOSING):
            await ending


class DaskCluster:
    """Workers in an existing Dask cluster.

    Args:
        address: scheduler address, ``tls://HOST:PORT``, or ``tcp://127.0.0.1:PORT`` on this machine.
        on_stage: called with a warning about unusable workers.
        direct: whether to connect directly to workers instead of sending messages through the scheduler.
        security: a ``distributed.Security`` (default: from Dask's configuration).

    Raises:
        ConfigurationError: the address is unusable, or the extra ``dask`` is missing.
    """

    def __init__(
        self,
        address: str,
        *,
        on_stage: Callable[[str], None] = lambda _: None,
        direct: bool = False,
        security: Any = None,
    ) -> None:
        require_dask("a Dask cluster")
        self.address, self._on_stage = scheduler_address(address), on_stage
        self._options = {"direct_to_workers": direct, **({"security": security} if security else {})}
        self.name = f"Dask cluster {self.address}"
        self._client: Any = None
        self._links: dict[str, _ActorLink] = {}
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._refused: dict[str, str] = {}
        self._watch: asyncio.Task[None] | None = None

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Create an actor in each worker."""
        from distributed import Client, Security  # imported here: optional, and takes half a second

        self._setup, self._joined, self._broken = to_bytes(setup), joined, broken
        security: Any = self._options.get("security") or Security()  # type: ignore[no-untyped-call]
        if self.address.startswith("tls://") and not security.get_connection_args("client")["ssl_context"]:
            raise ConfigurationError(f"no certificates for {self.address}; set {_CERTIFICATES}")
        self._client = Client(  # type: ignore[no-untyped-call]
            self.address, asynchronous=True, set_as_default=False, timeout=_CONNECT, **self._options
        )
        try:
            async with asyncio.timeout(_CONNECT):  # distributed's timeout does not cover a silent scheduler
                await self._client
        except Exception as error:  # asyncio, TLS and distributed raise errors of many types
            what = (
                "cannot be reached" if isinstance(error, OSError) else "did not respond like a Dask scheduler"
            )
            certificates = f", and check {_CERTIFICATES}" if self.address.startswith("tls://") else ""
            raise ConfigurationError(
                f"the scheduler at {self.address} {what} ({_text(error)}); check that it is running at this "
                f"host and port{certificates}"
            ) from error
        first = asyncio.Event()
        self._watch = asyncio.create_task(self._watch_workers(first))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_START):
                await first.wait()
        if not self._links:
            none = f"none responded within {_START:.0f} s; start some with 'dask worker {self.address}'"
            why = "; ".join(self._refused.values()) or none
            raise ConfigurationError(f"{self.name} has no usable worker: {why}")

    async def aclose(self) -> None:
        """Disconnect; unreachable actors shut down when their leases expire."""
        tasks = [*self._starting.values(), *([self._watch] if self._watch else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(_CLOSING):
                    await self._client.close(timeout=_CLOSING)

    async def _watch_workers(self, first: asyncio.Event) -> None:
        while True:
            try:
                async with asyncio.timeout(_MAX_SILENCE):
                    workers = (await self._client.scheduler.identity(n_workers=-1))["workers"]
            except Exception as error:  # an OSError, or an error of another type from distributed
                why = f"the connection to the scheduler of the {self.name} was lost ({_text(error)})"
                for link in self._links.values():
                    link.lost = why
                self._broken(f"{why}; check the scheduler or start a new one, then repeat the command")
                first.set()
                return
            self._update_links(workers)
            if self._links or (self._refused and not self._starting):
                first.set()
            await asyncio.sleep(_POLL if first.is_set() else _POLL / 10)

    def _update_links(self, workers: Mapping[str, Any]) -> None:
        for address, link in list(self._links.items()):
            if address not in workers:
                link.lost = "its process has exited"
            if link.lost or link.closed:  # forget the link, so that the worker gets a new actor if it returns
                del self._links[address]
        for address, task in list(self._starting.items()):
            if address not in workers:
                task.cancel()
            if task.done():
                del self._starting[address]
        self._refused = {address: why for address, why in self._refused.items() if address in workers}
        for address in set(workers) - set(self._links) - set(self._starting) - set(self._refused):
            self._starting[address] = asyncio.create_task(self._start_actor(address))

    async def _start_actor(self, address: str) -> None:
        try:
            if not _is_private(address):
                raise ConfigurationError("the Company's token would be sent unencrypted; use TLS")
            # First a standard library function, because a worker exits on a message that it cannot unpickle.
            version = await self._submit(address, pkgutil.resolve_name, "wosdk_async.version:VERSION")
            if version != VERSION:
                raise ImportError(f"it runs wosdk_async {version}, but this process runs {VERSION}")
            future = self._submit(address, Worker, self._setup, actor=True)
            link = _ActorLink(address, await future, future, self._client)
        except Exception as error:  # Dask and the worker's process raise errors of many types
            remedy = f"; install wosdk_async[dask]=={VERSION} there" if isinstance(error, ImportError) else ""
            self._refused[address] = f"worker {address} is unusable: {_text(error)}{remedy}"
            self._on_stage(f"warning: {self._refused[address]}")
            return
        self._links[address] = link
        self._joined(link)

    def _submit(self, address: str, *call: Any, **options: Any) -> Any:
        return self._client.submit(*call, workers=[address], allow_other_workers=False, pure=False, **options)


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__
