"""The scheduler of a Dask cluster, and its workers, as the coordinator asks them; errors in plain words."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import dask.config
import toolz  # type: ignore[import-untyped]  # Dask needs it, too
from distributed.security import Security

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask_errors import VARIABLES, Versions, cannot_be_reached, waiting_for, why
from wosdk_async.jobs.cluster.dask_settings import SETTINGS, require_no_repeats
from wosdk_async.jobs.cluster.dask_wire import NotDaskError, RefusedError, Wire, run_fields
from wosdk_async.safe_text import one_line, shortened

__all__ = ["MissingPackageError", "Scheduler"]

_AGAIN = 0.2  # seconds before a scheduler that cannot be reached is tried again
_SILENT = 30.0  # seconds after which a scheduler that does not respond counts as lost
_QUIET = 2.0  # seconds without a response, after which it is said that it is waited for
_VERSION = 2.0  # seconds in which it must tell its version

_MISSING = re.compile(r"\b(ModuleNotFoundError|ImportError|AttributeError)\(")


class MissingPackageError(Exception):
    """A worker that cannot import this package, or has another version of it."""


class Scheduler:
    """A scheduler, and the way to its workers: through it, or directly.

    Args:
        address: such as ``tls://10.0.0.3:8786``.
        security: ``distributed.Security``; by default the certificates of Dask's configuration.
        direct: send requests for a worker to the worker itself.
        patience: seconds that a connection may take to open.

    Raises:
        ConfigurationError: there are no certificates for ``tls://``, or they cannot be read.
    """

    def __init__(self, address: str, security: Security | None, *, direct: bool, patience: float) -> None:
        self._address, self._direct, self._patience = address, direct, patience
        self._tls = _certificates(security) if address.startswith("tls://") else None
        self._wire = Wire(address, self._tls, patience)
        self._workers: dict[str, Wire] = {}
        self._id = ""

    async def open(self, on_stage: Callable[[str], None]) -> None:
        """Reach the scheduler, which may still be starting, and check its settings.

        Raises:
            ConfigurationError: it cannot be reached, or cannot be used.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._patience
        last: OSError | None = None

        def say_that_it_waits() -> None:
            saying.cancel()  # it is said once
            on_stage(waiting_for(self._address, last, self._patience))

        saying = loop.call_later(_QUIET, say_that_it_waits)  # it may accept connections, and say nothing
        try:
            while True:
                try:
                    async with asyncio.timeout_at(ends):
                        self._id = await self._identity()
                    break
                except Exception as error:
                    final = (ssl.SSLError, TimeoutError, ConnectionResetError)
                    if not isinstance(error, OSError) or isinstance(error, final):
                        over = isinstance(error, TimeoutError) and last is not None
                        raise await self._cannot_be_reached(last if over and last else error) from None
                    is_first, last = last is None, error
                    if is_first and not saying.cancelled():
                        say_that_it_waits()
                await asyncio.sleep(_AGAIN)
        finally:
            saying.cancel()
        require_no_repeats({name: await self._setting(name) for name in SETTINGS})

    async def workers(self) -> Sequence[str]:
        """Return the addresses of the workers.

        Raises:
            OSError: the scheduler is lost.
        """
        try:
            async with asyncio.timeout(_SILENT):
                return await self._list()
        except (OSError, NotDaskError):
            self._wire.drop_idle()  # one connection is lost: a new one tells whether the scheduler is
        try:
            async with asyncio.timeout(_SILENT):
                if await self._identity() == self._id:
                    return await self._list()
        except TimeoutError:
            raise TimeoutError(f"it does not respond for {_SILENT:.0f} s") from None
        except NotDaskError:
            pass
        raise ConnectionResetError("another scheduler has its address")

    async def call(self, worker: str, op: str, **fields: Any) -> bytes:
        """Return what a worker responds, as it came; empty if that is not bytes.

        Raises:
            OSError: the connection is lost.
            NotDaskError: the response is not one of Dask.
            RefusedError: the worker, or the scheduler for it, could not do it.
        """
        if self._direct:
            if worker not in self._workers:
                self._workers[worker] = Wire(worker, self._tls, self._patience)
            found = await self._workers[worker].request(op, **fields)
        else:
            found = await self._wire.request("proxy", worker=worker, msg={"op": op, **fields})
        if isinstance(found, dict) and "status" in found:  # as "run" responds
            if found["status"] != "OK":
                raise RefusedError(found.get("exception_text"))
            found = found.get("result")
        return found if isinstance(found, bytes) else b""

    async def run(self, worker: str, function: Callable[..., Any], *arguments: str | bytes) -> bytes:
        """Run a function of this package in a worker, and return its bytes.

        Raises:
            MissingPackageError: the worker does not have it.
            Exception: as :meth:`call` does.
        """
        try:
            return await self.call(worker, "run", **run_fields(function, *arguments))
        except RefusedError as error:
            if _MISSING.search(str(error)):
                raise MissingPackageError(str(error)) from None
            raise

    def close(self) -> None:
        """Close all connections."""
        for wire in (self._wire, *self._workers.values()):
            wire.close()

    async def _list(self) -> Sequence[str]:
        found = await self._wire.request("ncores")
        if not isinstance(found, dict):
            raise NotDaskError("its list of workers is none")
        return [str(address) for address in found]

    async def _identity(self) -> str:
        found = await self._wire.request("identity")
        if not isinstance(found, dict) or found.get("type") != "Scheduler":
            kind = str(found.get("type")) if isinstance(found, dict) else "something else"
            raise NotDaskError(f"it is a {kind} of Dask" if kind == "Worker" else "it names itself otherwise")
        return str(found.get("id"))

    async def _setting(self, name: str) -> object:
        # The scheduler may be without this package; a result that is not bytes would come as pickle.
        as_json = toolz.compose(str.encode, json.dumps, dask.config.get)
        try:
            async with asyncio.timeout(self._patience):
                found = await self._wire.request("run_function", **run_fields(as_json, name))
            return json.loads(found["result"])
        except (OSError, NotDaskError) as error:
            raise await self._cannot_be_reached(error) from None
        except (RefusedError, TypeError, KeyError, ValueError) as error:
            raise ConfigurationError(
                f"the scheduler at {self._address} does not tell its setting {name} ({error}); it must have "
                "distributed.scheduler.pickle: True"
            ) from None

    async def _cannot_be_reached(self, error: Exception) -> ConfigurationError:
        greeted = self._wire.greeted
        if greeted and isinstance(error, (ConnectionResetError, TimeoutError)):
            error = NotDaskError("after the greeting it does not respond")
        versions = Versions(await self._version() if greeted else None, version("distributed"))
        return ConfigurationError(cannot_be_reached(self._address, error, self._patience, versions))

    async def _version(self) -> str | None:
        """Return which version of distributed the scheduler has, if it tells."""
        try:
            async with asyncio.timeout(_VERSION):
                found = await self._wire.request("versions")
            return shortened(one_line(str(found["packages"]["distributed"])), 40)
        except Exception:  # one that is not understood here
            return None


def _certificates(security: Security | None) -> ssl.SSLContext:
    """Return the TLS of this process; raises ConfigurationError when there is none."""
    used: Any = security or Security()  # type: ignore[no-untyped-call]
    try:
        made = used.get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        files = [used.tls_ca_file, used.tls_client_cert, used.tls_client_key]
        raise ConfigurationError(
            f"the certificates for TLS with the Dask cluster cannot be used ({why(error)}): "
            + ", ".join(str(file) for file in files if file and "\n" not in str(file))
        ) from None
    if made is None:
        raise ConfigurationError(
            f"the Dask cluster needs certificates for TLS; name their files in {VARIABLES}, "
            "or in distributed.comm.tls of Dask's configuration"
        )
    assert isinstance(made, ssl.SSLContext)  # noqa: S101 - of Dask's untyped code
    return made
