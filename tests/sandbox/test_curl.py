"""The page of plain curl calls does what it says: a stranger's client gets the same service."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from wosdk_async.sandbox import LocalCompany

PAGE = Path(__file__).parents[2] / "docs" / "curl.md"
PAIR = re.compile(r"```sh\n((?:(?!```).)*)```\n```\n((?:(?!```).)*)```", re.DOTALL)
MARK = "=== next ==="


def fits(printed: str, expected: str) -> bool:
    """Whether a line is as expected; ``...`` stands for anything."""
    return re.fullmatch(".*?".join(map(re.escape, expected.split("..."))), printed) is not None


def test_every_example_prints_what_the_page_shows(tmp_path: Path) -> None:
    """All blocks in one shell, against a sandbox in its first state."""
    pairs = PAIR.findall(PAGE.read_text(encoding="utf-8"))
    assert len(pairs) > 4
    script = f"\necho '{MARK}'\n".join(block for block, _ in pairs)
    with LocalCompany() as local:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env={**os.environ, **local.variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    printed = [part.strip().splitlines() for part in done.stdout.split(MARK)]
    for lines, (_, expected) in zip(printed, pairs, strict=True):
        wanted = expected.strip().splitlines()
        assert len(lines) == len(wanted)
        for line, want in zip(lines, wanted, strict=True):
            assert fits(line, want), f"{line}\n{want}"
