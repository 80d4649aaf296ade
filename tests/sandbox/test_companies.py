"""Several Companies in one store and one server: apart from each other, each at its own address."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.jobs.journal.test_trouble import full_disk
from tests.sandbox.company import Caller, Direct, calling
from tests.support.preloaded import python
from wosdk_async import Credentials, Remedy, SessionRefusedError
from wosdk_async.sandbox import LocalCompany, StoreError, create_app, open_store
from wosdk_async.sandbox.seed.initial import create_company
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.testing import Sandbox


def both(store: Store, http: httpx.Client, root: str) -> tuple[Caller, Caller]:
    first, second = store.companies()
    return Caller(http, first, root), Caller(http, second, root)


def test_records_and_numbers_are_apart(store: Store) -> None:
    """Two Companies hold the same ids, count by themselves, and see nothing of each other."""
    create_company(store, "Second", live=True)
    with calling(store) as acme:
        first, second = both(store, acme.http, acme.root)
        for _ in range(3):
            first.order(PoNumber="of the first")
        made = second.order()
        assert (made["Id"], made["Number"]) == (1, "RSC000001")
        assert second.ids("WorkOrder") == [1]
        assert second.get("WorkOrder", 1)["PoNumber"] == ""
        assert second.refused("GET", "base/WorkOrder/2") == "ERROR_CODE_1019"
        second.ok(
            "PUT", "base/Contact", {"Entity": {"Id": 731, "LastName": "Ek"}, "Properties": ["LastName"]}
        )
        assert first.get("Contact", 731)["LastName"] == "Lindqvist"
        assert second.ids("WorkOrder", ("Customer.Name", "Like", "Lind%")) == [1]
        assert first.ids("AssetTree", ("ChildId", "Equal", 20420)) == [20400, 20410, 20420]
        second.ok("DELETE", "base/Specialty/27")
        assert first.get("Specialty", 27)["IsRemoved"] is False


def test_credentials_open_one_company(store: Store) -> None:
    """A token names its Company: with the name of another it is refused, also for discovery."""
    second = create_company(store, "Second")
    with calling(store) as acme:
        response = acme.send("GET", "base/Customer/512", CompanyName=second.name)
        assert (response.status_code, response.json()["ErrorCode"]) == (403, "INCORRECT_TOKEN")
        body = {"Command": {"CompanyName": second.name}}
        assert acme.refused("POST", "cmd/GetCompanyWsdkUrlCommand", body) == "DATABASE_VERSION_MISMATCH"
        response = acme.send("POST", "cmd/GetCompanyWsdkUrlCommand", body, CompanyName=second.name)
        assert response.json()["ErrorCode"] == "INCORRECT_TOKEN"


def test_a_company_with_a_host_of_its_own(store: Store) -> None:
    """Discovery names the host from anywhere; any other host does not serve the Company."""
    create_company(store, "Second", host="Second.Localhost")
    with calling(store) as acme:
        _, second = both(store, acme.http, "http://locator.test:8900")
        found = second.run("GetCompanyWsdkUrlCommand", CompanyName="Second")
        assert found["Url"] == "http://second.localhost:8900/"
        assert second.refused("GET", "base/Customer/512") == "DATABASE_VERSION_MISMATCH"
        second.root = found["Url"].rstrip("/")
        assert second.get("Customer", 512)["Id"] == 512


@pytest.mark.parametrize("name", ["", " ", "acmefacilities", "a\nb", "é"])
def test_names_that_cannot_be_used(store: Store, name: str) -> None:
    """A name is unique in any letter case and fits into a header."""
    with pytest.raises(ValueError, match=r"is not a valid Company name|already"):
        create_company(store, name)
    assert len(store.companies()) == 1


@pytest.mark.parametrize(("dialect", "named"), [("spec", True), ("recorded", False)])
def test_a_misspelt_name_is_answered_with_those_that_there_are(
    store: Store, dialect: str, named: bool
) -> None:
    """Only to whoever has a token of one of them."""
    with calling(store, dialect=dialect) as acme:
        misspelt = acme.send("GET", "base/Customer/512", CompanyName="AcmeFacilites")
        assert misspelt.json()["ErrorCode"] == "DATABASE_VERSION_MISMATCH"
        assert ("AcmeFacilities" in misspelt.json()["ErrorMessage"]) == named
        unknown = acme.send("GET", "base/Customer/512", CompanyName="AcmeFacilites", Authorization="Bearer x")
        assert "AcmeFacilities" not in unknown.text


@pytest.mark.parametrize("host", ["a b", "http://a", "a:80", "a/b"])
def test_hosts_that_are_none(store: Store, host: str) -> None:
    """A host is a name alone."""
    with pytest.raises(ValueError, match="not a host name"):
        create_company(store, "Second", host=host)


def test_local_company_with_several(tmp_path: Path) -> None:
    """Names that the store does not have are added; each has variables of its own."""
    with LocalCompany(tmp_path / "s.db", companies=["North", "South"]) as local, httpx.Client() as http:
        secrets = {local.variables_of(name)["WOSDK_CLIENT_SECRET"] for name in ("north", "SOUTH")}
        assert len(secrets) == 2
        assert local.variables == local.variables_of("North")
        with pytest.raises(KeyError, match="use North, South"):
            local.variables_of("East")
        listed = http.get(local.variables["WOSDK_LOCATOR_URL"] + "/_sandbox/companies").json()["Companies"]
        assert [company["Name"] for company in listed] == ["North", "South"]
        assert listed[1]["Variables"] == local.variables_of("South")
    with LocalCompany(tmp_path / "s.db", companies=["South", "East"]) as local:
        assert local.variables["WOSDK_COMPANY"] == "South"
        assert local.variables_of("East")["WOSDK_CLIENT_ID"] == "sandbox-client-48"


def test_a_company_added_while_it_is_served(tmp_path: Path) -> None:
    """Another process adds a Company to the file: the server knows it with the next token request."""
    with LocalCompany(tmp_path / "s.db") as local, httpx.Client() as http:
        root = local.variables["WOSDK_LOCATOR_URL"]
        first = http.get(f"{root}/_sandbox/companies").json()["Companies"][0]
        assert (first["Id"], first["Url"], first["Live"]) == (46, f"{root}/", False)
        other = open_store(tmp_path / "s.db")
        added = create_company(other, "Added")
        other.close()
        assert Caller(http, added, root).order()["Id"] == 1


def test_the_console_of_a_stranger_is_refused(tmp_path: Path, store: Store) -> None:
    """Control addresses serve their own machine alone, by a loopback name, and no page of another origin."""
    with LocalCompany(tmp_path / "t.db") as local, httpx.Client() as http:
        address = local.variables["WOSDK_LOCATOR_URL"] + "/_sandbox/companies"
        body = json.dumps({"Name": "Third", "Live": True, "Seeded": False})
        for headers in ({"Host": "evil.test"}, {"Origin": "http://evil.test"}):
            assert http.post(address, content=body, headers=headers).status_code == 403
            assert http.get(address.replace("companies", "faults"), headers=headers).status_code == 403
        assert len(http.get(address).json()["Companies"]) == 1
        made = http.post(address, content=body).json()["Companies"][1]
        assert (made["Name"], made["Live"]) == ("Third", True)
        assert http.post(address, content=body).status_code == 400
        assert http.post(address, content=b"{").status_code == 400
    with pytest.raises(StoreError), LocalCompany(tmp_path):
        pass


def test_open_to_other_machines(store: Store) -> None:
    """Where the server lets them, other machines reach what steers it; other pages still do not."""
    for open_admin, status in ((False, 403), (True, 200)):
        app = create_app(store, open_admin=open_admin)
        with httpx.Client(transport=Direct(app), base_url="http://far.test/_sandbox") as http:
            answer = http.get("/companies")
            assert (answer.status_code, "localhost" in answer.text) == (status, not open_admin)
            assert http.get("/companies", headers={"Origin": "http://near.test"}).status_code == 403


@pytest.mark.parametrize("room", [5000, 100_000])
def test_a_store_that_met_a_full_disk_is_made_at_the_next_start(tmp_path: Path, room: int) -> None:
    """What it left is no database of another program: there is no table in it."""
    with full_disk(room), pytest.raises(StoreError, match="Free some disk space"):
        open_store(tmp_path / "store.db")
    with contextlib.closing(open_store(tmp_path / "store.db")) as store:
        assert [company.name for company in store.companies()] == ["AcmeFacilities"]
    with contextlib.closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE others (a)")
    with pytest.raises(StoreError, match="another program's database"):
        open_store(tmp_path / "other.db")


async def test_credentials_of_another_company() -> None:
    """The refusal says which pair to look at."""
    with Sandbox(company=["North", "South"]) as sandbox:
        found = sandbox.variables_of("North")
        pair = Credentials(found["WOSDK_CLIENT_ID"], found["WOSDK_CLIENT_SECRET"])
        with pytest.raises(SessionRefusedError, match="issued for another Company") as refused:
            await sandbox.client().company("South", credentials=pair).connect()
    assert refused.value.remedies == (Remedy.OWN_PAIR,)


RACE = """
import sys
from contextlib import closing
from wosdk_async.sandbox import open_store
for path in sys.stdin:
    with closing(open_store(path.strip(), "Shared", sys.argv[1])):
        print("opened", flush=True)
"""


def test_processes_that_create_a_store_at_the_same_time(tmp_path: Path) -> None:
    """One creates the tables and each Company, and all can use the store."""
    names = [f"Own {number}" for number in range(3)]
    racers = [
        python(RACE, name, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for name in names
    ]
    for path in (tmp_path / f"{number}.db" for number in range(3)):
        for racer in racers:
            racer.stdin.write(f"{path}\n")  # type: ignore[union-attr]
        assert [racer.stdout.readline() for racer in racers] == ["opened\n"] * 3  # type: ignore[union-attr]
        with contextlib.closing(open_store(path)) as store:
            assert sorted(company.name for company in store.companies()) == [*names, "Shared"]
    for racer in racers:
        assert (racer.communicate(), racer.returncode) == (("", None), 0)


def test_a_missing_company_name_is_told_from_a_wrong_one(store: Store) -> None:
    with calling(store) as acme:
        for name, hint in (
            ("", "The header CompanyName is missing."),
            ("Nobody", "It serves AcmeFacilities."),
        ):
            said = acme.send("GET", "base/Customer/512", CompanyName=name).json()
            assert (said["ErrorCode"], hint in said["ErrorMessage"]) == ("DATABASE_VERSION_MISMATCH", True)
