"""Check that a killed sandbox keeps everything that it has acknowledged.

    python -m tests.chaos.sandbox_kills [--times 50] [--seed 1]

Sixteen callers create and update work orders. After a random number of orders, the server gets SIGKILL and is
restarted on the same file. It must return every order whose response had arrived.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import tempfile
from pathlib import Path

import attrs

from tests.support import arguments
from tests.support.sandbox_process import Sandbox, Session

AT_ONCE = 16


@attrs.define
class Acknowledged:
    """Orders whose responses arrived: ``numbers`` by id, and ``changed``, the PO numbers they may have."""

    numbers: dict[int, str] = attrs.field(factory=dict)
    changed: dict[int, set[str]] = attrs.field(factory=dict)
    wanted: int = 0
    enough: asyncio.Event = attrs.field(factory=asyncio.Event)

    def note(self, key: int, number: str) -> set[str]:
        """Add an order, and return the set of its possible PO numbers."""
        self.numbers[key] = number
        if len(self.numbers) >= self.wanted:
            self.enough.set()
        return self.changed.setdefault(key, {"first"})


async def kill_once(store: Path, acknowledged: Acknowledged, orders: int) -> None:
    """Serve the store, and kill the server while it writes, after ``orders`` more orders."""
    enough = asyncio.Event()
    acknowledged.wanted, acknowledged.enough = len(acknowledged.numbers) + orders, enough
    with Sandbox(store, preloaded=True) as sandbox:
        async with Session(sandbox.variables, sandbox.port, AT_ONCE) as session:
            work = [asyncio.create_task(_write(session, acknowledged, caller)) for caller in range(AT_ONCE)]
            ended = asyncio.create_task(enough.wait())
            await asyncio.wait([ended, *work], return_when=asyncio.FIRST_COMPLETED)
            sandbox.process.kill()
            for task in (ended, *work):
                task.cancel()
            ends = await asyncio.gather(*work, return_exceptions=True)
            assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends


async def _write(session: Session, acknowledged: Acknowledged, caller: int) -> None:
    turn = 0
    while True:
        turn += 1
        made = await session.create(PoNumber="first")
        possible = acknowledged.note(made["Id"], made["Number"])
        text = f"{caller}-{turn}"
        possible.add(text)  # the server may write this text and die before it responds
        entity = {"Id": made["Id"], "PoNumber": text}
        await session.call("base/WorkOrder", {"Entity": entity, "Properties": ["PoNumber"]}, "PUT")
        possible.discard("first")


async def find_lost(store: Path, acknowledged: Acknowledged) -> list[str]:
    """Return the acknowledged orders that the store has lost or changed."""
    found: dict[int, dict[str, str]] = {}
    with Sandbox(store, preloaded=True) as sandbox:
        async with Session(sandbox.variables, sandbox.port, 1) as session:
            while page := await session.query(("Id", "GreaterThan", max(found, default=0)), Count=4000):
                found |= {row["Id"]: row for row in page}
            again = await session.create()
    mistakes = [f"{again['Number']} was given twice"] if again["Id"] in found else []
    for key, number in acknowledged.numbers.items():
        row = found.get(key)
        if row is None or row["Number"] != number or row["PoNumber"] not in acknowledged.changed[key]:
            mistakes.append(f"work order {key}: {row}")
    return mistakes


def check_file(store: Path) -> str:
    """Return ``ok``, or an error of the file: from SQLite's own check, or about incomplete orders."""
    db = sqlite3.connect(store)
    counts = {
        db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        for name in ("WorkOrder", "WorkOrderCost", "WoLastAction", "WoItem", "WoActionLog")
    }
    found = str(db.execute("PRAGMA integrity_check").fetchone()[0])
    db.close()
    return found if len(counts) == 1 else f"orders written by half: {counts}"


async def kill_often(times: int, seed: int) -> int:
    rng, acknowledged, mistakes = random.Random(seed), Acknowledged(), 0
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "killed.db"
        for turn in range(times):
            await kill_once(store, acknowledged, rng.randrange(1, 500))
            missing = await find_lost(store, acknowledged)
            mistakes += len(missing)
            print(
                f"kill {turn + 1}: {len(acknowledged.numbers)} acknowledged, {len(missing)} lost",
                *missing[:3],
            )
        state = check_file(store)
    print(
        f"{times} kills, {len(acknowledged.numbers)} orders acknowledged, {mistakes} lost; the file: {state}"
    )
    return mistakes + (state != "ok")


def main() -> None:
    parser = arguments.parser("tests.chaos.sandbox_kills", __doc__)
    parser.add_argument("--times", type=arguments.count, default=50, help="how often the server is killed")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments at which it is killed")
    args = parser.parse_args()
    raise SystemExit(1 if asyncio.run(kill_often(args.times, args.seed)) else 0)


if __name__ == "__main__":
    main()
