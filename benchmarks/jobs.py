"""Imports: the promise under ``kill -9``, and their cost.

    python -m benchmarks.jobs --kills 50 [--seed 1]
    python -m benchmarks.jobs --every-kill
    python -m benchmarks.jobs --overhead [--rounds 5]
    python -m benchmarks.jobs --rows 1000000

``--kills`` begins imports in processes of their own, by the command and from Python, and kills them at random
moments: while they plan, create references, send the first row, send others, settle, or write their files.
The sandbox in another process resets connections after its commit, commits late, and responds with a
gateway's page. Each import is begun again until it is finished; then its journal is compared with the store,
once with a marker and once without. ``--every-kill`` kills an import on virtual time before and after every
commit and every request, each in a run of its own, with the same checks. ``--overhead`` measures what a row
costs on top of the bare create, and ``--rows`` memory and CPU time of a long import, both against a server
that responds from memory, in a process that is set up as ``wosdk import`` does it (``tune_process``). The
exit status is 1 when a promise was broken or a limit missed.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from benchmarks import arguments
from benchmarks.jobs_kills import Killing, kill_imports
from benchmarks.jobs_load import long_import, overhead
from benchmarks.jobs_simulated import break_by_kills
from wosdk_async.jobs import tune_process

__all__: list[str] = []

_MOST_OVER = 80.0  # microseconds of CPU time
_MOST_MB = 200.0
_MOST_MORE_MB = 10.0  # after the first 50,000 rows
_MOST_GROWTH = 1.2


async def _kills(kills: int, seed: int) -> bool:
    kept = True
    for marked in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            found = await kill_imports(kills, marked=marked, seed=seed, folder=Path(folder))
        name = "with a marker" if marked else "without a marker"
        print(f"## {name}, seed {seed}\n\n{_table(found)}\n", flush=True)
        kept &= not found.broken
    return kept


def _every_kill() -> bool:
    kept = True
    for marked in (True, False):
        found = dict(break_by_kills(marked=marked))
        broken = {kill: names for kill, names in found.items() if names}
        name = "with a marker" if marked else "without a marker"
        print(f"{name}: killed at each of {len(found)} points, {len(broken)} broke a promise", flush=True)
        for kill, names in broken.items():
            print(f"  point {kill}: {'; '.join(names)}")
        kept &= not broken
    return kept


def _table(found: Killing) -> str:
    figures = {"imports": found.jobs, "kills": found.kills.total()}
    figures |= {f"killed: {moment}": number for moment, number in sorted(found.kills.items())}
    figures |= {f"rows {state.name}": number for state, number in sorted(found.states.items())}
    figures |= {"in doubt and in the store": found.there, "most rows in sending": found.most_sending}
    figures |= {f"injected: {kind}": number for kind, number in sorted(found.injected.items())}
    figures |= {"broken promises": len(found.broken), "seconds": round(found.seconds)}
    rows = [
        "| what | number |",
        "|---|---:|",
        *(f"| {what} | {number} |" for what, number in figures.items()),
    ]
    return "\n".join([*rows, *found.broken[:20]])


async def _overhead(rounds: int) -> bool:
    kept = True
    for marked in (False, True):
        found = await overhead(rounds, 20_000, marked=marked)
        kept &= found.over <= _MOST_OVER
        print(
            f"{'with' if marked else 'without'} a marker: a row {found.row:.0f} us CPU, a bare create "
            f"{found.create:.0f}, so {found.over:.0f} on top (at most {_MOST_OVER:.0f})",
            flush=True,
        )
    return kept


async def _rows(rows: int, marked: bool) -> bool:
    found = await long_import(rows, marked=marked)
    parts = ", ".join(f"{each:.0f}" for each in found.cpu_us)
    print(f"{rows:,} rows in {found.seconds:.0f} s; CPU us a row in each part: {parts}")
    print(f"last part to first: {found.growth:.2f} (at most {_MOST_GROWTH})")
    print(f"memory: {found.early_mb:.0f} MB early, {found.end_mb:.0f} MB at the end (below {_MOST_MB:.0f})")
    flat = found.end_mb - found.early_mb <= _MOST_MORE_MB
    return found.growth <= _MOST_GROWTH and found.end_mb < _MOST_MB and flat


def main() -> int:
    """Read the arguments and measure."""
    parser = arguments.parser("benchmarks.jobs", __doc__)
    parser.add_argument("--kills", type=arguments.count, metavar="N", help="kills in each of the two modes")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the moments of the kills")
    parser.add_argument("--every-kill", action="store_true", help="a kill at every point, on virtual time")
    parser.add_argument("--overhead", action="store_true", help="CPU time of a row on top of a create")
    parser.add_argument("--rounds", type=arguments.count, default=5, metavar="N", help="rounds of --overhead")
    parser.add_argument("--rows", type=arguments.count, metavar="N", help="rows of one long import")
    parser.add_argument("--marker", action="store_true", help="give the long import a marker")
    args = parser.parse_args()
    if not (args.kills or args.every_kill or args.overhead or args.rows):
        parser.error("choose --kills N, --every-kill, --overhead or --rows N")
    kept = True
    tune_process()
    if args.kills:
        kept &= asyncio.run(_kills(args.kills, args.seed))
    if args.every_kill:
        kept &= _every_kill()
    if args.overhead:
        kept &= asyncio.run(_overhead(args.rounds))
    if args.rows:
        kept &= asyncio.run(_rows(args.rows, args.marker))
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
