"""Random walks of imports on virtual time: seeds, the replay of one, and rules that are broken.

    python -m tests.simulation.walks --seeds 2000 [--first 1]
    python -m tests.simulation.walks --seed 4711     # replay one, with all its steps
    python -m tests.simulation.walks --faults        # break the rules, one by one: is each found?

Each seed draws a table, a map and what a user does: run, edit, append, sort, add a column, correct rejects in
place or in a copy, undo, settle, change the map, choose options; the service refuses, loses requests and
responses, and programs are killed. Its records are the judge. Exit status 1 when a row was doubled, lost or
counted wrongly, or a broken rule was not found.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.simulation.walks.faults import FAULTS
from tests.simulation.walks.walk import violations
from tests.support import arguments

_MAX_SEEDS = 1000  # for a rule that is broken


def _run_seeds(first: int, number: int) -> int:
    began, names = time.monotonic(), Counter[str]()
    for seed in range(first, first + number):
        if found := violations(seed):
            print(f"seed {seed}: {'; '.join(found[:3])}", flush=True)
            names.update({each.partition(":")[0] for each in found})
    print(f"{number} walks, {names.total()} violations {dict(names)}, {time.monotonic() - began:.0f} s")
    return int(bool(names))


def _names(seed: int) -> set[str]:
    return {each.partition(":")[0] for each in violations(seed)}


def _replay(seed: int) -> int:
    found = violations(seed, say=print)
    print(*found, sep="\n")
    return int(bool(found))


def main() -> int:
    """Read the arguments and walk."""
    parser = arguments.parser("tests.simulation.walks", __doc__)
    parser.add_argument("--seeds", type=arguments.count, default=200, metavar="N", help="walks to carry out")
    parser.add_argument("--first", type=arguments.count, default=1, metavar="N", help="the first one")
    parser.add_argument("--seed", type=arguments.count, metavar="N", help="replay one walk")
    parser.add_argument("--faults", action="store_true", help="break the rules")
    args = parser.parse_args()
    if args.faults:
        return FAULTS.find_each(_names, range(args.first, args.first + _MAX_SEEDS))
    if args.seed is not None:
        return _replay(args.seed)
    return _run_seeds(args.first, args.seeds)


if __name__ == "__main__":
    sys.exit(main())
