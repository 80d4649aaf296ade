"""What the package costs beside what it is compared with.

    python -m benchmarks [--quick] [--json OUT.json]

CPU time of this process, median of rounds in which the cases take turns, so that a slow
moment of the machine meets all of them. Needs ``pip install wosdk_async[bench]``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import codec

ROUND = 0.02  # seconds that a case runs in each round: the clock counts in much smaller steps


def measure(cases: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of CPU time that each case takes, by name."""
    times = {name: max(1, int(ROUND / _once(case, 50))) for name, case in cases.items()}
    took: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            took[name].append(_once(case, times[name]))
    return {name: statistics.median(values) for name, values in took.items()}


def _once(case: Callable[[], object], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        case()
    return max((time.process_time() - start) / times, 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="where to write the ratios")
    args = parser.parse_args()
    took = measure(codec.cases(), rounds=21 if args.quick else 101)
    for name, seconds in took.items():
        print(f"{name:36} {seconds * 1e6:8.1f} us")
    found = {name: round(value, 3) for name, value in codec.ratios(took).items()}
    for name, value in found.items():
        print(f"{name:36} {value:8.3f}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
