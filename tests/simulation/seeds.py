"""Command of a simulation: run many seeds, replay one, or put faults back that must be found."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable

from tests.simulation.reverts import Reverts
from tests.support import arguments


def run_command(
    parser: argparse.ArgumentParser,
    violations: Callable[[int], list[str]],
    events: Callable[[int], tuple[Iterable[object], list[str]]],
    faults: Reverts,
    most: int,
) -> int:
    """Read the arguments, simulate, and return the exit status.

    Args:
        parser: parser of the command; this function adds the arguments.
        violations: returns the violations of a seed, as ``name`` or ``name: details``.
        events: returns the events and the violations of a seed.
        faults: faults that can be put back.
        most: maximum number of seeds for each fault.
    """
    parser.add_argument("--seeds", type=arguments.count, default=200, metavar="N", help="seeds to run")
    parser.add_argument("--first", type=arguments.count, default=1, metavar="N", help="the first one")
    parser.add_argument("--seed", type=arguments.count, metavar="N", help="replay one seed")
    parser.add_argument("--faults", action="store_true", help="put faults back")
    args = parser.parse_args()
    if args.faults:
        return faults.find_each(lambda seed: _names(violations(seed)), range(args.first, args.first + most))
    if args.seed is not None:
        seen, found = events(args.seed)
        print(*seen, *found, sep="\n")
        return int(bool(found))
    began, names = time.monotonic(), Counter[str]()
    for seed in range(args.first, args.first + args.seeds):
        if found := violations(seed):
            print(f"seed {seed}: {'; '.join(found[:3])}", flush=True)
            names.update(_names(found))
    print(f"{args.seeds} seeds, {names.total()} violations {dict(names)}, {time.monotonic() - began:.0f} s")
    return int(bool(names))


def _names(found: list[str]) -> set[str]:
    return {each.partition(":")[0] for each in found}
