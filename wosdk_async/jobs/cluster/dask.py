"""Workers in the processes of a Dask cluster: one actor in each. Rows are never tasks of Dask.

Dask runs tasks again when a worker is lost, also finished ones whose results are still wanted. An actor is
never made again elsewhere, and what it says goes through the coordinator's journal: nothing of the
guarantees rests on Dask.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

import attrs
import dask.config
from distributed import Client, Future

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask_settings import (
    SETTINGS,
    require_no_repeats,
    require_private,
    require_version,
)
from wosdk_async.jobs.cluster.dask_worker import JobActor, Sealed, forget, left_results, version
from wosdk_async.jobs.cluster.messages import Order, Report, Setup, WorkerLostError, from_bytes, to_bytes
from wosdk_async.jobs.cluster.pool import LeftReport, WorkerLink
from wosdk_async.shared_tasks import mark_retrieved
from wosdk_async.version import VERSION

__all__ = ["DaskCluster"]

_CONNECT = 15.0  # seconds
_POLL = 1.0  # seconds between two looks at which workers there are
_GRACE = 5.0  # seconds beyond the deadline of a row in which actors must have ended

_log = logging.getLogger("wosdk_async")


class DaskCluster:
    """Pool of workers in a Dask cluster; a worker that joins it later gets rows, too.

    Args:
        address: of the scheduler, such as ``tls://10.0.0.3:8786``.
        security: certificates, as ``distributed.Client`` takes them; by default those of its configuration.
        direct: send orders to the workers and not through the scheduler; they must be reachable from here.
        patience: seconds to wait for the first worker.

    Raises:
        ConfigurationError: the address is neither of this machine nor ``tls://``.
    """

    def __init__(
        self, address: str, *, security: Any = None, direct: bool = False, patience: float = 60.0
    ) -> None:
        require_private(address)
        self.name = f"Dask cluster {address}"
        self._address, self._security, self._direct, self._patience = address, security, direct, patience
        self._links: dict[str, _DaskLink] = {}
        self._arriving: dict[str, asyncio.Task[None]] = {}
        self._refused: set[str] = set()
        self._client: Any = None
        self._watching: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"DaskCluster({self._address!r})"

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start an actor in each worker; see :class:`WorkerPool`."""
        self._setup, self._joined, self._broken = attrs.evolve(setup, folder=""), joined, broken
        try:
            await self._connect()
            require_no_repeats({name: await self._setting(name) for name in SETTINGS})
            with contextlib.suppress(TimeoutError):
                await self._client.wait_for_workers(1, timeout=self._patience)
            if not (workers := await self._workers()):
                raise ConfigurationError(
                    f"{self.name} has no workers; start some: dask worker {self._address}"
                )
            await self._welcome_first(workers)
        except BaseException as error:
            await self.aclose()
            if isinstance(error, OSError):
                raise ConfigurationError(f"{self.name}: the scheduler is lost ({error})") from None
            raise
        self._watching = asyncio.create_task(self._watch())

    async def leftovers(self) -> Sequence[LeftReport]:
        """End the actors of earlier runs of this job that still live, and return what they left."""
        found = await self._ask_all(left_results, self._setup.job, self._setup.run)
        return [report for left in found for report in left]

    async def aclose(self) -> None:
        """End the actors of this job, and leave the cluster."""
        for task in (*self._arriving.values(), *([self._watching] if self._watching else [])):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._client is None:
            return
        await self._ask_all(forget, self._setup.job, self._setup.run)
        for link in self._links.values():
            link.lose(f"{self.name} was left")
        self._links.clear()
        with contextlib.suppress(OSError, TimeoutError), _quiet(self._client.status != "running"):
            await self._client.close(timeout=_GRACE)

    # --- the cluster ----------------------------------------------------------------------------

    async def _connect(self) -> None:
        self._client = Client(  # type: ignore[no-untyped-call]
            self._address,
            asynchronous=True,
            timeout=_CONNECT,
            security=self._security,
            direct_to_workers=self._direct,
            set_as_default=False,
        )
        try:
            await self._client
        except (OSError, TimeoutError) as error:
            raise ConfigurationError(f"{self.name}: the scheduler cannot be reached ({error})") from None

    async def _setting(self, name: str) -> object:
        return await self._client.run_on_scheduler(dask.config.get, name)

    async def _workers(self) -> Sequence[str]:
        return list(await self._client.nthreads())

    async def _ask(self, worker: str, function: Callable[..., Any], *arguments: object) -> Any:
        """Run a function in a worker, and return its result or its error."""
        async with asyncio.timeout(self._setup.deadline + _GRACE):
            found = await self._client.run(function, *arguments, workers=[worker], on_error="return")
        return found[worker]

    async def _ask_all(self, function: Callable[..., Any], *arguments: object) -> list[Any]:
        """Run a function in all workers, and return the results of those that respond."""
        if self._client.status != "running":
            return []
        try:
            asked = [self._ask(worker, function, *arguments) for worker in await self._workers()]
        except OSError:  # the scheduler is lost right now
            return []
        found = await asyncio.gather(*asked, return_exceptions=True)
        return [each for each in found if not isinstance(each, BaseException)]

    # --- workers --------------------------------------------------------------------------------

    async def _welcome_first(self, workers: Sequence[str]) -> None:
        """Start actors in the workers that are there; one that does not respond may join later.

        Raises:
            ConfigurationError: a worker cannot be used, or none responds.
        """
        self._arriving = {worker: asyncio.create_task(self._welcome(worker)) for worker in workers}
        await asyncio.wait(self._arriving.values(), timeout=_CONNECT)
        for task in self._arriving.values():
            if task.done() and isinstance(error := task.exception(), ConfigurationError):
                raise error
        if not self._links:
            raise ConfigurationError(f"{self.name}: none of its {len(workers)} workers responds")

    async def _welcome(self, worker: str) -> None:
        """Start an actor in a worker."""
        require_private(worker)
        require_version(worker, await self._ask(worker, version), VERSION)
        with self._client.as_current():  # the actor's handle looks for its client there
            future = self._client.submit(
                JobActor,
                to_bytes(self._setup),
                key=f"wosdk-{self._setup.job}-{self._setup.run}-{uuid4().hex[:8]}",
                actor=True,
                workers=[worker],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
            actor = await future
        if refusal := await actor.start():
            raise ConfigurationError(f"worker {worker}: {refusal}")
        link = self._links[worker] = _DaskLink(worker, actor, future)
        self._joined(link)

    async def _watch(self) -> None:
        """Notice workers that join and that are lost, and the end of the scheduler."""
        while self._client.status == "running":
            with contextlib.suppress(OSError):  # of the scheduler: the status will say so
                self._compare(await self._workers())
            await asyncio.sleep(_POLL)
        # Dask forgets the actors of a client that was away for a moment, so it is not reached again.
        why = f"the connection to the scheduler of the {self.name} is lost"
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
        for address in set(workers) - set(self._links) - set(self._arriving) - self._refused:
            self._arriving[address] = asyncio.create_task(self._welcome(address))

    def _arrived(self, address: str, error: BaseException | None) -> None:
        """Note how the start of an actor ended; one that a lost worker did not start may start later."""
        del self._arriving[address]
        if isinstance(error, ConfigurationError):
            self._refused.add(address)
            _log.warning("a worker that joined gets no rows: %s", error.message)
        elif error is not None:
            _log.warning("the worker %s does not respond (%s)", address, type(error).__name__)


@contextlib.contextmanager
def _quiet(needed: bool) -> Iterator[None]:
    """Keep Dask from logging that it cannot reach a scheduler again that we have given up."""
    logger = logging.getLogger("distributed.client")
    before, logger.disabled = logger.disabled, needed or logger.disabled
    try:
        yield
    finally:
        logger.disabled = before


class _DaskLink:
    """The actor in one Dask worker."""

    def __init__(self, address: str, actor: Any, future: Future[Any]) -> None:
        self.name = address
        self._actor, self._future = actor, future
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def is_lost(self) -> bool:
        """Whether Dask says that the actor is not there any more."""
        return self._lost.done() or self._future.status != "finished"

    def lose(self, why: str) -> None:
        """Let the exchange that waits fail, and every further one."""
        if not self._lost.done():
            self._lost.set_result(why)

    async def exchange(self, order: Order) -> Report:
        """Deliver an order and return the report; see :class:`WorkerLink`."""
        call = asyncio.create_task(self._call(Sealed(to_bytes(order))))
        call.add_done_callback(mark_retrieved)
        either: set[asyncio.Future[Any]] = {call, self._lost}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._lost.done():
                raise WorkerLostError(self._lost.result())
            return from_bytes(await call, Report)
        finally:
            call.cancel()

    async def _call(self, order: Sealed) -> bytes:
        try:
            report: bytes = await self._actor.exchange(order)
        except RuntimeError as error:  # Dask's, when the worker of an actor is lost
            raise WorkerLostError(f"the worker {self.name} is lost ({error})") from None
        if not report:
            raise WorkerLostError(f"the worker {self.name} gave up the coordinator")
        return report

    async def aclose(self) -> None:
        """Give up the actor; it ends by itself."""
        self.lose(f"the worker {self.name} was given up")
        self._future.release()  # type: ignore[no-untyped-call]
