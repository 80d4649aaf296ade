"""Signals end a command in every stage, while the service is silent: real processes, sockets and signals."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from itertools import product
from pathlib import Path

import attrs
import pytest

from tests.cli.conftest import ROOT, spawn
from tests.jobs.conftest import Local
from tests.jobs.maps import CREATED, CUSTOMER, MAP, MARKER, WORK_ORDER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending
from tests.support.laws import WHOLE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

TERM_WITHIN = 6.0  # seconds, as documented
ABORT_WITHIN = 1.5  # seconds after the second Ctrl-C
BUSY = 1.5  # seconds for a machine with other work

IMPORT = ("import", "rows.csv", "--map", "map.toml", "--marker", MARKER)
UPDATE = ("import", "rows.csv", "--map", "map.toml")
UPDATE_MAP = """
operation = "update Customer by tenant_code"
[entity]
tenant_code = "{key}"
dba = "{text}"
"""
WORKERS = (*IMPORT, "--processes", "1")
CHECK = (*IMPORT, "--check")
SETTLE = ("jobs", "settle", "rows.csv.job")
UNDO = ("jobs", "undo", "rows.csv.job", "--reason", "Entered twice", "--yes")


@attrs.frozen
class Stage:
    """A command, and which requests get no response: those to ``path`` after the first ``responses``."""

    command: tuple[str, ...]
    path: str
    responses: int = 0
    before: str = "nothing"
    """What there is: nothing, a job that was ``killed`` while it sent, or one that is ``done``."""
    map_text: str = MAP
    after: str = ""
    """Only once every row was sent to this path."""
    failing: str = "\0"
    """Path whose requests are refused."""
    says: str = ""
    """Text on stderr at which the signal is sent: the service responds, but finds nothing at ``path``."""
    rows: int = 3

    def silences(self, local: Local) -> Callable[[str], bool]:
        """Return which requests get no response from now on."""
        seen = 0

        def silent(asked: str) -> bool:
            nonlocal seen
            if not asked.endswith(self.path) or local.server.count(self.after or asked) < self._least:
                return False
            seen += 1
            return seen > self.responses

        return silent

    @property
    def _least(self) -> int:
        return self.rows if self.after else 0


KEYS, ROW, CUSTOMERS = "query/WorkOrder", "WoCreateCommand", "query/Customer"
LOG_IN, DISCOVERY = "OAuth/token", "GetCompanyWsdkUrlCommand"
STAGES = {
    "log-in": Stage(IMPORT, LOG_IN),
    "discovery": Stage(IMPORT, DISCOVERY),
    "settling": Stage(IMPORT, KEYS, before="killed"),
    "references": Stage(IMPORT, CUSTOMERS),
    "references by name": Stage(IMPORT, CUSTOMERS, map_text=WORK_ORDER + CUSTOMER),
    "creation of references": Stage(IMPORT, "base/Customer", map_text=WORK_ORDER + CREATED),
    "keys": Stage(IMPORT, KEYS),
    "keys of the second page": Stage(IMPORT, KEYS, 2, rows=201),
    "keys of an update": Stage(UPDATE, CUSTOMERS, map_text=UPDATE_MAP),
    "settling: wait": Stage(IMPORT, KEYS, before="killed", says="next look-up in"),
    "first row": Stage(IMPORT, ROW),
    "proof of the marker": Stage(IMPORT, KEYS, 1),
    "rows": Stage(IMPORT, ROW, 1),
    "workers: references": Stage(WORKERS, CUSTOMERS),
    "workers: references by name": Stage(WORKERS, CUSTOMERS, map_text=WORK_ORDER + CUSTOMER),
    "workers: settling": Stage(WORKERS, KEYS, before="killed"),
    "workers: keys": Stage(WORKERS, KEYS),
    "workers: proof of the marker": Stage(WORKERS, KEYS, 1),
    "workers: rows": Stage(WORKERS, ROW, 1),
    "workers: audit": Stage(WORKERS, KEYS, after=ROW),
    "check: log-in": Stage(CHECK, LOG_IN),
    "check: references": Stage(CHECK, CUSTOMERS),
    "check: references by name": Stage(CHECK, CUSTOMERS, map_text=WORK_ORDER + CUSTOMER),
    "check: keys": Stage(CHECK, KEYS),
    "settle: log-in": Stage(SETTLE, LOG_IN, before="killed"),
    "settle: keys": Stage(SETTLE, KEYS, before="killed"),
    "settle: wait": Stage(SETTLE, KEYS, before="killed", says="next look-up in"),
    "undo: discovery": Stage(UNDO, DISCOVERY, before="done"),
    "undo: reason": Stage(UNDO, "query/WoActionReasonLookup", before="done"),
    "undo: records": Stage(UNDO, KEYS, before="done"),
    "undo: records again": Stage(UNDO, KEYS, 2, before="done"),
    "undo: refused record": Stage(UNDO, KEYS, 4, before="done", failing="WoCancelCommand"),
    "undo: cancel": Stage(UNDO, "WoCancelCommand", before="done"),
}


@contextlib.asynccontextmanager
async def running(
    local: Local, folder: Path, *arguments: str
) -> AsyncIterator[tuple[subprocess.Popen[bytes], asyncio.StreamReader]]:
    """Run ``wosdk`` in a folder, and yield it with its stderr; the block kills what does not end."""
    process = spawn(
        *arguments,
        cwd=folder,
        env={**os.environ, **local.variables, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        text=False,
    )
    try:
        stderr = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stderr), process.stderr
        )
        yield process, stderr
    finally:
        process.kill()
        await asyncio.to_thread(process.wait)


async def seconds_to_end(
    process: subprocess.Popen[bytes], reading: asyncio.Task[None], *signals: signal.Signals
) -> float:
    """Send signals, half a second apart, and return the seconds from the last one until the process ended."""
    for number in signals:
        began = time.monotonic()
        process.send_signal(number)
        await asyncio.wait([reading], timeout=0.5)
    async with asyncio.timeout(90):
        await reading
        await asyncio.to_thread(process.wait)
    return time.monotonic() - began


SIGNALS = {"TERM": (signal.SIGTERM,), "INT": (signal.SIGINT, signal.SIGINT)}
# Each way in which a stage ends, once; TERM where no call is under way that would get all of its six seconds.
SHORT = {
    ("log-in", "TERM"),
    ("creation of references", "INT"),
    ("keys of the second page", "TERM"),
    ("settling: wait", "TERM"),
    ("proof of the marker", "INT"),
    ("rows", "INT"),
    ("workers: rows", "TERM"),
    ("check: keys", "TERM"),
    ("settle: keys", "INT"),
    ("undo: reason", "TERM"),
    ("undo: refused record", "INT"),
    ("undo: cancel", "INT"),
}


@pytest.mark.parametrize(
    ("stage", "signals"),
    [
        pytest.param(STAGES[stage], SIGNALS[name], id=f"{stage}-{name}")
        for stage, name in product(STAGES, SIGNALS)
        if WHOLE or (stage, name) in SHORT
    ],
)
async def test_a_signal_ends_every_stage_in_time(
    local: Local, tmp_path: Path, stage: Stage, signals: tuple[signal.Signals, ...]
) -> None:
    server, numbers = local.server, range(1, stage.rows + 1)
    source = local.write(rows(*numbers, customer="" if stage.map_text == MAP else "A"))
    ready = local.job(source, stage.map_text, marker=None if stage.command is UPDATE else MARKER)
    if stage.before == "killed":
        await killed_while_sending(ready, local, [1])
    elif stage.before == "done":
        await carried_out(ready, local)
    server.asked.clear()
    if stage.says:
        server.hidden = stage.path
    else:
        server.silent = stage.silences(local)
    server.failing = stage.failing
    said: list[str] = []
    async with running(local, tmp_path, *stage.command) as (process, lines):

        async def read() -> None:
            async for line in lines:
                said.append(line.decode())
                if stage.says and stage.says in said[-1]:
                    server.silenced.set()

        reading = asyncio.create_task(read())
        waiting = asyncio.create_task(server.silenced.wait())
        await asyncio.wait({waiting, reading}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
        assert waiting.done(), said
        seconds = await seconds_to_end(process, reading, *signals)
    stderr = "".join(said)
    limit = TERM_WITHIN if signals == (signal.SIGTERM,) else ABORT_WITHIN
    print(f"TABLE {seconds:.1f} s, status {process.returncode}")
    assert seconds < limit + BUSY, stderr
    # The second Ctrl-C may come when the command has ended: shells show both alike.
    assert process.returncode in (128 + signals[0], -signals[0] if len(signals) > 1 else 143), stderr
    assert "Traceback" not in stderr
    server.silent, server.hidden, server.failing = lambda _: False, "\0", "\0"
    if stage.command in (IMPORT, WORKERS):  # nothing is lost, and nothing is sent twice
        summary, _ = await carried_out(local.job(source, stage.map_text, marker=MARKER, lease=2), local)
        found = await held(local)
        assert not found - Counter(map(str, numbers))
        assert (summary.done, summary.done + summary.failed) == (len(found), stage.rows)
