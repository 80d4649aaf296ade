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
