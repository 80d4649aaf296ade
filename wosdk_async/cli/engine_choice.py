"""Where an import sends its rows from: processes of this machine, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.errors import ConfigurationError
from wosdk_async.transport.session.hosts import is_local

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.messages import WorkerPool

__all__ = ["EngineChoice", "engine_of"]


@attrs.frozen
class EngineChoice:
    """Processes of this machine, or the ``address`` of a Dask scheduler."""

    processes: int | None = None
    address: str | None = None

    def pool(self, on_stage: Callable[[str], None]) -> WorkerPool:
        """Return the pool of workers; ``on_stage`` gets a text when it waits.

        Raise CliError when the package for it is missing.
        """
        from wosdk_async.jobs.cluster.dask import DaskCluster  # not needed in one process
        from wosdk_async.jobs.cluster.processes import Processes

        try:
            if self.processes is not None:
                return Processes(self.processes)
            return DaskCluster(self.address or "", on_stage=on_stage)
        except ConfigurationError as error:
            raise CliError(error.message) from None


def engine_of(
    processes: int | None, engine: str | None, lease: float | None, sandbox: str | None
) -> EngineChoice | None:
    """Return what the options ask for; None for this process. Raise CliError for a contradiction."""
    if processes is not None and engine is not None:
        raise CliError("--processes and --engine exclude each other; give one of them")
    if processes is not None:
        return EngineChoice(processes)
    if engine is None:
        if lease is not None:
            raise CliError("--lease is for --processes and --engine; give one of them")
        return None
    from wosdk_async.jobs.cluster.dask import scheduler_address  # not needed in one process

    try:
        address = scheduler_address(engine)
    except ConfigurationError as error:
        raise CliError(f"--engine: {error.message}") from None
    if sandbox is not None and not is_local(f"http://{address.partition('://')[2]}"):
        raise CliError(
            "--sandbox runs on this machine only, and the workers of --engine on others do not reach it; "
            "leave one of them out"
        )
    return EngineChoice(address=address)
