"""One import on many workers, as a coordinator in a process of its own.

    python -m benchmarks.cluster_child FILE MAP (--processes N | --dask ADDRESS) [--marker FIELD] [--rate N]

The Company is that of the environment. ``stage TEXT`` is printed for each stage, ``rows N`` after every
hundred rows, and ``summary JSON`` at the end, with the CPU seconds of this process while rows were sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from wosdk_async import CallOptions, Client, Limits, RetryPolicy
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import CsvFile, Import, ImportMap, RowOutcome, tune_process
from wosdk_async.jobs.cluster.messages import WorkerPool
from wosdk_async.jobs.cluster.processes import Processes

__all__ = ["DEADLINE", "LEASE", "SETTLE", "SKEW", "main"]

LEASE, DEADLINE, SETTLE, SKEW = 3.0, 2.0, 1.0, 1.0  # seconds


async def _run(args: argparse.Namespace) -> None:
    options = CallOptions(deadline=DEADLINE, settle=SETTLE, retry=RetryPolicy(attempts=6))
    job = Import(
        CsvFile(args.file),
        ImportMap.load(args.import_map),
        workers=_pool(args),
        marker=args.marker,
        limit=args.limit,
        lease=LEASE,
        skew=SKEW,
        stop_after_doubt=None,
    )
    progress = _Progress()
    limits = Limits(connections=args.limit)
    async with Client.from_env(options=options, limits=limits, rate=args.rate) as client:
        summary = await job.run(
            client.company(), on_row=progress.on_row, on_stage=lambda text: _say("stage", text)
        )
    found = summary.as_dict() | {"stopped": summary.stopped, "complete": summary.complete}
    _say("summary", json.dumps(found | progress.figures()))


def _pool(args: argparse.Namespace) -> WorkerPool | None:
    if args.dask:
        from wosdk_async.jobs.cluster.dask import DaskCluster  # needs the extra

        return DaskCluster(args.dask)
    return Processes(args.processes) if args.processes else None


class _Progress:
    """Counts rows, and the time since the first one."""

    def __init__(self) -> None:
        self.rows = 0

    def on_row(self, _: RowOutcome) -> None:
        """Count a row."""
        if not self.rows:
            self._began = time.perf_counter(), time.process_time()
        self.rows += 1
        self._ended = time.perf_counter(), time.process_time()
        if self.rows == 1 or self.rows % 100 == 0:
            _say("rows", self.rows)

    def figures(self) -> dict[str, float]:
        """Return seconds and CPU microseconds of a row."""
        if self.rows < 2:
            return {}
        (wall, cpu), (wall_end, cpu_end) = self._began, self._ended
        return {
            "rows_per_second": (self.rows - 1) / (wall_end - wall),
            "cpu_us_per_row": (cpu_end - cpu) / (self.rows - 1) * 1e6,
        }


def _say(kind: str, what: object) -> None:
    sys.stdout.write(f"{kind} {what}\n")
    sys.stdout.flush()


def main() -> None:
    """Read the arguments and import."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("import_map", type=Path)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--dask")
    parser.add_argument("--marker")
    parser.add_argument("--rate", type=float)
    parser.add_argument("--limit", type=int, default=24)
    tune_process()
    try:
        asyncio.run(_run(parser.parse_args()))
    except WosdkError as error:
        _say("error", error)
        sys.exit(1)


if __name__ == "__main__":
    main()
