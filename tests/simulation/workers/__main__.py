"""A job on many workers on virtual time: run seeds, replay one, or put faults back that must be found.

    python -m tests.simulation.workers --seeds 20000 [--first 1]
    python -m tests.simulation.workers --seed 4711     # replay one, with all its events
    python -m tests.simulation.workers --faults        # put faults back, one by one: is each found?

Each seed draws a job on one to four workers, and its faults: workers are killed, stall beyond their leases,
are cut off or recreated; the coordinator is killed, stalls or is stopped; one row may kill its workers;
messages are lost, late and repeated; the service is slow, resets connections and asks to wait. Both sides use
the real lease logic. The exit status is 1 if a promise was broken, or a fault was not found.
"""

from __future__ import annotations

import sys

from tests.simulation.seeds import run_command
from tests.simulation.workers.faults import FAULTS
from tests.simulation.workers.scenario import Scenario, violations
from tests.support import arguments


def _events(seed: int) -> tuple[list[object], list[str]]:
    scenario = Scenario(seed)
    found = scenario.run()
    return [scenario.world.plan, *scenario.world.events], found


if __name__ == "__main__":
    PARSER = arguments.parser("tests.simulation.workers", __doc__)
    sys.exit(run_command(PARSER, violations, _events, FAULTS, 3000))
