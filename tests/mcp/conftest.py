"""Servers for agents, in this process."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from wosdk_async.testing import Sandbox

# The library needs newer packages than the lowest ones of the other tests: it is an extra of its own.
collect_ignore_glob = [] if find_spec("mcp") else ["test_*.py"]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder for plans."""
    return tmp_path / "state"


@pytest.fixture
def sandbox(dialect: str) -> Sandbox:
    """A Company of one test."""
    return Sandbox(dialect=dialect)


@pytest.fixture(scope="session", autouse=True)
def shared_schemas() -> Iterator[None]:
    """Let the SDK derive the schemas of a function once: for each server anew it is half of these tests."""
    made: dict[Any, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        for place in ("tools.base", "resources.templates"):
            module: Any = import_module(f"mcp.server.mcpserver.{place}")
            derive = module.func_metadata

            def once(func: Any, *, derive: Any = derive, **options: Any) -> Any:
                key = (inspect.unwrap(func).__code__, str(options))
                if key not in made:
                    made[key] = derive(func, **options)
                return made[key]

            patch.setattr(module, "func_metadata", once)
        yield
