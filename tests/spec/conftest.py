"""The sandbox of a module, spoken to in two ways: with bare httpx and with the client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.spec.local import CONTACT, EMPLOYEE, Local, create_request
from tests.spec.table import Json
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


@pytest.fixture(scope="module")
def order(local: Local) -> Json:
    """A new work order that names everything it may refer to."""
    command = create_request(RequestorContact={"Id": CONTACT}) | {"EmployeeId": EMPLOYEE}
    made: Json = local.run("WoCreateCommand", command)["Wo"]
    return made


@pytest.fixture
async def company(variables: dict[str, str]) -> AsyncIterator[Company]:
    async with Client.from_env(variables) as client:
        yield client.company()
