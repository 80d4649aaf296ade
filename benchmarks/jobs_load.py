"""Imports against a server that responds from memory: CPU time of a row, and memory of a long import."""

from __future__ import annotations

import contextlib
import gc
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import attrs

from benchmarks.load import OURS, Server, drive, open_stacks, own_core
from benchmarks.stacks import Target, client
from tests.support.import_files import REQUESTS_MAP, write_requests
from wosdk_async.jobs import CsvFile, Import, ImportMap, RowOutcome

LIMIT = 32
_EVERY = 100_000  # rows
_SETTLED = 50_000  # rows after which memory must not grow


@attrs.frozen(kw_only=True)
class Overhead:
    """CPU time in microseconds, medians of the rounds."""

    create: float
    """CPU time of a bare typed create."""
    row: float
    """CPU time of a row of an import."""
    over: float
    """CPU time of a row without its create: median of the differences within each round."""


@attrs.frozen(kw_only=True)
class LongImport:
    """Figures of one long import."""

    rows: int
    seconds: float
    early_mb: float
    """Memory after 50,000 rows."""
    end_mb: float
    """Memory at the end."""
    cpu_us: list[float]
    """CPU time of a row in each part of the import, in order."""

    @property
    def growth(self) -> float:
        """CPU time of the last rows, divided by that of the first."""
        return self.cpu_us[-1] / self.cpu_us[0]


async def overhead(rounds: int, rows: int, *, marked: bool) -> Overhead:
    """Measure imports of ``rows`` rows and as many bare creates in turns."""
    creates: list[float] = []
    imports: list[float] = []
    with tempfile.TemporaryDirectory() as name, own_core(), Server() as server:
        folder = Path(name)
        source, import_map = write_requests(folder / "requests.csv", rows), _map(folder, marked)
        async with open_stacks(server.target, LIMIT, [OURS]) as stacks:
            for number in range(rounds + 1):  # the first one warms up
                with _cpu(imports, rows):
                    # Each in a directory of its own, so that it is a first import.
                    await _import(server.target, source, import_map, folder / f"{number}" / "job")
                with _cpu(creates, rows):
                    await drive(stacks[OURS], rows, LIMIT)
    pairs = list(zip(imports[1:], creates[1:], strict=True))
    return Overhead(
        create=statistics.median(create for _, create in pairs),
        row=statistics.median(row for row, _ in pairs),
        over=statistics.median(row - create for row, create in pairs),
    )


async def long_import(rows: int, *, marked: bool) -> LongImport:
    """Import ``rows`` rows, and return the figures."""
    progress = _Progress(part=min(_EVERY, rows // 4), settled=min(_SETTLED, rows // 4))
    with tempfile.TemporaryDirectory() as name, own_core(), Server() as server:
        folder = Path(name)
        source, import_map = write_requests(folder / "requests.csv", rows), _map(folder, marked)
        started = time.perf_counter()
        await _import(server.target, source, import_map, folder / "job", progress.on_row)
        seconds = time.perf_counter() - started
    return LongImport(
        rows=rows,
        seconds=seconds,
        early_mb=progress.early_mb,
        end_mb=_memory(),
        cpu_us=[(after - before) / progress.part * 1e6 for before, after in pairwise(progress.cpu)],
    )


async def import_once(target: Target, source: Path, *, marked: bool) -> None:
    """Import the rows of a file."""
    with tempfile.TemporaryDirectory() as name:
        await _import(target, source, _map(Path(name), marked), Path(name, "job"))


@attrs.define(eq=False, kw_only=True)
class _Progress:
    """CPU time at the end of each part of an import."""

    part: int
    settled: int
    ended: int = 0
    early_mb: float = 0.0
    cpu: list[float] = attrs.field(factory=list)
    _paused: float = 0.0

    def on_row(self, _: RowOutcome) -> None:
        if not self.cpu:
            self.cpu.append(time.process_time())
        self.ended += 1
        if self.ended % self.part == 0:
            self.cpu.append(time.process_time() - self._paused)
        if self.ended == self.settled:
            before = time.process_time()
            self.early_mb = _memory()
            self._paused += time.process_time() - before


async def _import(
    target: Target,
    source: Path,
    import_map: Path,
    folder: Path,
    on_row: Callable[[RowOutcome], None] = lambda _: None,
) -> None:
    job = Import(CsvFile(source), ImportMap.load(import_map), folder=folder, concurrency=LIMIT)
    async with client(target, LIMIT) as own:
        summary = await job.run(own.company("Bench"), on_row=on_row)
    assert summary.complete, summary


def _map(folder: Path, marked: bool) -> Path:
    path = folder / "map.toml"
    lines = REQUESTS_MAP.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if marked or not line.startswith("marker")]
    path.write_text("\n".join(kept), encoding="utf-8")
    return path


@contextlib.contextmanager
def _cpu(found: list[float], rows: int) -> Iterator[None]:
    """Add the CPU time of a row within the block."""
    gc.collect()
    start = time.process_time()
    yield
    found.append((time.process_time() - start) / rows * 1e6)


def _memory() -> float:
    """Return the megabytes that this process holds (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
