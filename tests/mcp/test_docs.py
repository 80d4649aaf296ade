"""The calls that docs/mcp.md shows: each is made, and has a result."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.agents import Workplace
from tests.mcp.test_tools import CHANGES, READS
from wosdk_async.testing import Sandbox

_PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
_BLOCK = re.compile(r"<!-- calls -->\n```json\n(.*?)```", re.DOTALL)
CALLS: list[dict[str, Any]] = [
    call for block in _BLOCK.findall(_PAGE.read_text()) for call in json.loads(block)
]


def test_the_page_shows_calls_of_both_kinds() -> None:
    assert {call["tool"] for call in CALLS} > {"query_records", "plan"}


def test_the_page_has_a_row_for_each_tool() -> None:
    rows = set(re.findall(r"^[|*] `(\w+)` ", _PAGE.read_text(), re.MULTILINE))
    assert (READS | CHANGES) - rows == set()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["tool"])
async def test_a_call_of_the_page_has_a_result(sandbox: Sandbox, state: Path, call: dict[str, Any]) -> None:
    async with Workplace(sandbox, state).agent() as agent:
        found = await agent(call["tool"], **call["arguments"])
    assert "problem" not in found
    assert not agent.last or not agent.last.is_error
