"""What a row costs the coordinator, and how many rows a second workers carry."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import attrs

from benchmarks.cluster_hooks import environment
from benchmarks.dask_processes import DaskProcesses
from benchmarks.jobs_files import REQUESTS_MAP, write_requests
from benchmarks.load import Server

__all__ = ["COSTS", "Cost", "measure"]

_WORKERS = 2

COSTS = {
    "one process, no workers": ("none", ""),
    "2 processes": ("processes", ""),
    "2 Dask workers": ("dask", ""),
    "coordinator alone, processes": ("processes", "instant"),
    "coordinator alone, Dask": ("dask", "instant"),
}
"""Engine and hook of each case. ``instant`` workers say at once that a row is done."""


@attrs.frozen
class Cost:
    """Figures of one import, from its first row to its last."""

    cpu_us: float
    """CPU time of the process that was started, the coordinator of workers: microseconds for a row."""
    per_second: float
    """Rows in a second."""


def measure(engine: str, hook: str, rows: int, folder: Path) -> Cost:
    """Import so many rows against a server that responds from memory."""
    folder.mkdir()
    variables = environment(hook) if hook else {}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server())
        where = ["--processes", str(_WORKERS)] if engine == "processes" else []
        if engine == "dask":
            cluster = stack.enter_context(DaskProcesses(folder, variables=variables))
            for _ in range(_WORKERS):
                cluster.add_worker()
            where = ["--dask", cluster.address]
        source = write_requests(folder / "requests.csv", rows)
        process = subprocess.run(
            [sys.executable, "-m", "benchmarks.cluster_child", source, _map(folder), *where, "--limit", "64"],
            env=os.environ | _company(server.target.url) | variables,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    last = process.stdout.rstrip().rpartition("\n")[2]
    found = json.loads(last.partition(" ")[2]) if last.startswith("summary") else {}
    if not found.get("complete"):
        raise SystemExit(f"{engine} {hook}: {last}")
    return Cost(found["cpu_us_per_row"], found["rows_per_second"])


def _company(url: str) -> dict[str, str]:
    return {
        "WOSDK_COMPANY": "Bench",
        "WOSDK_CLIENT_ID": "id",
        "WOSDK_CLIENT_SECRET": "secret",
        "WOSDK_LOCATOR_URL": url,
        "WOSDK_TOKEN_URL": f"{url}/OAuth/token",
    }


def _map(folder: Path) -> Path:
    """Write the map of the requests without a marker: the server does not keep what it gets."""
    path = folder / "map.toml"
    lines = REQUESTS_MAP.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(each for each in lines if not each.startswith("marker")), encoding="utf-8")
    return path
