"""An import from a worker of a Dask cluster on this machine."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import wosdk_async as wosdk
from wosdk_async.jobs import Import, ImportMap, open_source
from wosdk_async.jobs.cluster.dask import DaskCluster

EXAMPLES = Path(os.environ["ROOT"], "docs", "examples")


def dask(*words: str) -> subprocess.Popen[str]:
    """Start a part of the cluster."""
    command = [sys.executable, "-P", "-m", "dask", *words, "--no-dashboard", "--host", "127.0.0.1"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def address(process: subprocess.Popen[str]) -> str:
    """Read the address that a scheduler logs."""
    for line in process.stderr:
        if found := re.search(r"Scheduler at:\s*(\S+)", line):
            return found[1]
    raise AssertionError("the scheduler has ended")


async def main(scheduler: str) -> None:
    text = EXAMPLES.joinpath("requests.csv").read_text(encoding="utf-8")
    Path("requests.csv").write_text(text.replace("\n900", "\n800"), encoding="utf-8")  # cli.py imports 900
    source, made = open_source("requests.csv"), ImportMap.load(EXAMPLES / "sf311.toml")
    async with wosdk.Client.from_env() as client:
        pool = DaskCluster(scheduler)
        job = Import(source, made, workers=pool, marker="work_order.po_number", folder="made")
        summary = await job.run(client.company())
    assert summary.complete, summary


if __name__ == "__main__":
    started = [dask("scheduler", "--port", "0")]
    try:
        where = address(started[0])
        started.append(dask("worker", where, "--nthreads", "1", "--no-nanny"))
        asyncio.run(main(where))
    finally:
        for process in started:
            process.kill()
            process.communicate()
