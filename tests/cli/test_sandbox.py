"""``wosdk sandbox``: the commands that prepare a store, keep it and bring it back."""

from __future__ import annotations

import os
import stat
import subprocess
import tomllib
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Wosdk, full_disk, spawn
from wosdk_async.sandbox import open_store
from wosdk_async.sandbox.server import console_of, listening, ports_of


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


@pytest.mark.parametrize(
    "arguments",
    [
        ("seed", "rows.json"),
        ("seed", "rows.json", "--company", "Nobody"),
        ("add-company", "AcmeFacilities"),
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
        result = wosdk("sandbox", "serve", "--store", tmp_path / "new.db", "--port", str(port))
    assert (result.exit_code, "Name another port, or 0 for a free one." in result.stderr) == (2, True)
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


def test_files_with_credentials_are_for_their_owner_only(wosdk: Wosdk, tmp_path: Path) -> None:
    """The store, the files beside it, and a snapshot, whatever the umask allows."""
    before = os.umask(0)
    try:
        opened = open_store(tmp_path / "s.db")
        assert (
            wosdk("sandbox", "snapshot", "--store", tmp_path / "s.db", "--to", tmp_path / "kept").exit_code
            == 0
        )
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        opened.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("s.db", "s.db-wal", "s.db-shm", "kept"), 0o600)


HOSTILE = 'X$(touch ran)y `touch ran` it\'s "1"'


def test_the_variables_of_any_company_can_be_sourced(tmp_path: Path) -> None:
    """A shell that reads what is printed runs nothing of it and gets the name as it is."""
    store, file = tmp_path / "n.db", tmp_path / "company.env"
    served = ("sandbox", "serve", "--port", "0", "--store", store, "--company", HOSTILE)
    printed = spawn(*served)
    assert printed.stdout is not None
    text = "".join(printed.stdout.readline() for _ in range(5))
    printed.terminate()
    printed.communicate(timeout=20)
    written = spawn(*served, "--env-file", file)
    assert written.stderr is not None
    message = [written.stderr.readline() for _ in range(3)]
    written.terminate()
    stdout, _ = written.communicate(timeout=20)
    assert stdout == ""
    assert message[0] == f"wosdk: the variables are in {file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (tmp_path / "printed.env").write_text(text)
    for name in ("printed.env", "company.env"):
        script = f"set -eu; set -a; . ./{name}; set +a; printenv WOSDK_COMPANY; printenv WOSDK_CLIENT_SECRET"
        done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
        company, secret = done.stdout.splitlines()
        assert (company, len(secret) > 20, done.stderr) == (HOSTILE, True, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["company.env", "n.db", "printed.env"]


def test_serve_names_its_console_and_the_root_leads_there(tmp_path: Path) -> None:
    process = spawn("sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db")
    assert process.stdout is not None
    assert process.stderr is not None
    variables = dict(process.stdout.readline().rstrip("\n").split("=", 1) for _ in range(5))
    root = variables["WOSDK_LOCATOR_URL"]
    assert process.stderr.readline() == f"wosdk: the console is at {root}/console\n"
    page = httpx.get(root, headers={"Accept": "text/html,*/*"}, follow_redirects=True)
    assert (str(page.url), page.status_code) == (f"{root}/console", 200)
    assert httpx.get(root).json() == {"Console": "/console", "Description": "/docs"}
    process.terminate()
    process.communicate(timeout=20)


@pytest.mark.parametrize(
    ("root", "console"),
    [
        ("http://0.0.0.0:8900", "http://127.0.0.1:8900/console"),
        ("http://[::]:8900", "http://[::1]:8900/console"),
        ("http://192.0.2.7:8900", None),
    ],
)
def test_the_console_is_named_where_it_answers(root: str, console: str | None) -> None:
    """It answers this machine only, under a loopback name."""
    assert console_of(root) == console


@pytest.mark.parametrize("name", ["nowhere/company.env", "."])
def test_an_env_file_that_cannot_be_written_is_reported(tmp_path: Path, name: str) -> None:
    process = spawn(
        "sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db", "--env-file", tmp_path / name
    )
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr.count("\n")) == (2, 1)
    assert f"{tmp_path / name}" in stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.env", "fifo", "link.env"])
def test_an_env_file_that_serve_did_not_write_is_kept(wosdk: Wosdk, tmp_path: Path, name: str) -> None:
    """It may hold the credentials of another Company; a fifo would be replaced by a file."""
    real = "WOSDK_COMPANY=Acme\nWOSDK_CLIENT_ID=id\nWOSDK_CLIENT_SECRET=real\n"
    (tmp_path / "notes.env").write_text(real)
    (tmp_path / "link.env").symlink_to("notes.env")
    os.mkfifo(tmp_path / "fifo")
    made = wosdk(
        *("sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db", "--env-file", tmp_path / name)
    )
    message = (
        f"--env-file {tmp_path / name} is not a regular file; name another"
        if name == "fifo"
        else f"{tmp_path / name} exists already, and `wosdk sandbox serve` did not write it; name another"
        " file, or add --force to overwrite it"
    )
    assert (made.exit_code, made.stderr) == (2, f"wosdk: {message}\n")
    assert (tmp_path / "notes.env").read_text() == real
    assert (tmp_path / "fifo").is_fifo()
    assert not (tmp_path / "s.db").exists()


def test_an_env_file_of_before_is_written_anew(tmp_path: Path) -> None:
    """What serve wrote before, an empty file, and with --force any other; behind a link, which stays."""
    (tmp_path / "link.env").symlink_to("company.env")
    (tmp_path / "company.env").touch()
    for before, *more in (("",), (None,), ("mine", "--force")):
        if before is not None:
            (tmp_path / "company.env").write_text(before)
        served = spawn(
            *("sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db"),
            *("--env-file", tmp_path / "link.env", *more),
        )
        assert served.stderr is not None
        assert served.stderr.readline() == f"wosdk: the variables are in {tmp_path / 'link.env'}\n"
        served.terminate()
        served.communicate(timeout=20)
        assert (tmp_path / "company.env").read_text().startswith("WOSDK_TOKEN_URL=http://127.0.0.1:")
    assert (tmp_path / "link.env").is_symlink()


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


def test_an_env_file_is_not_the_store(wosdk: Wosdk, store: Path, tmp_path: Path) -> None:
    """Under whichever name: the store stays as it was, and nothing is served."""
    (tmp_path / "link.env").symlink_to(store)
    before = store.read_bytes()
    others = (tmp_path / "sub" / ".." / "s.db", tmp_path / "link.env", f"{store}-wal", f"{store}-shm")
    (tmp_path / "sub").mkdir()
    for env_file in (store, *others):
        made = wosdk("sandbox", "serve", "--port", "0", "--store", store, "--env-file", env_file)
        assert (made.exit_code, made.stderr) == (
            2,
            f"wosdk: --env-file would overwrite {store}; name another file\n",
        )
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
    message = "there is no store new.db; `wosdk sandbox serve` and `add-company` make one"
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
    message = "wosdk: rule 1 (reset): company is 'nope'; there is only AcmeFacilities.\n"
    assert (process.returncode, stderr) == (2, message)
    assert [path.name for path in tmp_path.iterdir()] == ["f.toml"]


def test_faults_that_are_not_there(wosdk: Wosdk, tmp_path: Path) -> None:
    at = ("--store", tmp_path / "s.db", "--faults", tmp_path / "nope.toml")
    made = wosdk("sandbox", "serve", "--port", "0", *at)
    assert (made.exit_code, made.stderr) == (
        2,
        f"wosdk: {tmp_path / 'nope.toml'}: No such file or directory\n",
    )


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_rows_that_are_not_separated_by_commas(wosdk: Wosdk, store: Path, tmp_path: Path, mark: str) -> None:
    (tmp_path / "s4.csv").write_text(f"Name{mark}WorkZone.Id\nMole End{mark}14\n")
    made = wosdk("sandbox", "seed", "--store", store, tmp_path / "s4.csv", "--entity", "Customer")
    message = f"wosdk: line 1: its cells seem to be separated by {mark!r}; separate them by commas.\n"
    assert (made.exit_code, made.stderr) == (2, message)
