"""Run jobs on many workers on virtual time.

    python -m benchmarks.cluster_simulated --seeds 1000 [--start 0] [--go-on] [--twice]
    python -m benchmarks.cluster_simulated --seed 4711 [--revert NAME]
    python -m benchmarks.cluster_simulated --reverts [--seeds 300]

The first runs so many seeds and stops at the first that breaks a promise. The second runs one again and
prints all events. The third puts faults back, one at a time, and prints which seed finds each.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter

from benchmarks.cluster_simulated.drawing import draw
from benchmarks.cluster_simulated.reverts import REVERTS
from benchmarks.cluster_simulated.runs import run

__all__: list[str] = []


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=300, metavar="N")
    parser.add_argument("--start", type=int, default=0, metavar="SEED")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first violation")
    parser.add_argument("--twice", action="store_true", help="run every seed twice and compare all events")
    parser.add_argument("--revert", choices=[*REVERTS], metavar="NAME", help="put one fault back")
    parser.add_argument("--reverts", action="store_true", help="put back each fault, one at a time")
    options = parser.parse_args()
    if options.reverts:
        return try_reverts(options.start, options.seeds)
    with REVERTS[options.revert].apply() if options.revert else contextlib.nullcontext():
        if options.seed is not None:
            return replay(options.seed)
        return search(options)


def search(options: argparse.Namespace) -> int:
    """Run seeds until one breaks a promise, or all with ``--go-on``."""
    facts, states, failed = Counter[str](), Counter[str](), dict[str, list[int]]()
    begun = time.monotonic()
    done = 0
    for seed in range(options.start, options.start + options.seeds):
        result = run(draw(seed))
        done += 1
        facts += result.facts
        states.update({state.name: count for state, count in result.states.items()})
        names = result.names
        if options.twice and run(draw(seed)).digest != result.digest:
            names.append("other-events-the-second-time")
        for name in names:
            failed.setdefault(name, []).append(seed)
        if failed and not options.go_on:
            print("\n".join(f"VIOLATION {name}: {text}" for name, text in result.violations))
            break
    seconds = time.monotonic() - begun
    print(f"{done} seeds from {options.start} in {seconds:.1f} s: {done / seconds:.1f} seeds/s")
    print("rows: " + ", ".join(f"{count} {state}" for state, count in states.most_common()))
    print("what happened: " + ", ".join(f"{count} {what}" for what, count in facts.most_common()))
    for name, seeds in failed.items():
        print(f"VIOLATION {name}: {len(seeds)} seeds: {seeds[:8]}")
    if not failed:
        print("no violation")
    return 1 if failed else 0


def replay(seed: int) -> int:
    """Run one seed and print its plan and events; return 1 after a violation."""
    plan = draw(seed)
    result = run(plan)
    print(plan)
    print("\n".join(result.events))
    print(f"digest {result.digest}, {result.seconds:.1f} virtual seconds")
    for name, text in result.violations:
        print(f"VIOLATION {name}: {text}")
    return 1 if result.violations else 0


def try_reverts(start: int, seeds: int) -> int:
    """Put each fault back and print which seed finds it; return 1 if one is missed."""
    missed = 0
    print("| fault put back | what goes wrong | found at seed | as |\n|---|---|---:|---|")
    for name, revert in REVERTS.items():
        found = find(name, start, seeds)
        missed += found is None
        seed, names = found or ("none", [f"NOT FOUND in {seeds}"])
        print(f"| {name} | {revert.text} | {seed} | {', '.join(names)} |", flush=True)
    return 1 if missed else 0


def find(name: str, start: int, seeds: int) -> tuple[int, list[str]] | None:
    """Return the first seed that finds a fault, and its violations as expected; None if it is missed."""
    revert = REVERTS[name]
    for seed in range(start, start + seeds):
        with revert.apply():
            names = run(draw(seed)).names
        if shown := revert.shows.intersection(names):
            return seed, sorted(shown)
    return None


if __name__ == "__main__":
    sys.exit(main())
