"""Command ``python -m tests.simulation.client``: see docs/simulation.md."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter

from tests.simulation.client.generate import generate_plan
from tests.simulation.client.plan import as_text
from tests.simulation.client.reverts import REVERTS
from tests.simulation.client.runs import Result, run
from tests.simulation.client.shrink import shrink_plan
from tests.support import arguments


def main() -> int:
    parser = arguments.parser("tests.simulation.client", "Client and service on virtual time, seed by seed.")
    parser.add_argument(
        "--seeds", type=arguments.count, default=1000, metavar="N", help="how many seeds to run"
    )
    parser.add_argument("--start", type=int, default=0, metavar="N", help="number of the first seed")
    parser.add_argument("--seed", type=int, metavar="N", help="replay this seed and print every event")
    parser.add_argument("--name", default="", help="the violation to replay, if a seed has several")
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first seed that fails")
    parser.add_argument("--twice", action="store_true", help="run every seed twice and compare the events")
    parser.add_argument("--no-shrink", action="store_true", help="do not make a plan that fails smaller")
    parser.add_argument("--revert", choices=sorted(REVERTS), help="put a fixed fault back")
    parser.add_argument(
        "--reverts",
        action="store_true",
        help="put each fixed fault back and count the seeds until one finds it",
    )
    options = parser.parse_args()
    if options.reverts:
        seeds = range(options.start, options.start + options.seeds)
        return REVERTS.find_each(lambda seed: run(generate_plan(seed)).names, seeds)
    fault = REVERTS[options.revert].apply() if options.revert else contextlib.nullcontext()
    with fault:
        if options.seed is not None:
            return replay(options.seed, options.name, shrink=not options.no_shrink)
        return campaign(options)


def campaign(options: argparse.Namespace) -> int:
    """Run many seeds and print their outcomes and violations; return 1 after a violation."""
    begun, done = time.monotonic(), 0
    failed: dict[str, list[int]] = {}
    outcomes: Counter[str] = Counter()
    windows: Counter[str] = Counter()
    for seed in range(options.start, options.start + options.seeds):
        result = run(generate_plan(seed))
        done += 1
        outcomes += result.outcomes
        windows += result.windows
        names = result.names
        if options.twice and run(generate_plan(seed)).digest != result.digest:
            names.append("other-events-the-second-time")
        for name in names:
            failed.setdefault(name, []).append(seed)
        if failed and not options.go_on:
            break
    seconds = time.monotonic() - begun
    print(f"{done} seeds from {options.start} in {seconds:.1f} s: {done / seconds:.0f} seeds/s")
    print("outcomes: " + ", ".join(f"{count} {kind}" for kind, count in outcomes.most_common()))
    for window, count in windows.items():
        print(f"documented window: {window}: {count}")
    for name, seeds in failed.items():
        after = seeds[0] - options.start + 1
        print(f"VIOLATION {name}: {len(seeds)} seeds, the first after {after}: {seeds[:5]}")
    if not failed:
        print("no violation")
        return 0
    if not options.go_on:
        seed = next(iter(failed.values()))[0]
        explain(seed, options.name, shrink=not options.no_shrink)
        revert = f" --revert {options.revert}" if options.revert else ""
        print(f"replay: python -m tests.simulation.client --seed {seed}{revert}")
    return 1


def replay(seed: int, name: str, *, shrink: bool) -> int:
    result = explain(seed, name, shrink=shrink)
    print(f"digest {result.digest}, {result.steps} callbacks, {result.seconds:.1f} virtual seconds")
    return 1 if result.violations else 0


def explain(seed: int, name: str, *, shrink: bool) -> Result:
    """Print the plan and events of a seed; if the plan fails, shrink it first."""
    plan = generate_plan(seed)
    result = run(plan)
    if result.violations and shrink:
        wanted = name if name in result.names else result.names[0]
        plan = shrink_plan(plan, lambda smaller: wanted in run(smaller).names)
    result = run(plan, keep=True)
    print("\n".join(result.events))
    print(as_text(plan))
    for violation in result.violations:
        print(f"VIOLATION {violation.name}: {violation.text}")
    return result


if __name__ == "__main__":
    sys.exit(main())
