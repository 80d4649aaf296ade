"""``wosdk sandbox``: the commands that prepare a store, keep it and bring it back."""

from __future__ import annotations

import contextlib
import json
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, full_disk, serving, spawn
from wosdk_async.sandbox import open_store
from wosdk_async.sandbox.server import listening, ports_of


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
    (tmp_path / "more.json").write_text('{"Customer": [{"Name": "Mole End", "WorkZone": {"Id": 14}}]}')
    at = ("--store", store)
    made = wosdk("sandbox", "seed", *at, tmp_path / "more.json")
    assert (made.exit_code, "added 1 record from" in made.stderr) == (0, True)
    for replaced in (False, True):
        taken = wosdk("sandbox", "snapshot", *at, "--to", tmp_path / "kept")
        assert (taken.exit_code, "replacing" in taken.stderr) == (0, replaced)
    assert wosdk("sandbox", "reset", *at).exit_code == 0
    assert "Mole End" not in customers(store)
    assert wosdk("sandbox", "reset", *at, "--to", tmp_path / "kept").exit_code == 0
    assert "Mole End" in customers(store)


def test_records_inside_a_row_are_counted(wosdk: Wosdk, store: Path, tmp_path: Path) -> None:
    contacts = [{"FirstName": "Mole", "TypeId": "Primary"}]
    customer = {"Name": "Mole End", "WorkZone": {"Id": 99}, "Contacts": contacts}
    rows = {"WorkZone": [{"Id": 99, "DisplayAs": "Wild Wood"}], "Customer": [customer]}
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    made = wosdk("sandbox", "seed", "--store", store, tmp_path / "rows.json")
    assert f"added 2 records from {tmp_path / 'rows.json'}, and 1 nested record\n" in made.stderr


def test_mistakes_of_a_file(wosdk: Wosdk, store: Path, tmp_path: Path) -> None:
    """Each mistake is a line on stderr, and the exit status is 2."""
    (tmp_path / "rows.json").write_text('{"Custmer": [{}]}')
    made = wosdk("sandbox", "seed", "--store", store, tmp_path / "rows.json")
    assert made.exit_code == 2
    assert "there is no entity type 'Custmer' (did you mean Customer?)" in made.stderr
    (tmp_path / "rows.json").write_text('{"Customer": [{"Nmae": "x"},\n{"Name": 7}]}')
    made = wosdk("sandbox", "seed", "--store", store, tmp_path / "rows.json")
    assert made.exit_code == 2
    places = [line.split(":")[1] for line in made.stderr.splitlines()]
    assert places == [" record 1 of Customer", " record 2 of Customer"]
    for arguments in (["none.json"], [tmp_path / "rows.json", "--company", "Nobody"]):
        made = wosdk("sandbox", "seed", "--store", store, *arguments)
        assert (made.exit_code, len(made.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("seed", "rows.json"),
        ("seed", "rows.json", "--company", "Nobody"),
        ("add-company", "Müller"),
        ("reset", "--to", "none.snapshot"),
    ],
)
def test_a_mistake_leaves_no_new_store_behind(
    wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """Nothing is there afterwards; a store that was there stays."""
    monkeypatch.chdir(tmp_path)
    Path("rows.json").write_text('{"Customer": [{"Nmae": "x"}]}')
    command, *rest = arguments
    assert wosdk("sandbox", command, "--store", "new.db", *rest).exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.json"]
    open_store("new.db").close()
    assert wosdk("sandbox", command, "--store", "new.db", *rest).exit_code == 2
    assert customers(Path("new.db"))


def test_a_taken_port_leaves_no_new_store_behind(wosdk: Wosdk, tmp_path: Path) -> None:
    with listening("127.0.0.1", 0) as taken:
        taken.listen()
        (port,) = ports_of([taken])
        for option, more in (("--port", ()), ("--second-port", ("--port", "0"))):
            result = wosdk("sandbox", "serve", "--store", tmp_path / "new.db", option, str(port), *more)
            said = f"Choose another port, or 0 for a free one, with {option}\n"
            assert (result.exit_code, result.stderr.endswith(said)) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("serve", "--port", "0"), ("add-company", "South")])
def test_a_full_disk_leaves_no_new_store_behind(
    wosdk: Wosdk, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    command, *rest = arguments
    with full_disk():
        result = wosdk("sandbox", command, "--store", tmp_path / "new.db", *rest)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert str(tmp_path / "new.db") in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_company_without_verification(wosdk: Wosdk, store: Path) -> None:
    """It is added so, or all are switched where they are served."""
    assert wosdk("sandbox", "add-company", "--store", store, "South", "--no-verification").exit_code == 0
    for switch, expected in (
        ((), [True, False]),
        (("--no-verification",), [False, False]),
        (("--verification",), [True, True]),
    ):
        with serving("--store", store, *switch):
            pass
        opened = open_store(store)
        assert [company.verification for company in opened.companies()] == expected
        opened.close()


def test_a_new_store_has_only_the_added_company(wosdk: Wosdk, tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    assert wosdk("sandbox", "add-company", "--store", store, "Mine", "--empty").exit_code == 0
    (tmp_path / "rows.json").write_text('{"Customer": [{"Name": "Mole End", "DisplayAs": "Mole End"}]}')
    seeded = wosdk("sandbox", "seed", "--store", store, tmp_path / "rows.json")
    assert "wosdk: Mine: added 1 record" in seeded.stderr
    with contextlib.closing(open_store(store)) as opened:
        assert [company.name for company in opened.companies()] == ["Mine"]


def test_companies_as_profiles(wosdk: Wosdk, store: Path) -> None:
    """An added Company has its own rows and credentials, printed as profiles of a settings file."""
    added = wosdk("sandbox", "add-company", "--store", store, "South", "--host", "south.localhost", "--empty")
    assert added.exit_code == 0
    assert customers(store, 1) == []
    again = wosdk("sandbox", "add-company", "--store", store, "south")
    assert (again.exit_code, "already exists. Choose another name" in again.stderr) == (2, True)
    assert wosdk("sandbox", "companies", "--store", store).stdout.startswith("# For a sandbox served at ")
    printed = wosdk("sandbox", "companies", "--store", store, "--url", "http://127.0.0.1:1/").stdout
    found = tomllib.loads(printed)["profiles"]
    assert list(found) == ["AcmeFacilities", "South"]
    assert found["South"]["trusted_hosts"] == ["south.localhost"]
    assert found["South"]["token_url"] == "http://127.0.0.1:1/OAuth/token"
    assert found["South"]["client_secret"] != found["AcmeFacilities"]["client_secret"]


def test_serve_with_companies(wosdk: Wosdk, tmp_path: Path) -> None:
    """The variables printed are those of the Company named first; a command prints the others."""
    process = spawn(
        *("sandbox", "serve", "--port", "0", "--store", tmp_path / "n.db"),
        *("--company", "North", "--company", "South"),
    )
    assert process.stdout is not None
    lines = [process.stdout.readline().strip() for _ in range(5)]
    process.terminate()
    said = process.communicate(timeout=20)[1]
    assert "WOSDK_COMPANY=North" in lines
    shown = wosdk(*shlex.split(said.partition("`wosdk")[2].partition("`")[0])).stdout
    south = tomllib.loads(shown)["profiles"]["South"]
    assert f"WOSDK_LOCATOR_URL={south['locator_url']}" in lines
    opened = open_store(tmp_path / "n.db")
    assert [company.name for company in opened.companies()] == ["North", "South"]
    opened.close()


def test_an_env_file_is_not_the_store(wosdk: Wosdk, store: Path, tmp_path: Path) -> None:
    """Under whichever name: the store stays as it was, and nothing is served."""
    (tmp_path / "link.env").symlink_to(store)
    before = store.read_bytes()
    others = (tmp_path / "sub" / ".." / "s.db", tmp_path / "link.env", f"{store}-wal", f"{store}-shm")
    (tmp_path / "sub").mkdir()
    for env_file in (store, *others):
        made = wosdk("sandbox", "serve", "--port", "0", "--store", store, "--env-file", env_file)
        assert made.exit_code == 2
        assert made.stderr.startswith(f"wosdk: --env-file would overwrite {store}; ")
    assert store.read_bytes() == before
    assert (tmp_path / "link.env").is_symlink()


def test_a_store_is_not_its_own_snapshot(wosdk: Wosdk, store: Path) -> None:
    made = wosdk("sandbox", "snapshot", "--store", store, "--to", store)
    assert (made.exit_code, "--to" in made.stderr, "would overwrite" in made.stderr) == (2, True, True)


@pytest.mark.parametrize(
    "arguments", [("companies",), ("snapshot", "--to", "kept"), ("reset",), ("seed", "rows.json")]
)
def test_a_misspelt_store_is_reported(
    wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """Only what is to make a store makes one."""
    monkeypatch.chdir(tmp_path)
    Path("rows.json").write_text('{"Customer": [{"Name": "x", "WorkZone": {"Id": 14}}]}')
    command, *rest = arguments
    made = wosdk("sandbox", command, "--store", "new.db", *rest)
    message = "new.db: no such store; `wosdk sandbox serve` creates one"
    assert (made.exit_code, made.stdout, made.stderr) == (2, "", f"wosdk: {message}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.json"]
    assert wosdk("sandbox", "add-company", "--store", "new.db", "South").exit_code == 0
    assert wosdk("sandbox", command, "--store", "new.db", *rest).exit_code == 0


def test_a_fault_for_an_unknown_company_is_refused(tmp_path: Path) -> None:
    """A rule that names a Company which is not there would never strike; the store is not made."""
    (tmp_path / "f.toml").write_text('[[rule]]\nfault = "reset"\ncompany = "Nope"\n')
    process = spawn(
        *("sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db", "--faults", tmp_path / "f.toml")
    )
    try:
        _, stderr = process.communicate(timeout=20)  # not a command in this process: it would serve for ever
    finally:
        process.kill()
    message = "wosdk: rule 1 (reset): company is 'Nope'; known: AcmeFacilities.\n"
    assert (process.returncode, stderr) == (2, message)
    assert [path.name for path in tmp_path.iterdir()] == ["f.toml"]


def test_faults_that_are_not_there(wosdk: Wosdk, tmp_path: Path) -> None:
    at = ("--store", tmp_path / "s.db", "--faults", tmp_path / "nope.toml")
    made = wosdk("sandbox", "serve", "--port", "0", *at)
    assert made.exit_code == 2
    assert made.stderr == f"wosdk: {tmp_path / 'nope.toml'}: No such file or directory\n"


def test_a_sandbox_that_cannot_start_is_one_line(
    wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when too few files may be open."""

    async def fails(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("wosdk_async.sandbox.server._Server.serve", fails)
    (tmp_path / "a.csv").write_text("n\n1\n")
    (tmp_path / "m.toml").write_text("[command.work_order]\npo_number = '{n}'\n")
    options = ("--map", tmp_path / "m.toml", "--sandbox", tmp_path / "s.db", "--check")
    result = wosdk("import", tmp_path / "a.csv", *options)
    assert result.stderr.strip() == "wosdk: The sandbox did not start: Too many open files."
    assert (result.exit_code, result.stdout) == (2, "")
