"""Sandboxes: one of a module for bare httpx and for the client; one of a test, in each dialect."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.sandbox.company import Caller, calling
from tests.spec.local import CONTACT, EMPLOYEE, Local, create_request
from tests.spec.table import Json
from wosdk_async import Client, Company
from wosdk_async.sandbox import LocalCompany, open_store


@pytest.fixture(scope="module", params=["spec", "recorded"])
def variables(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """A sandbox for one module; its tests make the records they change."""
    with LocalCompany(dialect=request.param) as company:
        yield company.variables


@pytest.fixture(autouse=True)
def _differs(request: pytest.FixtureRequest) -> None:
    """Expect a test that is marked so to fail in the recorded dialect: then the two really differ."""
    dialect = getattr(request.node, "callspec", None) and request.node.callspec.params.get("variables")
    mark = request.node.get_closest_marker("differs")
    if dialect == "recorded" and mark is not None:
        request.applymarker(pytest.mark.xfail(strict=True, reason=mark.args[0]))


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


@pytest.fixture(params=["spec", "recorded"])
def either(request: pytest.FixtureRequest, tmp_path: Path, seeded_store: Path) -> Iterator[Caller]:
    """Yield a plain HTTP caller of a new Company; a test runs once in each dialect."""
    store = open_store(shutil.copy(seeded_store, tmp_path / "sandbox.db"))
    with calling(store, dialect=request.param) as caller:
        yield caller
    store.close()
