"""The sandbox of a module, spoken to in two ways: with bare httpx and with the client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.spec.local import Local
from wosdk_async import Client, Company
from wosdk_async.sandbox import LocalCompany


@pytest.fixture(scope="module")
def variables() -> Iterator[dict[str, str]]:
    """A sandbox for one module; its tests make the records they change."""
    with LocalCompany() as company:
        yield company.variables


@pytest.fixture(scope="module")
def local(variables: dict[str, str]) -> Iterator[Local]:
    with Local(variables) as opened:
        yield opened


@pytest.fixture
async def company(variables: dict[str, str]) -> AsyncIterator[Company]:
    async with Client.from_env(variables) as client:
        yield client.company()
