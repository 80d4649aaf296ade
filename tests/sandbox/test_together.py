"""Companies, a dialect, faults and a clock in one sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from tests.sandbox.company import Caller
from wosdk_async.sandbox import LocalCompany, VirtualClock, open_store

START = datetime(2024, 5, 14, 13, 12, 31, 447_021, tzinfo=UTC)
SCRIPT = {
    "rule": [
        {"fault": "status", "status": 429, "operation": "create", "company": "South"},
        {"fault": "moved_host", "operation": "delete", "company": "South"},
    ]
}
NOTE = {"WorkOrderId": 7, "Body": "seeded", "NoteTypeId": "Public"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalCompany, Caller, Caller]]:
    """Two recorded Companies, of which one has faults."""
    path, clock = tmp_path_factory.mktemp("together") / "s.db", VirtualClock(START)
    served = LocalCompany(path, companies=["North", "South"], dialect="recorded", faults=SCRIPT, clock=clock)
    with served as local, httpx.Client() as http:
        store = open_store(path)
        north, south = (
            Caller(http, company, local.variables["WOSDK_LOCATOR_URL"]) for company in store.companies()
        )
        store.close()
        yield local, north, south


def test_faults_of_one_company_in_its_dialect(pair: tuple[LocalCompany, Caller, Caller]) -> None:
    """The rule applies to the Company that it names; both use the recorded dialect."""
    _, north, south = pair
    made = {"Entity": {"DisplayAs": "Roofing"}, "RequestId": "r-1"}
    assert north.ok("POST", "base/Specialty", made)["RequestId"] == "r-1"
    assert south.send("POST", "base/Specialty", made).status_code == 429
    for caller in (north, south):
        changed = {"Entity": {"Id": 27, "DisplayAs": "Roofs"}, "Properties": ["DisplayAs"]}
        assert caller.ok("PUT", "base/Specialty", changed)["EntitySpecifier"]["ConcurrencyId"] == 2
        refused = caller.send("PUT", "base/Specialty", {"Entity": {"Id": 27}, "RequestId": 5})
        assert (refused.status_code, refused.json()["RequestId"]) == (400, "5")


def test_a_moved_company_tells_its_other_port(pair: tuple[LocalCompany, Caller, Caller]) -> None:
    """Only the Company that the rule names has left, also for who asks in the recorded way."""
    _, north, south = pair
    assert north.ok("DELETE", "base/Specialty/28")
    assert south.refused("DELETE", "base/Specialty/28") == "DATABASE_VERSION_MISMATCH"
    found = south.run("GetCompanyWsdkUrlCommand", CompanyName="South", ApiType="REST")["Url"]
    assert found.rstrip("/") != south.root
    assert (
        north.run("GetCompanyWsdkUrlCommand", CompanyName="North", ApiType="REST")["Url"] == f"{north.root}/"
    )
    south.root = found.rstrip("/")
    assert south.get("Specialty", 27)["DisplayAs"]


def test_seeded_records_go_by_the_clock(pair: tuple[LocalCompany, Caller, Caller]) -> None:
    """A seeded record shows the moment of the one clock, with the digits of the dialect."""
    local, north, _ = pair
    local.seed({"WorkOrder": [{"Id": 7, "TimeZone": 20}], "WoNote": [NOTE]})
    noted = north.get("WoNote", north.ids("WoNote", ("WorkOrderId", "Equal", 7))[0], "CreatedDate")
    assert noted["CreatedDate"] == "2024-05-14T08:12:31.44"
