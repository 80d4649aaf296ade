"""One import in its own process, which reports its progress on standard output.

    python -m tests.chaos.import_child FILE MAP [--processes N | --dask ADDRESS] [--every N] ...

The environment variables name the Company. The process prints ``stage TEXT`` for each stage, ``row N`` for
the first finished row and then for every N-th, and finally ``summary JSON`` or ``error TEXT``. The summary
has the rows per second, and the CPU microseconds per row in this process, while rows were sent. Unlike
``wosdk import``, it takes options for short settle and lease times, so that a test can wait for them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from functools import partial
from pathlib import Path

from wosdk_async import CallOptions, Client, Limits, RetryPolicy
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import CsvFile, Import, ImportMap, RowOutcome, tune_process
from wosdk_async.jobs.cluster.dask import DaskCluster
from wosdk_async.jobs.cluster.messages import WorkerPool
from wosdk_async.jobs.cluster.processes import Processes


async def _run(args: argparse.Namespace) -> None:
    options = CallOptions(deadline=args.deadline, settle=args.settle, retry=RetryPolicy(attempts=6))
    pool: WorkerPool | None = DaskCluster(args.dask) if args.dask else None
    job = Import(
        CsvFile(args.file),
        ImportMap.load(args.import_map),
        workers=Processes(args.processes) if args.processes else pool,
        marker=args.marker,
        concurrency=args.limit,
        lease=args.lease,
        stop_after_doubt=None,
    )
    progress = _Progress(args.every)
    limits = Limits(connections=args.limit)
    async with Client.from_env(options=options, limits=limits, rate=args.rate) as client:
        summary = await job.run(client.company(), on_row=progress.on_row, on_stage=partial(_say, "stage"))
    found = summary.as_dict() | {
        "stopped": summary.stopped and summary.stopped.message,
        "complete": summary.complete,
    }
    _say("summary", json.dumps(found | progress.figures()))


class _Progress:
    def __init__(self, every: int) -> None:
        self._every = every
        self._rows = 0

    def on_row(self, _: RowOutcome) -> None:
        if not self._rows:
            self._began = time.perf_counter(), time.process_time()
        self._rows += 1
        self._ended = time.perf_counter(), time.process_time()
        if self._rows == 1 or self._rows % self._every == 0:
            _say("row", self._rows)

    def figures(self) -> dict[str, float]:
        """Return the rows per second, and the CPU microseconds per row."""
        if self._rows < 2:
            return {}
        (wall, cpu), (wall_end, cpu_end) = self._began, self._ended
        return {
            "rows_per_second": (self._rows - 1) / (wall_end - wall),
            "cpu_us_per_row": (cpu_end - cpu) / (self._rows - 1) * 1e6,
        }


def _say(kind: str, what: object) -> None:
    sys.stdout.write(f"{kind} {what}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("import_map", type=Path)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--dask")
    parser.add_argument("--marker")
    parser.add_argument("--deadline", type=float)
    parser.add_argument("--settle", type=float, default=30.0)
    parser.add_argument("--lease", type=float, default=30.0)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--limit", type=int, default=32)
    parser.add_argument("--every", type=int, default=1)
    tune_process()
    try:
        asyncio.run(_run(parser.parse_args()))
    except WosdkError as error:
        _say("error", error)
        sys.exit(1)


if __name__ == "__main__":
    main()
