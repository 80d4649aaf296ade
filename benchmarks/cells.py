"""A create on asyncio and uvloop, over http and https: four cells."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import attrs

from benchmarks import load


@attrs.frozen
class Cell:
    """An event loop and a scheme."""

    loop: str
    tls: bool

    def __str__(self) -> str:
        return f"{self.loop}, {'https' if self.tls else 'http'}"

    @property
    def prefix(self) -> str:
        """Prefix of the cell's ratio names."""
        return ("uvloop_" if self.loop == "uvloop" else "") + ("tls_" if self.tls else "")

    def run(self, main: Coroutine[Any, Any, load.Rounds]) -> load.Rounds:
        """Run a coroutine on the loop."""
        return _RUNS[self.loop](main)


def _run_on_uvloop(main: Coroutine[Any, Any, load.Rounds]) -> load.Rounds:
    import uvloop

    found: load.Rounds = uvloop.run(main)
    return found


_RUNS: dict[str, Callable[[Coroutine[Any, Any, load.Rounds]], load.Rounds]] = {
    "asyncio": asyncio.run,
    "uvloop": _run_on_uvloop,
}
HTTP = Cell("asyncio", tls=False)
OTHERS = [Cell("asyncio", tls=True), Cell("uvloop", tls=False), Cell("uvloop", tls=True)]
STACKS = [load.OURS, load.FLOOR, load.PYREQWEST, load.AIOHTTP]


def compare(cell: Cell, rounds: int, calls: int) -> load.Rounds:
    """Measure the stacks in turns in one cell."""
    return cell.run(load.compare(rounds, calls, names=STACKS, tls=cell.tls))


def measure(rounds: int, calls: int) -> dict[Cell, load.Rounds]:
    """Measure all cells except http on asyncio, one after another."""
    return {cell: compare(cell, rounds, calls) for cell in OTHERS}


def figures(found: dict[Cell, load.Rounds]) -> dict[str, dict[str, load.Figures]]:
    """Return the medians by cell and stack."""
    return {str(cell): rounds.medians() for cell, rounds in found.items()}


def ratios(found: dict[Cell, load.Rounds]) -> dict[str, float]:
    """Return the ratios of our client to the other stacks, by name."""
    others = {"pyreqwest": load.PYREQWEST, "aiohttp": load.AIOHTTP, "floor": load.FLOOR}
    return {
        f"{cell.prefix}typed_create_vs_{name}": rounds.ratio(load.OURS, stack)
        for cell, rounds in found.items()
        for name, stack in others.items()
    }


def table(found: dict[Cell, load.Rounds]) -> str:
    """Return a table of the CPU times, with the difference between our client and the floor in each cell."""
    head = "{:28}".format("CPU us of a create") + "".join(f"{cell!s:>16}" for cell in found)
    medians = {cell: rounds.medians() for cell, rounds in found.items()}
    lines = [
        f"{name:28}" + "".join(f"{each[name].cpu_us:16.1f}" for each in medians.values()) for name in STACKS
    ]
    above = (each[load.OURS].cpu_us - each[load.FLOOR].cpu_us for each in medians.values())
    return "\n".join(
        [head, *lines, f"{'ours - floor, of these medians':28}" + "".join(f"{us:16.1f}" for us in above)]
    )
