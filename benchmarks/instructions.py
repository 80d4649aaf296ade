"""Instructions of a create, counted by valgrind: a measure that other work on the machine does not change.

    python -m benchmarks.instructions [--uvloop] [--tls] [--stack floor] [--functions 30]
    python -m benchmarks.instructions --stack import

The figure is the difference between a run with many calls and a run with few, divided by the difference in
calls; 100 calls run at once. Imports, opening connections and work in the kernel do not count. A measurement
takes a minute. The stacks ``import`` and ``import-marked`` count a row of an import, 32 at once: the create,
and everything that the import does for the row in both of its threads. Needs wosdk_async[bench], and valgrind
on the path.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks import load
from benchmarks.cells import Cell
from benchmarks.jobs_load import import_once
from benchmarks.stacks import Target
from tests.support import arguments
from tests.support.import_files import write_requests
from wosdk_async.jobs import tune_process

_FEW, _MANY = 500, 2500
_NAMES = 2000  # the first rows of an import, whose addresses are looked up; later rows repeat them
_STACKS = {
    "ours": load.OURS,
    "floor": load.FLOOR,
    "floor-typed": load.FLOOR_TYPED,
    "aiohttp": load.AIOHTTP,
    "pyreqwest": load.PYREQWEST,
    "import": "a row of an import",
    "import-marked": "a row of an import with a marker",
}


def count(stack: str, cell: Cell) -> dict[str, float]:
    """Return the instructions per call, by function of the interpreter and its libraries."""
    with load.Server(tls=cell.tls) as server:
        more = _NAMES if stack.startswith("import") else 0
        few, many = (_run(stack, cell, server.target, calls + more) for calls in (_FEW, _MANY))
    return {name: (many[name] - few[name]) / (_MANY - _FEW) for name in many}


def _run(stack: str, cell: Cell, target: Target, calls: int) -> Counter[str]:
    """Make the calls in a child process under cachegrind, and return the instructions by function."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "out")
        counted = ["valgrind", "-q", "--tool=cachegrind", "--cache-sim=no"]
        counted += [f"--cachegrind-out-file={found}", f"--log-file={folder}/log"]  # its warnings
        shown = [] if target.certificate is None else ["--certificate", str(target.certificate)]
        child = ["--child", str(target.port), *shown, "--calls", str(calls), "--stack", stack]
        loop = ["--uvloop"] if cell.loop == "uvloop" else []
        if stack.startswith("import"):
            child += ["--rows", str(write_requests(Path(folder, "requests.csv"), calls))]
        subprocess.run([*counted, sys.executable, "-m", "benchmarks.instructions", *child, *loop], check=True)
        return _by_function(found)


def _by_function(output: Path) -> Counter[str]:
    """Read the file of cachegrind: a line for each function, then one for each of its source lines."""
    total: Counter[str] = Counter()
    name = ""
    for line in output.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("fn="):
            name = line[3:]
        elif line[:1].isdigit():
            total[name] += int(line.split()[1])
    return total


async def _make_calls(stack: str, target: Target, calls: int, rows: Path | None) -> load.Rounds:
    if rows is not None:
        tune_process()
        await import_once(target, rows, marked=stack == "import-marked")
        return load.Rounds([])
    async with load.open_stacks(target, load.AT_ONCE, [_STACKS[stack]]) as stacks:
        await load.drive(stacks[_STACKS[stack]], calls, load.AT_ONCE)
    return load.Rounds([])


def main() -> None:
    """Read the arguments and count."""
    parser = arguments.parser("benchmarks.instructions", __doc__)
    parser.add_argument("--stack", choices=list(_STACKS), default="ours", help="the client that is measured")
    parser.add_argument("--uvloop", action="store_true", help="on uvloop's event loop")
    parser.add_argument("--tls", action="store_true", help="over https")
    parser.add_argument("--functions", type=int, default=0, metavar="N", help="show the N that cost most")
    parser.add_argument("--child", type=int, metavar="PORT", help=argparse.SUPPRESS)
    parser.add_argument("--certificate", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--calls", type=arguments.count, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    cell = Cell("uvloop" if args.uvloop else "asyncio", tls=args.tls)
    if args.child:
        target = Target(args.child, args.certificate)
        cell.run(_make_calls(args.stack, target, args.calls, args.rows))
        return
    arguments.require(parser, *arguments.BENCH)
    if shutil.which("valgrind") is None:
        parser.error("valgrind is not on the path: install it, for example by apt-get install valgrind")
    found = count(args.stack, cell)
    print(f"{_STACKS[args.stack]}, {cell}: {sum(found.values()) / 1000:.1f} thousand instructions a call")
    for name, instructions in sorted(found.items(), key=lambda each: -each[1])[: args.functions]:
        print(f"{instructions:10.0f} {name}")


if __name__ == "__main__":
    main()
