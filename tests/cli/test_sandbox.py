"""``wosdk sandbox``: the commands that prepare a store, keep it and bring it back."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, spawn
from wosdk_async.sandbox import open_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    open_store(tmp_path / "s.db").close()
    return tmp_path / "s.db"


def customers(store: Path, company: int = 0) -> list[str]:
    opened = open_store(store)
    owner = opened.companies()[company].id
    rows = opened.select('SELECT body FROM "Customer" WHERE company = ? ORDER BY id', [owner])
    opened.close()
    return [row["Name"] for row in rows]


def test_seed_snapshot_and_reset(wosdk: Wosdk, store: Path, tmp_path: Path) -> None:
    """Rows of a file go in, a snapshot keeps them, a reset brings them back or takes them away."""
    (tmp_path / "more.csv").write_text("Name,WorkZone.Id\nMole End,14\n")
    at = ("--store", store)
    made = wosdk("sandbox", "seed", *at, tmp_path / "more.csv", "--entity", "Customer")
    assert (made.exit_code, "added 1 row of" in made.stderr) == (0, True)
    assert wosdk("sandbox", "snapshot", *at, "--to", tmp_path / "kept").exit_code == 0
    assert wosdk("sandbox", "reset", *at).exit_code == 0
    assert "Mole End" not in customers(store)
    assert wosdk("sandbox", "reset", *at, "--to", tmp_path / "kept").exit_code == 0
    assert "Mole End" in customers(store)


def test_mistakes_of_a_file(wosdk: Wosdk, store: Path, tmp_path: Path) -> None:
    """Each mistake is a line on stderr, and the exit status is 2."""
    (tmp_path / "rows.json").write_text('{"Customer": [{"Nmae": "x"},\n{"Name": 7}]}')
    made = wosdk("sandbox", "seed", "--store", store, tmp_path / "rows.json")
    assert made.exit_code == 2
    assert [line.split(":")[1] for line in made.stderr.splitlines()] == [" line 1", " line 2"]
    for arguments in (["none.json"], [tmp_path / "rows.json", "--company", "Nobody"]):
        made = wosdk("sandbox", "seed", "--store", store, *arguments)
        assert (made.exit_code, len(made.stderr.splitlines())) == (2, 1)


def test_companies_as_profiles(wosdk: Wosdk, store: Path) -> None:
    """An added Company has its own rows and credentials, printed as profiles of a settings file."""
    added = wosdk("sandbox", "add-company", "--store", store, "South", "--host", "south.localhost", "--empty")
    assert added.exit_code == 0
    assert customers(store, 1) == []
    again = wosdk("sandbox", "add-company", "--store", store, "south")
    assert (again.exit_code, "already. Give another name" in again.stderr) == (2, True)
    printed = wosdk("sandbox", "companies", "--store", store, "--url", "http://127.0.0.1:1/").stdout
    found = tomllib.loads(printed)["profiles"]
    assert list(found) == ["AcmeFacilities", "South"]
    assert found["South"]["trusted_hosts"] == ["south.localhost"]
    assert found["South"]["token_url"] == "http://127.0.0.1:1/OAuth/token"
    assert found["South"]["client_secret"] != found["AcmeFacilities"]["client_secret"]


def test_serve_with_companies(tmp_path: Path) -> None:
    """The variables printed are those of the Company named first."""
    process = spawn(
        *("sandbox", "serve", "--port", "0", "--store", tmp_path / "n.db"),
        *("--company", "North", "--company", "South"),
    )
    assert process.stdout is not None
    lines = [process.stdout.readline().strip() for _ in range(5)]
    process.terminate()
    process.communicate(timeout=20)
    assert "WOSDK_COMPANY=North" in lines
    opened = open_store(tmp_path / "n.db")
    assert [company.name for company in opened.companies()] == ["North", "South"]
    opened.close()
