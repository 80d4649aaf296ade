"""One import in a process of its own, which says on its standard output where it is.

    python -m benchmarks.jobs_child FILE MAP [--marker FIELD] [--settle SECONDS] [--limit N]

The Company is that of the environment. ``stage TEXT`` is printed for each stage, ``row N`` for each row that
ends, and ``summary JSON`` at the end. Unlike the command it has a settle time that a test can wait for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from wosdk_async import CallOptions, Client, Limits, RetryPolicy
from wosdk_async.jobs import CsvFile, Import, ImportMap, RowOutcome

__all__ = ["main"]


async def _run(file: Path, import_map: Path, marker: str | None, settle: float, limit: int) -> None:
    options = CallOptions(settle=settle, retry=RetryPolicy(attempts=6))
    job = Import(CsvFile(file), ImportMap.load(import_map), marker=marker, limit=limit, stop_after_doubt=None)

    def on_row(outcome: RowOutcome) -> None:
        _say("row", outcome.row)

    async with Client.from_env(options=options, limits=Limits(connections=limit)) as client:
        summary = await job.run(client.company(), on_row=on_row, on_stage=lambda text: _say("stage", text))
    _say("summary", json.dumps(summary.as_dict() | {"stopped": summary.stopped}))


def _say(kind: str, what: object) -> None:
    sys.stdout.write(f"{kind} {what}\n")
    sys.stdout.flush()


def main() -> None:
    """Read the arguments and import."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("import_map", type=Path)
    parser.add_argument("--marker")
    parser.add_argument("--settle", type=float, default=30.0)
    parser.add_argument("--limit", type=int, default=32)
    asyncio.run(_run(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
