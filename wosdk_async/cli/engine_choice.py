"""Where an import sends its rows from: processes of this machine, or the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.errors import ConfigurationError
from wosdk_async.transport.session.hosts import is_local

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.messages import WorkerPool

__all__ = ["PoolMaker", "pool_maker"]

PoolMaker = Callable[[Callable[[str], None]], "WorkerPool"]
"""Returns the pool of workers, from a function that gets a text when the pool waits."""


def pool_maker(
    processes: int | None, engine: str | None, lease: float | None, sandbox: str | None
) -> PoolMaker | None:
    """Return what makes the pool that the options ask for; None for this process.

    Raise CliError for a contradiction, or when the package for it is missing.
    """
    if processes is None and engine is None and lease is not None:
        raise CliError("--lease is for --processes and --engine; give one of them")
    if processes is not None and engine is not None:
        raise CliError("--processes and --engine exclude each other; give one of them")
    if processes is not None:
        from wosdk_async.jobs.cluster.processes import Processes  # not needed in one process

        try:
            pool = Processes(processes)
        except ConfigurationError as error:
            raise CliError(error.message) from None
        return lambda _: pool
    if engine is None:
        return None
    from wosdk_async.jobs.cluster.dask import DaskCluster  # not needed in one process

    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")  # what matters is said by the import
    try:
        address = DaskCluster(engine).address
    except ConfigurationError as error:
        raise CliError(f"--engine: {error.message}") from None
    if sandbox is not None and not is_local(f"http://{address.partition('://')[2]}"):
        raise CliError(
            "--sandbox runs on this machine only, and the workers of --engine on others do not reach it; "
            "leave one of them out"
        )
    return lambda say: DaskCluster(address, on_stage=say)
