"""Servers for agents, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wosdk_async.testing import Sandbox

if TYPE_CHECKING:
    from tests.mcp.agents import Workplace

# The library needs newer packages than the lowest ones of the other tests: it is an extra of its own.
collect_ignore_glob = [] if find_spec("mcp") else ["test_*.py"]


@pytest.fixture(scope="package", autouse=True)
def described_once() -> Iterator[None]:
    """Describe and check each tool once: doing so for the server of each test took half the CPU."""
    from jsonschema import Draft202012Validator
    from mcp.server.mcpserver.tools import Tool

    tools: dict[tuple[str, ...], Any] = {}
    checked: set[str] = set()
    describe, check = Tool.from_function, Draft202012Validator.check_schema

    def described(function: Callable[..., Any], **options: Any) -> Any:
        key = function.__module__, function.__qualname__, repr(options)
        if key not in tools:
            tools[key] = describe(function, **options)
        return tools[key].model_copy(update={"fn": function})

    def check_once(schema: Any, **options: Any) -> None:
        if (text := json.dumps(schema)) not in checked:
            check(schema, **options)
            checked.add(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tool, "from_function", described)
        patch.setattr(Draft202012Validator, "check_schema", check_once)
        yield


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder for plans."""
    return tmp_path / "state"


@pytest.fixture
def sandbox(dialect: str) -> Sandbox:
    """A Company of one test."""
    return Sandbox(dialect=dialect)


@pytest.fixture
def work(sandbox: Sandbox, state: Path) -> Workplace:
    """That Company, and the folder."""
    from tests.mcp.agents import Workplace

    return Workplace(sandbox, state)
