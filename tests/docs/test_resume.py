"""The program of docs/resume.md, killed while the service is slow, and run again at once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from tests.docs import modules
from tests.support.preloaded import python
from tests.support.waiting import until
from wosdk_async import Client, WoCreateCommand
from wosdk_async.sandbox import LocalCompany

KEYS = ["R-1", "R-2", "R-3"]
SLOW, SETTLE = 2, 3  # seconds until a create takes effect; seconds that the program waits

MAIN = f"""
import asyncio
from tests.docs.prelude import new_order


async def main() -> None:
    async with Client.from_env() as client:
        acme = client.company().with_options(settle={SETTLE})
        await acme.connect()
        print("ready", flush=True)
        await asyncio.to_thread(input)
        print(await example(acme, new_order()))


asyncio.run(main())
"""


@contextmanager
def running(path: Path, local: LocalCompany) -> Iterator[subprocess.Popen[str]]:
    """Run the program with a Company's settings until it waits for a line; kill it at the end."""
    environment, pipe = {**os.environ, **local.variables}, subprocess.PIPE
    with python(path.read_text("utf-8"), env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


async def test_a_killed_program_that_is_run_again_at_once_duplicates_nothing(tmp_path: Path) -> None:
    """Every create was in flight at the kill, and takes effect while the second process runs."""
    (block,) = [block for block in modules.fragments() if block.name.startswith("docs/resume.md")]
    function, _, asserts = block.text.partition("\nassert ")
    assert asserts
    block = attrs.evolve(block, text=f"{function}\nreturn await create_all({KEYS})\n")
    program = tmp_path / "program.py"
    program.write_text(modules.module(block) + MAIN, "utf-8")
    with LocalCompany() as local:
        local.faults.add("latency", operation="WoCreateCommand", first=len(KEYS), fixed=SLOW)
        with running(program, local) as again:
            with running(program, local) as killed:
                assert killed.stdin is not None
                killed.stdin.write("\n")
                killed.stdin.flush()
                until(lambda: local.faults.injected == {"latency": len(KEYS)}, seconds=60)
            assert again.communicate("\n", timeout=60)[0] == "[True, True, True]\n"
        async with Client.from_env(local.variables) as client:
            found = await client.company().find_marked(WoCreateCommand, "work_order.po_number", KEYS)
    assert {key: len(orders) for key, orders in found.items()} == dict.fromkeys(KEYS, 1)
