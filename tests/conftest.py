"""Profiles of Hypothesis, and the dialect that the sandbox of the client's tests speaks."""

from __future__ import annotations

import os

import pytest

from tests.support.laws import register_profiles

register_profiles()


@pytest.fixture(scope="session")
def dialect() -> str:
    """Return ``WOSDK_TEST_DIALECT``, or the specification's; the suite passes on both."""
    return os.environ.get("WOSDK_TEST_DIALECT", "spec")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that a dialect can change: ``-m dialects`` runs them alone."""
    for item in items:
        if "dialect" in getattr(item, "fixturenames", ()):
            item.add_marker("dialects")
