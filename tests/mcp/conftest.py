"""Servers for agents, in this process."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

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
