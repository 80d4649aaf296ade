"""Random walks of imports on virtual time: run seeds, replay one, or break rules that must be found.

    python -m tests.simulation.walks --seeds 2000 [--first 1]
    python -m tests.simulation.walks --seed 4711     # replay one, with all its steps
    python -m tests.simulation.walks --faults        # break the rules, one by one: is each found?

Each seed draws a table, a map and the actions of a user: run, edit, append, sort, add a column, correct
rejects in place or in a copy, undo, settle, change the map, choose options. The service refuses rows, and
loses requests and responses; programs are killed. The service's records are the judge. The exit status is 1
if a row was doubled, lost or counted wrongly, or if a broken rule was not found.
"""

from __future__ import annotations

import sys

from tests.simulation.seeds import run_command
from tests.simulation.walks.faults import FAULTS
from tests.simulation.walks.walk import violations
from tests.support import arguments


def _events(seed: int) -> tuple[list[str], list[str]]:
    seen: list[str] = []
    return seen, violations(seed, say=seen.append)


if __name__ == "__main__":
    PARSER = arguments.parser("tests.simulation.walks", __doc__)
    sys.exit(run_command(PARSER, violations, _events, FAULTS, 1000))
