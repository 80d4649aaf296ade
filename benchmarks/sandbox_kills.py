"""What a killed sandbox has kept: everything that it answered.

    python -m benchmarks.sandbox_kills [--times 50] [--seed 1]

Sixteen callers make work orders and change them; after a random number the server gets SIGKILL, starts
again on the same file, and is asked for all that was answered.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import tempfile
from pathlib import Path

import attrs

from benchmarks.sandbox_server import Sandbox, Session

__all__ = ["Answered", "killed_once", "lost", "sound"]

AT_ONCE = 16


@attrs.define
class Answered:
    """What the callers were told: the order's number by id, and the PO numbers it may have now."""

    numbers: dict[int, str] = attrs.field(factory=dict)
    changed: dict[int, set[str]] = attrs.field(factory=dict)
    wanted: int = 0
    enough: asyncio.Event = attrs.field(factory=asyncio.Event)

    def note(self, key: int, number: str) -> set[str]:
        """One more order; its PO numbers."""
        self.numbers[key] = number
        if len(self.numbers) >= self.wanted:
            self.enough.set()
        return self.changed.setdefault(key, {"first"})


async def killed_once(store: Path, answered: Answered, orders: int) -> None:
    """Serve the store, and kill the server in the middle of writing.

    Args:
        orders: how many more of them are answered before.
    """
    enough = asyncio.Event()
    answered.wanted, answered.enough = len(answered.numbers) + orders, enough
    with Sandbox(store) as sandbox:
        async with Session(sandbox.variables, sandbox.port, AT_ONCE) as session:
            work = [asyncio.create_task(_write(session, answered, caller)) for caller in range(AT_ONCE)]
            ended = asyncio.create_task(enough.wait())
            await asyncio.wait([ended, *work], return_when=asyncio.FIRST_COMPLETED)
            sandbox.process.kill()
            for task in (ended, *work):
                task.cancel()
            ends = await asyncio.gather(*work, return_exceptions=True)
            assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends


async def _write(session: Session, answered: Answered, caller: int) -> None:
    turn = 0
    while True:
        turn += 1
        made = await session.create(PoNumber="first")
        possible = answered.note(made["Id"], made["Number"])
        text = f"{caller}-{turn}"
        possible.add(text)  # it may be written without being answered
        entity = {"Id": made["Id"], "PoNumber": text}
        await session.call("base/WorkOrder", {"Entity": entity, "Properties": ["PoNumber"]}, "PUT")
        possible.discard("first")


async def lost(store: Path, answered: Answered) -> list[str]:
    """What was answered and is not there."""
    found: dict[int, dict[str, str]] = {}
    with Sandbox(store) as sandbox:
        async with Session(sandbox.variables, sandbox.port, 1) as session:
            while page := await session.query(("Id", "GreaterThan", max(found, default=0)), Count=4000):
                found |= {row["Id"]: row for row in page}
            again = await session.create()
    mistakes = [f"{again['Number']} was given twice"] if again["Id"] in found else []
    for key, number in answered.numbers.items():
        row = found.get(key)
        if row is None or row["Number"] != number or row["PoNumber"] not in answered.changed[key]:
            mistakes.append(f"work order {key}: {row}")
    return mistakes


def sound(store: Path) -> str:
    """``ok``, or what is wrong with the file: with SQLite's own check, and with half written orders."""
    db = sqlite3.connect(store)
    counts = {
        db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        for name in ("WorkOrder", "WorkOrderCost", "WoLastAction", "WoItem", "WoActionLog")
    }
    found = str(db.execute("PRAGMA integrity_check").fetchone()[0])
    db.close()
    return found if len(counts) == 1 else f"half written orders: {counts}"


async def repeated(times: int, seed: int) -> int:
    """Kill a server ``times`` times; how much was lost."""
    chance, answered, mistakes = random.Random(seed), Answered(), 0
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "killed.db"
        for turn in range(times):
            await killed_once(store, answered, chance.randrange(1, 500))
            missing = await lost(store, answered)
            mistakes += len(missing)
            print(f"kill {turn + 1}: {len(answered.numbers)} answered, {len(missing)} lost", *missing[:3])
        state = sound(store)
    print(f"{times} kills, {len(answered.numbers)} orders answered, {mistakes} lost; the file: {state}")
    return mistakes + (state != "ok")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sandbox_kills",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--times", type=int, default=50, help="how often the server is killed")
    parser.add_argument("--seed", type=int, default=1, help="of the moments at which it is")
    args = parser.parse_args()
    raise SystemExit(1 if asyncio.run(repeated(args.times, args.seed)) else 0)


if __name__ == "__main__":
    main()
