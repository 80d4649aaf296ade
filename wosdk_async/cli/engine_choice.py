"""Where an import sends its rows from: processes of this machine, or the workers of a cluster."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import attrs

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.transport.session.hosts import is_local

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.pool import WorkerPool

__all__ = ["EngineChoice", "engine_of"]

_SCHEMES = {"dask": "tcp", "dask+tls": "tls", "dask+tcp": "tcp"}
_EXAMPLES = "dask+tls://HOST:8786, or dask://127.0.0.1:8786 for a scheduler on this machine"


@attrs.frozen
class EngineChoice:
    """Processes of this machine, or the ``address`` of a Dask scheduler."""

    processes: int | None = None
    address: str | None = None

    def pool(self) -> WorkerPool:
        """Return the pool of workers. Raise CliError when a package for it is missing."""
        if self.processes is not None:
            from wosdk_async.jobs.cluster.processes import Processes

            return Processes(self.processes)
        if find_spec("distributed") is None:
            raise CliError("--engine dask needs the package distributed: pip install 'wosdk_async[dask]'")
        from wosdk_async.jobs.cluster.dask import DaskCluster

        return DaskCluster(self.address or "")


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
    scheme, separator, place = engine.partition("://")
    if scheme not in _SCHEMES or not separator or not place.rpartition(":")[2].isdigit():
        raise CliError(f"--engine {engine!r} is not the address of a scheduler; write {_EXAMPLES}")
    local = is_local(f"http://{place}")
    if _SCHEMES[scheme] == "tcp" and not local:
        raise CliError(
            f"--engine {engine}: the workers get the token of the Company, which does not leave this machine "
            f"unencrypted; write dask+tls://{place}"
        )
    if sandbox is not None and not local:
        raise CliError(
            "--sandbox runs on this machine only, and the workers of --engine on others do not reach it; "
            "leave one of them out"
        )
    return EngineChoice(address=f"{_SCHEMES[scheme]}://{place}")
