"""Workers in local processes, which form a private Dask cluster on the loopback interface.

All connections use TLS with a certificate made for this cluster. So other users of the machine cannot join
the cluster, run code in it, or read the token.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask import DaskCluster, require_dask
from wosdk_async.jobs.cluster.messages import Setup, WorkerLink
from wosdk_async.regular_files import create_file
from wosdk_async.shared_tasks import completed

__all__ = ["Processes"]

_MAX_PROCESSES = 256
_GRACE = 0.5  # seconds for processes to exit
_LONG_LIFE = 5.0  # seconds; a process that ran for longer had started successfully
_MAX_DEATHS = 10  # failed starts in a row, after which a process is not replaced
_PAUSE = 0.5  # seconds before a process is replaced
_DEATH_TIMEOUT = "10"  # seconds before a worker without a scheduler exits


class Processes:
    """Pool of workers in local processes, on Linux and macOS.

    The scheduler runs in this process, and workers that exit are replaced. Ctrl-C does not reach the
    workers, which run in their own OS sessions; they exit when this process does.

    Args:
        count: number of processes, from 1 to 256.

    Raises:
        ConfigurationError: the system does not support worker processes, or the extra ``dask`` is missing.
    """

    def __init__(self, count: int) -> None:
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= _MAX_PROCESSES:
            raise ConfigurationError(
                f"the process count is {count!r}; write a whole number from 1 to {_MAX_PROCESSES}"
            )
        if sys.platform == "win32" or not sys.executable:
            raise ConfigurationError("worker processes need Linux or macOS; import with one process")
        require_dask("an import with several processes")
        self.name = f"{count} process{'es' if count > 1 else ''}"
        self._count = self._running = count
        self._scheduler: Any = None
        self._cluster: DaskCluster | None = None
        self._folder = ""
        self._processes: set[asyncio.subprocess.Process] = set()
        self._supervisors: list[asyncio.Task[None]] = []

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start the scheduler and the processes."""
        self._broken, self._folder = broken, tempfile.mkdtemp(prefix="wosdk-workers-")
        try:
            from distributed import LocalCluster  # imported here: optional, takes half a second

            loop = asyncio.get_running_loop()
            # On cancellation, wait for the thread, because aclose() removes the folder that it writes to.
            security = await completed(loop.run_in_executor(None, _new_certificate, Path(self._folder)))
            quiet = {"dashboard": False, "dashboard_address": "127.0.0.1:0", "local_directory": self._folder}
            self._scheduler = await LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=0,
                processes=False,
                host="127.0.0.1",
                protocol="tls",
                security=security,
                dashboard_address=None,
                scheduler_kwargs=quiet,
                silence_logs=logging.CRITICAL,
                asynchronous=True,
            )
        except Exception as error:  # of any type, for example because of Dask's configuration
            raise ConfigurationError(f"Dask cannot be started ({error}); check its configuration") from error
        self._cluster = DaskCluster(self._scheduler.scheduler_address, direct=True, security=security)
        opening = asyncio.create_task(self._cluster.open(setup, joined, broken))
        self._supervisors = [asyncio.create_task(self._supervise(opening)) for _ in range(self._count)]
        try:
            await asyncio.wait([opening])
        finally:
            opening.cancel()
            await asyncio.wait([opening])
        if opening.cancelled():  # cancelled by a supervisor, because no process remains
            raise ConfigurationError(self._why)
        opening.result()

    async def aclose(self) -> None:
        """Terminate all processes."""
        for supervisor in self._supervisors:
            supervisor.cancel()
        await asyncio.gather(*self._supervisors, return_exceptions=True)
        if self._cluster is not None:
            await self._cluster.aclose()
        for kind in (signal.SIGTERM, signal.SIGKILL):
            for process in self._processes:
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(kind)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await asyncio.gather(*(process.wait() for process in self._processes))
        if self._scheduler is not None:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(_GRACE):
                    await self._scheduler.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _supervise(self, opening: asyncio.Task[None]) -> None:
        deaths, loop, why = 0, asyncio.get_running_loop(), ""
        while deaths < _MAX_DEATHS:
            began = loop.time()
            try:
                process = await self._start()
            except OSError as error:
                why = str(error)
            else:
                self._processes.add(process)
                why = f"exit status {await process.wait()}"
                self._processes.discard(process)
            deaths = 1 if loop.time() - began >= _LONG_LIFE else deaths + 1
            await asyncio.sleep(_PAUSE)
        self._running -= 1
        if not self._running:
            self._why = (
                f"no worker process remains: the last one failed to start {deaths} times ({why}); see the "
                "output on stderr, then repeat the command"
            )
            opening.cancel()
            self._broken(self._why)

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            # -P: files in the working directory cannot shadow modules.
            *(sys.executable, "-P", "-m", "dask", "worker", self._scheduler.scheduler_address),
            *("--no-nanny", "--death-timeout", _DEATH_TIMEOUT, "--nthreads", "1", "--memory-limit", "0"),
            *("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"),
            *("--local-directory", self._folder, "--protocol", "tls"),
            *("--tls-ca-file", f"{self._folder}/cert", "--tls-cert", f"{self._folder}/cert"),
            *("--tls-key", f"{self._folder}/key"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=2,  # to stderr, because stdout is for the command's own output
            # This folder has no configuration, so settings for other clusters do not apply.
            env=_environment() | {"DASK_CONFIG": self._folder},
            start_new_session=True,  # so that Ctrl-C in the terminal does not reach the worker
        )


def _new_certificate(folder: Path) -> Any:
    """Write a certificate and key for the cluster to a folder; return the ``Security`` that uses them."""
    from distributed import Security

    security = Security.temporary()  # type: ignore[no-untyped-call]
    for name in ("cert", "key"):
        with create_file(folder / name, mode=0o600) as file:
            file.write(getattr(security, f"tls_worker_{name}").encode())
    return security


def _environment() -> dict[str, str]:
    """Return this process's environment for workers, with its module path but no ``WOSDK_`` variables."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("WOSDK_")}
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    quiet = dict.fromkeys(("DASK_LOGGING__DISTRIBUTED", "DASK_LOGGING__WOSDK_ASYNC"), "critical")
    return {**inherited, **quiet, "PYTHONPATH": paths, "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}
