"""Speed of the sandbox, and how it changes with a hundred times the records.

    python -m benchmarks.sandbox [--rows 100000] [--json OUT.json]

The sandbox serves a file store on one core; the calls come over loopback from another.

create_per_second     WoCreateCommand with 32 at once (at least 1,500)
create_cpu_us         CPU time of the server for one create
<case>_ratio          seconds of a call with --rows work orders, divided by those with 1,000 (limit 2)
rss_mb                memory of the server at the end
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.support import arguments
from tests.support.sandbox_process import Sandbox, Session

FEW, ROUNDS, AT_ONCE = 1000, 7, 32

Case = Callable[[int], Awaitable[object]]


def cases(session: Session, rows: int) -> dict[str, Case]:
    """Return the cases by name. Each makes one call; its argument is the index of an old or new order."""
    page = {"Count": 50}
    in_order = {"Orders": [{"PropertyName": "Id", "OrderType": "Ascending"}]}

    async def create(index: int) -> None:
        await session.create(PoNumber=f"PO-{rows + index}")

    async def found(name: str, text: str) -> None:
        (row,) = await session.query((name, "Equal", text))
        assert row[name] == text

    async def paged(index: int, *conditions: tuple[str, str, object]) -> None:
        after = min(index, rows - 50)
        made = await session.query(*conditions, ("Id", "GreaterThan", after), **page, **in_order)
        assert [row["Id"] for row in made] == list(range(after + 1, after + 51))

    async def first(_index: int, name: str, value: object) -> None:
        assert len(await session.query((name, "Equal", value), **page)) == 50

    return {
        "create": create,
        "retrieve": lambda index: session.call(f"base/WorkOrder/{index + 1}", None, "GET"),
        "by Number": lambda index: found("Number", f"RSC{index + 1:06d}"),
        "by PoNumber": lambda index: found("PoNumber", f"PO-{index}"),
        "StatusId, 50 rows": lambda index: first(index, "StatusId", "New"),
        "Customer.Id, 50 rows": lambda index: first(index, "Customer.Id", 512),
        "page of 50 after an Id": lambda index: paged(index),
        "the same of a StatusId": lambda index: paged(index, ("StatusId", "Equal", "New")),
    }


async def measure(sandbox: Sandbox, rows: int) -> dict[str, float]:
    """Return the median seconds of each case, one call at a time; the cases take turns."""
    took: dict[str, list[float]] = {}
    rng = random.Random(1)
    async with Session(sandbox.variables, sandbox.port, 1) as session:
        for turn in range(ROUNDS + 1):
            for name, case in cases(session, rows).items():
                new = name == "create"
                indexes = range(turn * 20, turn * 20 + 20) if new else rng.sample(range(rows), 40)
                seconds = await session.drive(case, indexes) / len(indexes)
                if turn:  # the first turn builds the indexes
                    took.setdefault(name, []).append(seconds)
    return {name: statistics.median(values) for name, values in took.items()}


async def fill(sandbox: Sandbox, start: int, rows: int) -> float:
    """Create the orders ``start`` to ``rows``; return the seconds."""
    async with Session(sandbox.variables, sandbox.port, AT_ONCE) as session:
        return await session.drive(lambda index: session.create(PoNumber=f"PO-{index}"), range(start, rows))


async def speed(sandbox: Sandbox, calls: int = 3000, rounds: int = 5) -> dict[str, float]:
    """Measure creates per second, and the server's CPU time per create."""
    rates, costs = [], []
    async with Session(sandbox.variables, sandbox.port, AT_ONCE) as session:
        await session.drive(session.post_order, range(500))
        for _ in range(rounds):
            cpu = sandbox.cpu()
            rates.append(calls / await session.drive(session.post_order, range(calls)))
            costs.append((sandbox.cpu() - cpu) / calls * 1e6)
    return {"create_per_second": statistics.median(rates), "create_cpu_us": statistics.median(costs)}


async def growth(sandbox: Sandbox, rows: int) -> dict[str, float]:
    """Measure each case with few and with many records; return the ratios."""
    found = {}
    await fill(sandbox, 0, FEW)
    few = await measure(sandbox, FEW)
    held = FEW + 20 * (ROUNDS + 1)  # `measure` has created some
    print(f"making {rows} work orders: {await fill(sandbox, held, rows):.0f} s")
    large = await measure(sandbox, rows)
    print(f"\n{'one call, ms':28} {FEW:>9} {rows:>9}    ratio")
    for name, seconds in few.items():
        found[f"{name}_ratio"] = large[name] / seconds
        print(f"{name:28} {seconds * 1e3:9.2f} {large[name] * 1e3:9.2f} {large[name] / seconds:8.2f}")
    return found


async def figures(rows: int) -> dict[str, float]:
    """Measure and print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        with Sandbox(Path(folder) / "speed.db") as sandbox:
            found = await speed(sandbox)
            print(f"creates: {found['create_per_second']:.0f} a second, {found['create_cpu_us']:.0f} us CPU")
        with Sandbox(Path(folder) / "growth.db") as sandbox:
            found |= await growth(sandbox, rows)
            found["rss_mb"] = sandbox.rss() / 1e6
            print(f"memory of the server: {found['rss_mb']:.0f} MB")
    return found


def main() -> None:
    """Read the arguments, measure, and write the figures."""
    parser = arguments.parser("benchmarks.sandbox", __doc__)
    parser.add_argument(
        "--rows", type=arguments.count, default=100_000, metavar="N", help="orders of the large store"
    )
    arguments.add_json(parser)
    args = parser.parse_args()
    cores = os.sched_getaffinity(0)
    if len(cores) > 1:  # the server runs on the last core
        os.sched_setaffinity(0, cores - {max(cores)})
    found = asyncio.run(figures(args.rows))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
