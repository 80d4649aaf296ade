"""What cannot be worked with: exit status 2, and one line that names the place and the remedy."""

# ruff: noqa: E501 - tables of inputs and the messages about them

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import EXAMPLES, Wosdk
from tests.jobs.readers import hostile_format
from tests.support.service import Service
from wosdk_async.jobs.sources.formats import FORMATS

FILE, MAP = EXAMPLES / "requests.csv", EXAMPLES / "sf311.toml"
HEADER = FILE.read_bytes().split(b"\n")[0] + b"\n"


def refused(wosdk: Wosdk, *arguments: str | Path, status: int = 2) -> str:
    """The line that a command gives up with."""
    result = wosdk(*arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    *shown, line = result.stderr.splitlines()
    assert all(" rows to send for Company " in text for text in shown)
    assert line.startswith("wosdk: ")
    return line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            HEADER + b"caf\xe9\n",
            f"f.csv, line 2, column 4: byte 0xe9 at offset {len(HEADER) + 3} is not UTF-8; the encoding may be "
            "cp1252; add --encoding cp1252, or save the file as UTF-8",
        ),
        (b"unique_key\n1\n", "f.csv: no column 'descriptor', which [command] of "),
        (b"unique_key;descriptor\n1;2\n", "the delimiter seems to be ';'; add --delimiter ';'"),
    ],
)
def test_a_file_that_is_unusable(wosdk: Wosdk, tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "f.csv").write_bytes(content)
    assert message in refused(wosdk, "import", tmp_path / "f.csv", "--map", MAP, "--sandbox")


def test_a_file_whose_reader_misbehaves(
    wosdk: Wosdk, tmp_path: Path, scripted: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is sent, not even a log-in. All ways to misbehave are one error (test_sources_hostile)."""
    monkeypatch.setitem(FORMATS, ".hostile", hostile_format())
    (tmp_path / "f.hostile").write_text("abort")
    for check in ([], ["--check"]):
        line = refused(wosdk, "import", tmp_path / "f.hostile", "--map", MAP, "--yes", *check)
        assert line.startswith(f"wosdk: {tmp_path / 'f.hostile'}: ")
    assert scripted.connections == 0
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".job"] == []


def test_a_file_that_is_not_there(wosdk: Wosdk, tmp_path: Path) -> None:
    assert "none.csv: no such file" in refused(wosdk, "import", "none.csv", "--map", MAP, "--sandbox")
    assert "is a directory; name a file" in refused(wosdk, "import", tmp_path, "--map", MAP, "--sandbox")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("po_number = ", "po_numbr = ", "m.toml: command.work_order.po_numbr: WorkOrder has no field 'po_numbr'; did you mean 'po_number'?"),
        ("{agency_name|", "{agency_nam|", "no column 'agency_nam', which [reference.customer] of "),
    ],
)  # fmt: skip
def test_a_map_that_is_unusable(wosdk: Wosdk, tmp_path: Path, old: str, new: str, message: str) -> None:
    text = MAP.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "m.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    assert message in refused(wosdk, "import", FILE, "--map", tmp_path / "m.toml", "--sandbox")


def test_a_file_that_is_nested_too_deeply(
    wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of settings, a map and faults alike."""
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 50_000, encoding="utf-8")
    assert "deep.toml" in refused(wosdk, "import", FILE, "--map", path, "--sandbox")
    assert "deep.toml" in refused(wosdk, "sandbox", "serve", "--store", tmp_path / "s.db", "--faults", path)
    monkeypatch.setenv("WOSDK_CONFIG", str(path))
    assert "deep.toml" in refused(wosdk, "--profile", "a", "get", "Customer", "1")
    assert wosdk("--profile", "a", "check").exit_code == 2


def test_a_secret_file_that_cannot_be_named(
    wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        '[profiles.a]\ncompany="A"\nclient_id="i"\nclient_secret_file="a\\u0000b"', encoding="utf-8"
    )
    monkeypatch.setenv("WOSDK_CONFIG", str(path))
    assert "cannot be read" in refused(wosdk, "--profile", "a", "get", "Customer", "1")
    assert wosdk("--profile", "a", "check").exit_code == 2


def test_a_fixed_record_that_the_company_lacks(wosdk: Wosdk, tmp_path: Path) -> None:
    text = MAP.read_text(encoding="utf-8").replace("is_def_sr = true", "is_def_basic = true")
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    line = refused(wosdk, "import", FILE, "--map", tmp_path / "m.toml", "--sandbox")
    assert (
        "no WorkOrderType with type_id = Request, is_def_basic = true was found; change the reference's `where`"
        in line
    )


def test_what_is_not_a_store(wosdk: Wosdk, tmp_path: Path) -> None:
    (tmp_path / "s.db").write_text("not a database at all, but long enough to be looked at" * 20)
    assert "s.db: " in refused(wosdk, "import", FILE, "--map", MAP, "--sandbox", tmp_path / "s.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "t.db")) as other:
        other.execute("CREATE TABLE x (y)")
    assert "t.db is " in refused(wosdk, "sandbox", "serve", "--port", "0", "--store", tmp_path / "t.db")


def test_outcomes_that_cannot_be_written(wosdk: Wosdk, tmp_path: Path) -> None:
    target = tmp_path / "none" / "out.jsonl"
    line = refused(wosdk, "import", FILE, "--map", MAP, "--sandbox", "--outcomes", target)
    assert f"{target}: No such file or directory" in line


def test_outcomes_never_overwrite_an_input(wosdk: Wosdk, tmp_path: Path) -> None:
    copy = tmp_path / "f.csv"
    copy.write_bytes(FILE.read_bytes())
    line = refused(wosdk, "import", copy, "--map", MAP, "--sandbox", "--outcomes", copy)
    assert f"--outcomes would overwrite {copy}; name another file" in line
    assert copy.read_bytes() == FILE.read_bytes()


@pytest.mark.parametrize(
    ("variable", "value", "status", "message"),
    [
        ("WOSDK_CLIENT_SECRET", "wrong", 5, "refused"),
        ("WOSDK_REGION", "mars", 2, "WOSDK_REGION is 'mars'; use one of"),
        ("WOSDK_TOKEN_URL", "http://127.0.0.1:1/", 6, "the service was not reached"),
    ],
)
def test_a_company_that_cannot_be_reached(
    wosdk: Wosdk,
    served: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    status: int,
    message: str,
) -> None:
    monkeypatch.setenv(variable, value)
    line = refused(wosdk, "import", FILE, "--map", MAP, "--deadline", "2", status=status)
    assert message in line
    assert served["WOSDK_CLIENT_SECRET"] not in line


def test_an_empty_name_is_not_the_usual_company(wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--company ''``, of a script whose variable is unset, must not act on the Company of the environment."""
    for name in ("COMPANY", "CLIENT_ID", "CLIENT_SECRET"):
        monkeypatch.setenv(f"WOSDK_{name}", "x")
    assert "company is empty" in refused(wosdk, "--company", "", "get", "WorkOrder", "1")


def test_a_file_that_was_taken_for_the_store_or_is_not_named(wosdk: Wosdk) -> None:
    for file, said in (
        ([FILE], f"'{FILE}' was read as the --sandbox store. Put FILE first"),
        ([], "FILE is missing: name the CSV file"),
    ):
        result = wosdk("import", "--sandbox", *file, "--map", MAP)
        assert (result.exit_code, said in result.stderr) == (2, True)


@pytest.mark.parametrize("text", ["abc", "0", "nan", "inf"])
def test_a_deadline_is_a_number_of_seconds(wosdk: Wosdk, text: str) -> None:
    result = wosdk("get", "Customer", "512", "--deadline", text)
    assert result.exit_code == 2
    assert "Error: Invalid value for '--deadline': " in result.stderr


def test_a_working_directory_that_was_deleted(
    wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system names no file then, so the message does."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for command in (("import", "x.csv", "--map", "m.toml"), ("export", "WorkOrder", "-o", "a.csv")):
        assert (
            refused(wosdk, *command)
            == "wosdk: the working directory was deleted; change to another directory"
        )
