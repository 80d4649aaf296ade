"""``wosdk import`` of what is not a CSV file of work orders: other formats, stdin, URLs, other operations."""

from __future__ import annotations

import csv
import functools
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import xlsxwriter

from tests.cli.conftest import Wosdk

CUSTOMERS = """
[entity]
name = "{name}"
display_as = "{name}"
dba = "{name}"
tenant_code = "{code}"
tax_exempt = false
work_zone = "@zone"
[reference.zone]
entity = "WorkZone"
where = { is_offline = false }
"""
ROWS = "code;name\nT1;Caf\u00e9\nT2;Z\u00fcrich\n"


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Options behind FILE, in an empty working directory."""
    (tmp_path / "map.toml").write_text(CUSTOMERS)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return ["--map", tmp_path / "map.toml", "--sandbox", tmp_path / "s.db", "--entity", "Customer", "--json"]


def test_delimiter_and_encoding_are_named(wosdk: Wosdk, command: list[object], tmp_path: Path) -> None:
    source = tmp_path / "customers.csv"
    source.write_bytes(ROWS.encode("cp1252"))
    refused = wosdk("import", source, *command)
    assert refused.exit_code == 2
    assert "--encoding cp1252" in refused.stderr
    refused = wosdk("import", source, *command, "--encoding", "cp1252")
    assert refused.exit_code == 2
    assert "--delimiter ';'" in refused.stderr
    result = wosdk("import", source, *command, "--encoding", "cp1252", "--delimiter", ";")
    assert (result.exit_code, json.loads(result.stdout)["created"]) == (0, 2)


def test_stdin_is_a_job_that_goes_on(wosdk: Wosdk, command: list[object], tmp_path: Path) -> None:
    content = ROWS.replace(";", ",")
    result = wosdk("import", "-", *command, input=content)
    assert json.loads(result.stdout)["created"] == 2, result.stderr
    (copy,) = (tmp_path / "here" / "stdin.job").glob("input.*.csv")
    assert copy.read_text() == content
    again = wosdk("import", "-", *command, input=content)
    assert "nothing to send; 2 created before" in again.stderr
    for name in ("-", "/dev/stdin"):
        assert wosdk("import", name, *command, input=content.replace("T", "U")).exit_code == 2
    other = wosdk("import", "-", *command, "--again", "--yes", input=content.replace("T", "U"))
    folder = Path(json.loads(other.stdout)["job"])
    assert folder.name == "stdin.job-2"
    shutil.rmtree(tmp_path / "here" / "stdin.job")  # the job has its own copy
    rewritten = wosdk("jobs", "rejects", folder)
    assert (rewritten.exit_code, rewritten.stderr) == (0, "")
    (own,) = folder.glob("input.*.csv")
    assert own.read_text() == content.replace("T", "U")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a directory, without a log."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Address of ``tmp_path`` on this machine."""
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://user:secret@127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_stdin_without_content_leaves_nothing(wosdk: Wosdk, command: list[object], tmp_path: Path) -> None:
    result = wosdk("import", "-", *command, input="")
    assert (result.exit_code, "stdin is empty" in result.stderr) == (2, True)
    assert not list((tmp_path / "here").iterdir())


def test_a_url_that_changes_has_one_job(
    wosdk: Wosdk, command: list[object], tmp_path: Path, url: str
) -> None:
    """As a file: what cannot be told from an edited row is refused, and new rows go into the same job."""
    source = tmp_path / "customers.csv"
    source.write_text("code,name\nT1,one\nT2,two\n")
    address = f"{url}/customers.csv?token=secret"
    begun = wosdk("import", address, *command)
    assert json.loads(begun.stdout)["created"] == 2, begun.stderr
    folder = tmp_path / "here" / "customers.csv.job"
    source.write_text("code,name\nT3,three\n")
    changed = wosdk("import", address, *command)
    assert (changed.exit_code, "--new-rows" in changed.stderr) == (2, True)
    source.write_text("code,name\nT1,one\nT2,two\nT3,three\n")
    more = wosdk("import", address, *command)
    assert (json.loads(more.stdout)["created"], json.loads(more.stdout)["job"]) == (3, folder.name)
    assert [each.name for each in (tmp_path / "here").iterdir()] == [folder.name]
    assert "secret" not in begun.stderr + changed.stderr + more.stderr
    assert b"secret" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--command", "WoCancelCommand"], "--command and --entity are mutually exclusive"),
        (["--update-by", "Id", "--delete-by", "Id"], "--update-by and --delete-by are mutually exclusive"),
        (["--update-by", "Nmae"], "Customer has no field 'Nmae'; did you mean 'name'?"),
        (["--delete-by", "TenantCode"], "entity.dba: a delete uses only tenant_code"),
        (["--sheet", "2"], ".csv files do not support sheet; leave out --sheet"),
        (["--format", "cvs"], "unknown format 'cvs'; did you mean 'csv'?"),
    ],
)
def test_options_that_do_not_fit(
    wosdk: Wosdk, command: list[object], tmp_path: Path, options: list[str], message: str
) -> None:
    source = tmp_path / "customers.csv"
    source.write_text("code,name\n")
    result = wosdk("import", source, *command, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_records_are_updated_and_deleted(wosdk: Wosdk, command: list[object], tmp_path: Path) -> None:
    source, short = tmp_path / "customers.csv", tmp_path / "key.toml"
    source.write_text("code,name\nT1,one\nT2,two\n")
    short.write_text('[entity]\ntenant_code = "{code}"\n')
    assert json.loads(wosdk("import", source, *command).stdout)["created"] == 2
    source.write_text("code,name\nT1,uno\n")
    updated = wosdk("import", source, *command, "--update-by", "TenantCode")
    assert (updated.exit_code, json.loads(updated.stdout)["updated"]) == (0, 1), updated.stderr
    command[1] = short
    deleted = wosdk("import", source, *command, "--delete-by", "TenantCode")
    assert (deleted.exit_code, json.loads(deleted.stdout)["deleted"]) == (0, 1), deleted.stderr
    assert wosdk("import", source, *command, "--update-by", "Id").exit_code == 2


def test_a_key_needs_an_entity(wosdk: Wosdk, tmp_path: Path) -> None:
    result = wosdk("import", tmp_path / "f.csv", "--map", tmp_path / "m.toml", "--update-by", "Id")
    assert "--update-by and --delete-by need --entity" in result.stderr
    assert "need --entity, as in --entity Customer" in result.stderr


# --- init -----------------------------------------------------------------------------------


def test_init_writes_a_map_once(wosdk: Wosdk, tmp_path: Path) -> None:
    source, made = tmp_path / "c.csv", tmp_path / "map.toml"
    source.write_text("Name;Tenant Code\n")
    command = ("import", "init", source, "--delimiter", ";", "--entity", "Customer")
    result = wosdk(*command, "-o", made)
    assert (result.exit_code, result.stdout) == (0, "")
    assert f"{made} written; fill in the 2 places marked {{ADAPT}}" in result.stderr
    options = "--delimiter ';' --entity Customer --check"
    assert result.stderr.endswith(f"wosdk import {source} --map {made} {options}\n"), "what to do next"
    assert wosdk(*command).stdout == made.read_text()
    again = wosdk(*command, "-o", made)
    assert (again.exit_code, again.stderr) == (
        2,
        f"wosdk: {made} exists already; name another file with -o\n",
    )
    unfilled = wosdk("import", source, "--delimiter", ";", "--map", made, "--sandbox")
    assert unfilled.exit_code == 2
    assert "replace {ADAPT} in entity.display_as, " in unfilled.stderr


def test_init_names_the_delimiter(wosdk: Wosdk, tmp_path: Path) -> None:
    """A draft of one column whose name is the whole header is of no use; unless it is asked for."""
    source = tmp_path / "c.csv"
    titled = "Prices\nName;Shop;Limit\nA;1;1,50\nB;2;2,50\n"
    for text, option in (("Name;Code\n", "';'"), ("Name\tCode, internal\tZone\n", "tab"), (titled, "';'")):
        source.write_text(text)
        result = wosdk("import", "init", source)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"add --delimiter {option}, or whichever" in result.stderr
    source.write_text("Name;Code\n")
    assert "'Name;Code'" not in wosdk("import", "init", source, "--delimiter", ",").stderr
    source.write_text("Name\n")
    assert wosdk("import", "init", source).exit_code == 0


def test_a_file_called_init_is_a_file(wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.toml").write_text(CUSTOMERS)
    result = wosdk("import", "./init", "--map", "m.toml", "--entity", "Customer")
    assert "init: no such file" in result.stderr
    assert "Usage: " in wosdk("import", "init", "--help").stdout


@pytest.mark.parametrize("check", [(), ("--check",)], ids=["import", "check"])
def test_a_header_row_that_a_format_lacks_is_named_where_it_was_set(
    wosdk: Wosdk, tmp_path: Path, check: tuple[str, ...]
) -> None:
    (tmp_path / "f.jsonl").write_text('{"code": "T1", "name": "x"}\n')
    (tmp_path / "m.toml").write_text(f"header_row = 3\n{CUSTOMERS}")
    options = ("--map", tmp_path / "m.toml", "--entity", "Customer", "--sandbox", *check)
    command = ("import", tmp_path / "f.jsonl", *options)
    of_map, of_option = wosdk(*command), wosdk(*command, "--header-row", 3)
    assert (of_map.exit_code, "delete header_row from the map" in of_map.stderr) == (2, True)
    assert (of_option.exit_code, "leave out --header-row" in of_option.stderr) == (2, True)


SHEET_MAP = f"""
operation = "create Customer"
marker = "tenant_code"
fill_down = ["Group"]
skip_when = {{ Status = "closed" }}
{CUSTOMERS.replace("{code}", "{Code}").replace('dba = "{name}"', 'dba = "{Group}"')}
"""


def test_a_report_made_for_people_is_imported(wosdk: Wosdk, tmp_path: Path) -> None:
    """Titles, a hidden sheet, groups in merged cells, closed rows and a total; and rejects of that."""
    with xlsxwriter.Workbook(tmp_path / "f.xlsx") as book:
        old, page = book.add_worksheet("Old"), book.add_worksheet("Customers")
        old.write(0, 0, "x")
        old.hide()
        page.activate()
        page.set_first_sheet()
        page.merge_range("A1:D1", "Customers of March")
        page.write_row(2, 0, ["Group", "Code", "name", "Status"])
        for number in range(1, 6):
            row = [
                f"T{number}",
                f"Name {number}" if number != 3 else "n" * 65,
                "closed" if number == 2 else "",
            ]
            page.write_row(number + 2, 1, row)
        page.merge_range("A4:A7", "North")
        page.write("A8", "South")
        page.write_row(8, 0, ["", "Total", 5])
    (tmp_path / "m.toml").write_text(SHEET_MAP)
    command = ["--map", tmp_path / "m.toml", "--sandbox", tmp_path / "s.db", "--yes", "--json"]
    refused = wosdk("import", tmp_path / "f.xlsx", *command)
    assert "line 3 looks like the header" in refused.stderr
    assert "add --header-row 3, or header_row = 3 to the map" in refused.stderr
    checked = wosdk("import", tmp_path / "f.xlsx", *command[:-1], "--header-row", 3, "--check")
    began = wosdk("import", tmp_path / "f.xlsx", *command, "--header-row", 3)
    found = json.loads(began.stdout)
    assert (found["rows"], found["created"], found["failed"]) == (4, 3, 1)
    for said in (checked.stderr, began.stderr):
        assert "reading sheet 'Customers'" in said
        assert "other sheets with content are ignored: 'Old'" in said
        assert "skip_when skips 1 row, line 5" in said
        assert "the last row looks like a total and is skipped: line 9 'Total'" in said
    folder = tmp_path / "f.xlsx.job"
    assert wosdk("jobs", "rejects", folder).exit_code == 0  # read again without the options
    (rejected,) = csv.DictReader((folder / "rejects.csv").read_text("utf-8-sig").splitlines())
    assert (rejected["Group"], rejected["Code"]) == ("North", "T3")
    corrected = (folder / "rejects.csv").read_text("utf-8-sig").replace("n" * 65, "Name 3")
    (tmp_path / "rejects.csv").write_text(corrected)
    (tmp_path / "m.toml").write_text(f"header_row = 3\n{SHEET_MAP}")
    ended = wosdk("import", tmp_path / "rejects.csv", *command, "--job", folder)
    assert json.loads(ended.stdout)["created"] == 1, ended.stderr
    again = wosdk("import", tmp_path / "f.xlsx", *command)
    assert json.loads(again.stdout)["created_now"] == 0, again.stderr
    proposed = wosdk("import", "init", tmp_path / "f.xlsx")
    assert "header_row = 3  #" in proposed.stdout
    assert "reading sheet 'Customers'" in proposed.stderr
    assert "other sheets with content are ignored: 'Old'" in proposed.stderr


def test_init_says_the_next_command_with_a_header_row(wosdk: Wosdk, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Report\nnumber,shop\nA1,Pier Coffee\n")
    result = wosdk("import", "init", tmp_path / "t.csv", "--header-row", "2", "-o", tmp_path / "t.toml")
    assert result.exit_code == 0
    assert "--header-row 2 --check\n" in result.stderr
