"""Peak memory of each client, measured in a process of its own.

    python -m benchmarks.memory

Needs wosdk_async[bench].
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.load import AT_ONCE, Server, drive
from benchmarks.stacks import STACKS, Target
from tests.support import arguments

_CALLS = 2000


def peaks() -> dict[str, float]:
    """Return the peak megabytes of each stack for 2,000 creates, 100 at once."""
    with Server() as server:
        return {name: _peak(name, server.target.port) for name in STACKS}


def _peak(name: str, port: int) -> float:
    this = [sys.executable, "-m", "benchmarks.memory", "--child", name, str(port)]
    return float(subprocess.run(this, check=True, capture_output=True, text=True).stdout)


async def _create(name: str, port: int) -> None:
    async with STACKS[name](Target(port), AT_ONCE) as call:
        await drive(call, _CALLS, AT_ONCE)


def peak_of_this() -> float:
    """Return this process's peak memory in MB. ``ru_maxrss`` would also count the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the peak of every stack, or act as a child process."""
    parser = arguments.parser("benchmarks.memory", __doc__)
    parser.add_argument("--child", nargs=2, metavar=("NAME", "PORT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        name, port = args.child
        asyncio.run(_create(name, int(port)))
        print(peak_of_this())
        return
    arguments.require(parser, *arguments.BENCH)
    for name, megabytes in peaks().items():
        print(f"{name:28} {megabytes:7.1f} MB")


if __name__ == "__main__":
    main()
