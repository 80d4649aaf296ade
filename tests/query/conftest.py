"""The sandbox of a module and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from wosdk_async import Client, Company
from wosdk_async.sandbox import LocalCompany


@pytest.fixture(scope="module")
def variables(dialect: str) -> Iterator[dict[str, str]]:
    """A sandbox with its seed; the tests only read."""
    with LocalCompany(dialect=dialect) as company:
        yield company.variables


@pytest.fixture
async def company(variables: dict[str, str]) -> AsyncIterator[Company]:
    async with Client.from_env(variables) as client:
        yield client.company()
