"""Snapshots and resets: in a program, over HTTP, and from another process while it is served."""

from __future__ import annotations

import contextlib
import sqlite3
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.sandbox.company import Caller
from wosdk_async.sandbox import LocalCompany, StoreError, open_store
from wosdk_async.sandbox.seed.initial import reset


class Served:
    """A local Company and a caller of it."""

    def __init__(self, local: LocalCompany, http: httpx.Client, path: Path) -> None:
        self.local, self.http, self.path = local, http, path
        store = open_store(path)
        self.acme = Caller(http, store.companies()[0], local.variables["WOSDK_LOCATOR_URL"])
        store.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with LocalCompany(tmp_path / "s.db") as local, httpx.Client() as http:
        yield Served(local, http, tmp_path / "s.db")


def test_back_to_the_start(served: Served) -> None:
    """A reset brings back all records and numbers; the caller's token goes on working."""
    first = served.acme.order()
    served.acme.ok("DELETE", "base/Contact/731")
    served.local.reset()
    assert served.acme.ids("WorkOrder") == []
    assert served.acme.get("Contact", 731)["IsRemoved"] is False
    again = served.acme.order()
    assert (again["Id"], again["Number"]) == (first["Id"], first["Number"])


def test_back_to_a_snapshot(served: Served) -> None:
    """The records of the snapshot are there again, and numbers go on from them."""
    kept = [served.acme.order()["Id"] for _ in range(3)]
    snapshot = served.local.snapshot()
    other = served.local.snapshot(served.path.with_name("other"))
    served.acme.order()
    served.local.reset(snapshot)
    assert served.acme.ids("WorkOrder") == kept
    assert served.acme.order()["Id"] == kept[-1] + 1
    served.local.reset(other)
    assert served.acme.ids("WorkOrder") == kept


def test_over_http(served: Served) -> None:
    """Named snapshots lie beside the store; a name cannot lead anywhere else."""
    root = served.local.variables["WOSDK_LOCATOR_URL"] + "/_sandbox"
    served.acme.order()
    assert served.http.post(f"{root}/snapshot", json={"Name": "one"}).json() == {"Name": "one"}
    served.acme.order()
    assert served.http.post(f"{root}/reset", json={"Name": "one"}).status_code == 200
    assert served.acme.ids("WorkOrder") == [1]
    assert served.http.post(f"{root}/reset").json() == {"Name": None}
    assert served.acme.ids("WorkOrder") == []
    for name in ("../x", "", "none", 7):
        for path in ("reset", "snapshot") if name != "none" else ("reset",):
            response = served.http.post(f"{root}/{path}", json={"Name": name})
            assert response.status_code == 400
            assert ("a file" if name == "none" else "Name") in response.json()["ErrorMessage"]


@pytest.mark.parametrize(
    ("method", "path", "body", "hint"),
    [
        ("POST", "reset", {"name": "one"}, "did you mean Name?"),
        ("POST", "reset", {"Snapshot": "one"}, "use Name."),
        ("POST", "snapshot", {"name": "one"}, "did you mean Name?"),
        ("POST", "companies", {"Name": "South", "Seded": False}, "did you mean Seeded?"),
        ("POST", "companies", {"Name": "South", "Seeded": "false"}, "Seeded, Verification must be true"),
        ("PUT", "companies", {"Name": "AcmeFacilities", "Verification": False, "Live": True}, "use Name, V"),
    ],
)
def test_unknown_members_change_nothing(
    served: Served, method: str, path: str, body: dict[str, object], hint: str
) -> None:
    """A misspelt name would otherwise reset everything, or overwrite the default snapshot."""
    served.acme.order()
    root = served.local.variables["WOSDK_LOCATOR_URL"] + "/_sandbox"
    before = served.http.get(f"{root}/companies").json()
    response = served.http.request(method, f"{root}/{path}", json=body)
    assert response.status_code == 400
    assert hint in response.json()["ErrorMessage"]
    assert served.acme.ids("WorkOrder") == [1]
    assert served.http.get(f"{root}/companies").json() == before
    assert not list(served.path.parent.glob("*.snapshot"))


def test_from_another_process(served: Served) -> None:
    """The server notices that its file was brought back: no stale number is handed out."""
    served.acme.order()
    other = open_store(served.path)
    other.take_snapshot(served.path.with_name("one"))
    served.acme.order()
    reset(other, served.path.with_name("one"))
    assert served.acme.order()["Id"] == 2
    reset(other)
    other.close()
    assert served.acme.order()["Number"] == "RSC000001"


def test_files_that_are_no_snapshots(served: Served, tmp_path: Path) -> None:
    """A file of another kind is neither read nor replaced."""
    notes = tmp_path / "notes.txt"
    notes.write_text("mine" * 1000)
    for work in (served.local.snapshot, served.local.reset):
        with pytest.raises(StoreError, match=r"notes.txt.*Choose a"):
            work(notes)
    with pytest.raises(StoreError, match=r"Choose a file"):
        served.local.reset(tmp_path / "none")
    kept = served.local.snapshot(tmp_path / "kept")
    with contextlib.closing(sqlite3.connect(kept)) as older:
        older.execute("PRAGMA user_version = 2")
    with pytest.raises(
        StoreError, match=r"kept is a snapshot in format 2; this version .* format 3\. Take it"
    ):
        served.local.reset(kept)
    assert notes.read_text().startswith("minemine")
    assert served.acme.get("Customer", 512)["Id"] == 512


def test_quick_enough_between_tests(served: Served) -> None:
    """A reset of the seeded store takes well under the 50 ms that anyone would notice."""
    snapshot = served.local.snapshot()
    for to in (None, snapshot):
        took = []
        for _ in range(7):
            served.acme.order()
            start = time.process_time()
            served.local.reset(to)
            took.append(time.process_time() - start)
        assert statistics.median(took) < 0.05
