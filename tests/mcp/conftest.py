"""Servers for agents, in this process."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
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


def once(function: Callable[..., Any], key: Callable[..., str]) -> Callable[..., Any]:
    """Return a function that is called once for each key of its arguments."""
    made: dict[str, Any] = {}

    def shared(*args: Any, **options: Any) -> Any:
        if (found := key(*args, **options)) not in made:
            made[found] = function(*args, **options)
        return made[found]

    return shared


@pytest.fixture(scope="session", autouse=True)
def shared_schemas() -> Iterator[None]:
    """Let the SDK derive and compile each schema once: for each server anew it is half of these tests.

    An SDK without these functions does what it does.
    """
    modules = "server.mcpserver.tools.base", "server.mcpserver.resources.templates", "client.session"
    tools, resources, session = (import_module(f"mcp.{module}") for module in modules)
    keys: dict[tuple[Any, str], Callable[..., str]] = dict.fromkeys(
        ((tools, "func_metadata"), (resources, "func_metadata")),
        lambda func, **options: str((id(inspect.unwrap(func).__code__), options)),
    ) | {
        (session.ClientSession, "_output_schema_validator"): lambda _, name, schema: json.dumps(
            [name, schema]
        )
    }
    with pytest.MonkeyPatch.context() as patch:
        for (owner, name), key in keys.items():
            if hasattr(owner, name):
                patch.setattr(owner, name, once(getattr(owner, name), key))
        yield
