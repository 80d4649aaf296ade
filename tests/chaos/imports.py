"""Imports in real processes under ``kill -9``: the promise that no row is lost or sent twice.

    python -m tests.chaos.imports [--kills 50] [--seed 1]

Imports run in their own processes, started by ``wosdk import`` and from Python. They are killed at random
moments: while they plan, create references, send the first row, send other rows, settle, or write files. The
sandbox in another process resets connections after its commit, commits late, and responds with a gateway's
page. Each
import is repeated until it is finished; then its journal is compared with the store, once with a marker and
once without. The exit status is 1 if a promise is broken.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.chaos.import_kills import Killing, kill_imports
from tests.support import arguments
from wosdk_async.jobs import tune_process


async def _kills(kills: int, seed: int) -> bool:
    kept = True
    for marked in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            found = await kill_imports(kills, marked=marked, seed=seed, folder=Path(folder))
        name = "with a marker" if marked else "without a marker"
        print(f"## {name}, seed {seed}\n\n{_table(found)}\n", flush=True)
        kept &= not found.broken
    return kept


def _table(found: Killing) -> str:
    figures = {"imports": found.jobs, "kills": found.kills.total()}
    figures |= {f"killed: {moment}": number for moment, number in sorted(found.kills.items())}
    figures |= {f"rows {state.name}": number for state, number in sorted(found.states.items())}
    figures |= {"in doubt and in the store": found.there, "most rows in sending": found.most_sending}
    figures |= {f"injected: {kind}": number for kind, number in sorted(found.injected.items())}
    figures |= {"broken promises": len(found.broken), "seconds": round(found.seconds)}
    return "\n".join([arguments.table(("what", "number"), figures.items()), *found.broken[:20]])


def main() -> int:
    parser = arguments.parser("tests.chaos.imports", __doc__)
    parser.add_argument(
        "--kills", type=arguments.count, default=50, metavar="N", help="kills in each of the two modes"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the moments of the kills")
    args = parser.parse_args()
    tune_process()
    return int(not asyncio.run(_kills(args.kills, args.seed)))


if __name__ == "__main__":
    sys.exit(main())
