"""``docs/architecture.md`` has the layers that ``lint-imports`` checks, and a map its modules."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.pages import ROOT, read
from wosdk_async.jobs import cluster

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
    "contracts"
]
DRAWN = [
    [set(re.split(r"  |$", line)[0].split(", ")) for line in block.text.splitlines()]
    for block in read(ROOT / "docs" / "architecture.md").blocks
]


@pytest.mark.parametrize(
    "contract",
    [each for each in CONTRACTS if each["type"] == "layers"],
    ids=lambda each: each["containers"][0],
)
def test_the_page_draws_the_layers_that_are_checked(contract: dict[str, list[str]]) -> None:
    assert [set(layer.split(" | ")) for layer in contract["layers"]] in DRAWN


def test_the_map_of_jobs_on_many_workers_has_each_module() -> None:
    named = set(re.findall(r"\b\w+\.py\b", cluster.__doc__ or ""))
    there = {path.name for path in (ROOT / "wosdk_async" / "jobs" / "cluster").glob("[!_]*.py")}
    assert named == there
