"""Workers in the processes of a Dask cluster: each holds one. Rows are never tasks of Dask.

Dask runs tasks again when a worker is lost, also finished ones whose results are still wanted. So it gets
none: it starts the processes, knows which ones there are, and carries messages to the workers of ours that
they hold (dask_worker.py). Below a ``worker`` is the address of such a process, as Dask calls it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any
from uuid import uuid4

import attrs
from distributed.security import Security

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask_link import DaskLink
from wosdk_async.jobs.cluster.dask_scheduler import MissingPackageError, Scheduler
from wosdk_async.jobs.cluster.dask_settings import require_private, require_version, scheduler_address
from wosdk_async.jobs.cluster.dask_wire import NotDaskError
from wosdk_async.jobs.cluster.dask_worker import AllUndelivered, start, version
from wosdk_async.jobs.cluster.messages import MessageError, Setup, from_bytes, to_bytes
from wosdk_async.jobs.cluster.pool import UndeliveredReport, WorkerLink
from wosdk_async.option_checks import check_kind, check_number
from wosdk_async.version import VERSION

__all__ = ["DaskCluster"]

_CONNECT = 15.0  # seconds
_POLL = 1.0  # seconds between two looks at which workers there are
_FIRST = 0.2  # the same, while there is none
_GRACE = 5.0  # seconds beyond the deadline of a row in which a worker must respond
_START = 30.0  # seconds in which a process imports the package, and makes a worker of ours
_PARTING = 1.0  # seconds in which a worker must have heard that it is to end; otherwise it ends by itself
_OTHERS = 5.0  # seconds that the first worker waits for the others

_log = logging.getLogger("wosdk_async")


class DaskCluster:
    """Pool of workers in a Dask cluster; a worker that joins it later gets rows, too.

    Args:
        address: of the scheduler, such as ``dask+tls://10.0.0.3:8786`` or ``dask://127.0.0.1:8786``; ``tls://``
            and ``tcp://``, as Dask writes it, mean the same.
        security: certificates, as ``distributed.Client`` takes them; by default those of its configuration.
        direct: send orders to the workers and not through the scheduler; they must be reachable from here.
        patience: seconds to wait for the first worker.
        on_stage: called with a text that says what is waited for.

    Raises:
        ConfigurationError: an argument cannot be used; an address must be of this machine, or have TLS.
    """

    def __init__(
        self,
        address: str,
        *,
        security: Security | None = None,
        direct: bool = False,
        patience: float = 60.0,
        on_stage: Callable[[str], None] = _log.info,
    ) -> None:
        self._address = scheduler_address(address)
        if security is not None:
            check_kind("security", security, Security, "distributed.Security")
        check_kind("direct", direct, bool, "True or False")
        check_number("patience", patience, "seconds, 0 or more")
        self.name = f"Dask cluster {self._address}"
        self._security, self._direct, self._patience, self._on_stage = security, direct, patience, on_stage
        self._links: dict[str, DaskLink] = {}
        self._arriving: dict[str, asyncio.Task[None]] = {}
        self._refused: dict[str, str] = {}
        self._silent: set[str] = set()
        self._returned: dict[str, set[str]] = {}
        """Keys of held workers of earlier runs whose results were returned, by their process."""
        self._scheduler: Scheduler | None = None
        self._watching: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"DaskCluster({self._address!r})"

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Let each process hold a worker; see :class:`WorkerPool`."""
        self._setup, self._joined, self._broken = attrs.evolve(setup, folder=""), joined, broken
        scheduler = Scheduler(self._address, self._security, direct=self._direct, patience=_CONNECT)
        self._scheduler = scheduler
        try:
            await scheduler.open(self._on_stage)
            await self._welcome_first(await self._first_workers(scheduler))
        except BaseException as error:
            await self.aclose(_GRACE)
            if isinstance(error, OSError):
                raise ConfigurationError(f"{self.name}: the scheduler is lost ({error})") from None
            raise
        self._watching = asyncio.create_task(self._watch(scheduler))

    async def undelivered(self) -> Sequence[UndeliveredReport]:
        """End the held workers of earlier runs of this job, and return what they could not deliver."""
        job, before = self._setup.job, self._setup.run
        found = await self._ask_all(
            {worker: self._ask(worker, "wosdk-undelivered", job=job, before=before) for worker in self._links}
        )
        reports: list[UndeliveredReport] = []
        for worker, data in found.items():
            with contextlib.suppress(MessageError):
                for each in from_bytes(data, AllUndelivered).workers:
                    self._returned.setdefault(worker, set()).add(each.key)
                    reports += each.reports
        return reports

    async def forget_undelivered(self) -> None:
        """Let the workers forget what :meth:`undelivered` returned; see :class:`WorkerPool`."""
        returned, self._returned = self._returned, {}
        await self._ask_all(
            {worker: self._ask(worker, "wosdk-forget", keys=list(keys)) for worker, keys in returned.items()}
        )

    async def aclose(self, grace: float) -> None:
        """End the held workers of this run, and disconnect; undelivered results stay in the processes."""
        for task in (*self._arriving.values(), *([self._watching] if self._watching else [])):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._scheduler is None:
            return
        links = list(self._links.items())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(grace, _PARTING)):
                await self._ask_all(
                    {worker: self._ask(worker, "wosdk-end", key=link.key) for worker, link in links}
                )
        for link in self._links.values():
            link.lose(f"{self.name} was disconnected")
        self._links.clear()
        self._scheduler.close()

    # --- requests -------------------------------------------------------------------------------

    async def _ask(self, worker: str, op: str, **fields: Any) -> bytes:
        assert self._scheduler is not None  # noqa: S101 - after open
        async with asyncio.timeout(self._setup.deadline + _GRACE):
            return await self._scheduler.call(worker, op, **fields)

    async def _run(self, worker: str, function: Callable[..., Any], *arguments: str | bytes) -> bytes:
        assert self._scheduler is not None  # noqa: S101 - after open
        async with asyncio.timeout(_START):
            return await self._scheduler.run(worker, function, *arguments)

    async def _ask_all(self, asked: dict[str, Coroutine[Any, Any, bytes]]) -> dict[str, bytes]:
        """Return the responses of those workers that respond."""
        found = await asyncio.gather(*asked.values(), return_exceptions=True)
        both = zip(asked, found, strict=True)
        return {worker: each for worker, each in both if not isinstance(each, BaseException)}

    # --- workers --------------------------------------------------------------------------------

    async def _first_workers(self, scheduler: Scheduler) -> Sequence[str]:
        """Wait for a worker.

        Raises:
            ConfigurationError: there is none.
        """
        tls = " --tls-ca-file CA --tls-cert CERT --tls-key KEY" if self._address.startswith("tls") else ""
        start_some = f"start some: dask worker {self._address} --nthreads 1{tls}"
        loop = asyncio.get_running_loop()
        ends, said = loop.time() + self._patience, False
        while not (workers := await scheduler.workers()):
            if loop.time() >= ends:
                raise ConfigurationError(f"{self.name} has no workers; {start_some}")
            if not said:
                self._on_stage(
                    f"waiting up to {self._patience:.0f} s for a worker of the {self.name}; {start_some}"
                )
            said = True
            await asyncio.sleep(_FIRST)
        return workers

    async def _welcome_first(self, workers: Sequence[str]) -> None:
        """Let the processes that are there hold workers; one that does not respond may join later.

        Raises:
            ConfigurationError: none of them can be used.
        """
        self._compare(workers)
        loop, arriving = asyncio.get_running_loop(), set(self._arriving.values())
        ends = loop.time() + _START
        while arriving and (seconds := ends - loop.time()) > 0:
            _, arriving = await asyncio.wait(arriving, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if self._links:
                ends = min(ends, loop.time() + _OTHERS)
        self._compare(workers)
        if not self._links:
            why = "; ".join(self._refused.values()) or f"none of its {len(workers)} workers responds"
            raise ConfigurationError(f"{self.name} has no worker that can be used: {why}")

    async def _welcome(self, worker: str) -> None:
        """Let a process hold a worker of this job.

        Raises:
            ConfigurationError: it cannot be used.
        """
        require_private(worker)
        try:
            said = await self._run(worker, version)
            found: object = said.decode(errors="replace") if said else NotDaskError("it tells no version")
        except MissingPackageError as error:
            found = error
        require_version(worker, found, VERSION)
        key = f"{self._setup.job}-{self._setup.run}-{uuid4().hex}"
        if refusal := await self._run(worker, start, key, to_bytes(self._setup)):
            raise ConfigurationError(f"worker {worker}: {refusal.decode(errors='replace')}")
        assert self._scheduler is not None  # noqa: S101 - after open
        self._links[worker] = DaskLink(worker, key, self._scheduler)
        self._joined(self._links[worker])

    async def _watch(self, scheduler: Scheduler) -> None:
        """Notice workers that join and that are lost, and the end of the scheduler."""
        why = f"the connection to the scheduler of the {self.name} is lost"
        try:
            while True:
                self._compare(await scheduler.workers())
                await asyncio.sleep(_POLL)
        except OSError as error:
            why += f" ({error})"
        except Exception as error:  # of a scheduler that does not respond as one
            why += f" ({type(error).__name__}: {error})"
        for link in self._links.values():
            link.lose(why)
        self._links.clear()
        self._broken(f"{why}; look whether it runs, or start a new one, and repeat the command to go on")

    def _compare(self, workers: Sequence[str]) -> None:
        for address, link in list(self._links.items()):
            if address not in workers or link.is_lost:
                link.lose(f"the worker {address} is lost")
                del self._links[address]
        for address, task in list(self._arriving.items()):
            if task.done():
                self._arrived(address, None if task.cancelled() else task.exception())
        for address in set(workers) - set(self._links) - set(self._arriving) - set(self._refused):
            self._arriving[address] = asyncio.create_task(self._welcome(address))

    def _arrived(self, address: str, error: BaseException | None) -> None:
        """Note how the welcome of a process ended; one that was lost meanwhile may be welcome later."""
        del self._arriving[address]
        if isinstance(error, ConfigurationError):
            self._refused[address] = error.message
            _log.warning("a worker of the %s gets no rows: %s", self.name, error.message)
        elif error is not None and address not in self._silent:
            self._silent.add(address)
            _log.warning(
                "the worker %s does not respond (%s); it may join later", address, error or "no time"
            )
