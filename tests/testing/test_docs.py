"""The examples of docs/testing.md and the README are run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OPTIONS = ["-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function", "-W", "error"]


def examples(text: str) -> dict[str, str]:
    """The Python blocks that have tests, each a file of its own."""
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return {f"test_{number}": block for number, block in enumerate(blocks) if "def test_" in block}


@pytest.mark.parametrize("name", ["docs/testing.md", "README.md"])
def test_examples_run(kit: pytest.Pytester, name: str) -> None:
    """Every block, with warnings as errors."""
    found = examples((ROOT / name).read_text("utf-8"))
    for file, block in found.items():
        kit.path.joinpath(f"{file}.py").write_text(block, "utf-8")
    kit.plugins += ["pytest_asyncio.plugin", "respx.plugin"]
    tests = sum(block.count("def test_") for block in found.values())
    assert tests
    kit.runpytest_subprocess(*OPTIONS).assert_outcomes(passed=tests)
