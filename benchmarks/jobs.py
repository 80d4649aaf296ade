"""Cost of imports: CPU time of a row, and memory of a long import.

    python -m benchmarks.jobs --overhead [--rounds 5]
    python -m benchmarks.jobs --rows 1000000 [--marker]

``--overhead`` measures what a row costs on top of the bare create, ``--rows`` memory and CPU time of a long
import. Both run against a server that responds from memory, in a process set up like ``wosdk import``
(``tune_process``). The exit status is 1 if a limit is exceeded.
"""

from __future__ import annotations

import asyncio
import sys

from benchmarks.jobs_load import long_import, overhead
from tests.support import arguments
from wosdk_async.jobs import tune_process

_MAX_OVER = 80.0  # microseconds of CPU time
_MAX_MB = 200.0
_MAX_MORE_MB = 10.0  # after the first 50,000 rows
_MAX_GROWTH = 1.2


async def _overhead(rounds: int) -> bool:
    kept = True
    for marked in (False, True):
        found = await overhead(rounds, 20_000, marked=marked)
        kept &= found.over <= _MAX_OVER
        print(
            f"{'with' if marked else 'without'} a marker: a row {found.row:.0f} us CPU, a bare create "
            f"{found.create:.0f}, so {found.over:.0f} on top (at most {_MAX_OVER:.0f})",
            flush=True,
        )
    return kept


async def _rows(rows: int, marked: bool) -> bool:
    found = await long_import(rows, marked=marked)
    parts = ", ".join(f"{each:.0f}" for each in found.cpu_us)
    print(f"{rows:,} rows in {found.seconds:.0f} s; CPU us a row in each part: {parts}")
    print(f"last part to first: {found.growth:.2f} (at most {_MAX_GROWTH})")
    print(f"memory: {found.early_mb:.0f} MB early, {found.end_mb:.0f} MB at the end (below {_MAX_MB:.0f})")
    flat = found.end_mb - found.early_mb <= _MAX_MORE_MB
    return found.growth <= _MAX_GROWTH and found.end_mb < _MAX_MB and flat


def main() -> int:
    """Read the arguments and measure."""
    parser = arguments.parser("benchmarks.jobs", __doc__)
    parser.add_argument("--overhead", action="store_true", help="CPU time of a row on top of a create")
    parser.add_argument("--rounds", type=arguments.count, default=5, metavar="N", help="rounds of --overhead")
    parser.add_argument("--rows", type=arguments.count, metavar="N", help="rows of one long import")
    parser.add_argument("--marker", action="store_true", help="give the long import a marker")
    args = parser.parse_args()
    if not (args.overhead or args.rows):
        parser.error("choose --overhead or --rows N")
    kept = True
    tune_process()
    if args.overhead:
        kept &= asyncio.run(_overhead(args.rounds))
    if args.rows:
        kept &= asyncio.run(_rows(args.rows, args.marker))
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
