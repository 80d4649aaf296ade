"""Which dialect the sandbox of the client's tests speaks: the suite passes on both."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def dialect() -> str:
    """``WOSDK_TEST_DIALECT``, by itself the specification's."""
    return os.environ.get("WOSDK_TEST_DIALECT", "spec")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a dialect can change: ``-m dialects`` runs that part alone."""
    for item in items:
        if "dialect" in getattr(item, "fixturenames", ()):
            item.add_marker("dialects")
