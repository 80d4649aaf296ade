"""A job on many workers on virtual time: seeds, the replay of one, and faults that are put back.

    python -m tests.simulation.workers --seeds 20000 [--first 1]
    python -m tests.simulation.workers --seed 4711     # replay one, with all its events
    python -m tests.simulation.workers --faults        # put faults back, one by one: is each found?

Each seed draws a job on one to four workers, and what happens to it: workers are killed, stand still beyond
their leases and wake, are cut off or made again; the coordinator is killed, stands still or is stopped; one
row may kill its workers; messages are lost, late and repeated; the service is slow, resets connections and
asks to wait. The lease logic of both sides is the real one. Exit status 1 when a promise was broken, or a
fault was not found.
"""

from __future__ import annotations

import sys
import time

from tests.simulation.workers.faults import FAULTS
from tests.simulation.workers.scenario import Scenario, violations
from tests.support import arguments

_MAX_SEEDS = 3000  # for a fault that is put back


def _run_seeds(first: int, number: int) -> int:
    began = time.monotonic()
    for seed in range(first, first + number):
        if found := violations(seed):
            print(f"seed {seed}: {', '.join(sorted(set(found)))}")
            return 1
    print(f"{number} seeds, nothing broken, {time.monotonic() - began:.0f} s")
    return 0


def _replay(seed: int) -> int:
    scenario = Scenario(seed)
    found = scenario.run()
    print(scenario.world.plan, *scenario.world.events, sep="\n")
    return int(bool(found))


def main() -> int:
    """Read the arguments and simulate."""
    parser = arguments.parser("tests.simulation.workers", __doc__)
    parser.add_argument("--seeds", type=arguments.count, default=1000, metavar="N", help="seeds to run")
    parser.add_argument("--first", type=arguments.count, default=1, metavar="N", help="the first one")
    parser.add_argument("--seed", type=arguments.count, metavar="N", help="replay one seed")
    parser.add_argument("--faults", action="store_true", help="put faults back")
    args = parser.parse_args()
    if args.seed is not None:
        return _replay(args.seed)
    if args.faults:
        return FAULTS.find_each(violations, range(1, _MAX_SEEDS))
    return _run_seeds(args.first, args.seeds)


if __name__ == "__main__":
    sys.exit(main())
