"""Texts of the service and of files that look like markup are shown as they are, wherever they are shown."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, table
from tests.cli.importing import MAP, imported
from tests.cli.terminal import Terminal
from tests.support.service import Answer, Service, error
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.jobs.journal import Journal, RowRecord, State

HOSTILE = "[bold]x[/bold] {x} {0} [/] :truck: %s \\[a] \x1b[2J\u202e"
SHOWN = "[bold]x[/bold] {x} {0} [/] :truck: %s \\[a] \\x1b[2J\\u202e"


def one_record(service: Service) -> None:
    """Let the service respond with one record, and with no further page."""
    entity = {"Data": {"Id": 1, "Name": HOSTILE, HOSTILE: "y"}}
    pages = iter([{"Entities": [entity], **entity}])
    service.handler = lambda _: Answer(body=next(pages, {"Entities": []}))


@pytest.mark.parametrize(
    "arguments",
    [
        ("query", "Customer"),
        ("query", "Customer", "-p", "Name"),
        ("get", "Customer", "1"),
        ("query", "Customer", "--json", "-vv"),
    ],
)
def test_records(scripted: Service, wosdk: Wosdk, arguments: tuple[str, ...]) -> None:
    one_record(scripted)
    result = wosdk(*arguments)
    assert result.exit_code == 0, result.stderr
    text = result.stderr.replace("\\\\", "\\") if "-vv" in arguments else result.stdout
    assert SHOWN in text or SHOWN.replace("\\x1b", "\\u001b") in text, text
    assert "-vv" not in arguments or json.loads(result.stdout)["Name"] == HOSTILE


def test_records_on_a_terminal(scripted: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """There rich draws the table."""
    monkeypatch.setenv("COLUMNS", "200")
    one_record(scripted)
    terminal = Terminal("query", "Customer", "-p", "Name")
    assert terminal.end() == 0, terminal.shown
    assert SHOWN in terminal.shown


@pytest.mark.parametrize("command", [("get", "Customer", "1"), ("check",), ("query", "Customer", "--all")])
def test_messages(scripted: Service, wosdk: Wosdk, command: tuple[str, ...]) -> None:
    scripted.handler = lambda _: error(400, "X", HOSTILE)
    result = wosdk(*command)
    assert SHOWN in result.stderr + result.stdout
    scripted.on_token = lambda _: error(503, "X", HOSTILE)
    late = wosdk("--deadline", "0.3", *command)
    assert SHOWN in late.stderr + late.stdout


def test_progress_that_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    """With the detail behind the count, too."""
    with RowProgress(3, live=True) as progress:
        progress.stage(HOSTILE)
        progress.add(3, "[bold]3 failed[/bold] {x}")
    shown = capsys.readouterr().err
    assert SHOWN in shown
    assert "[bold]3 failed[/bold] {x}" in shown


def test_a_check_of_an_import(file: Path, wosdk: Wosdk) -> None:
    """Names of columns, values in reasons, and requests."""
    header, *rows = table()
    rows[0][header.index("resolution_action_updated_date")] = HOSTILE
    rows[1][0] = rows[0][0] = HOSTILE
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([[*header, HOSTILE], *([*row, "1"] for row in rows)])
    result = wosdk("import", file, "--map", MAP, "--sandbox", "--check")
    assert f" of 14  {SHOWN}  not used by the map" in result.stdout
    assert "the key '[bold]x[/bold] {x} {0} [/] :truck: %s" in result.stderr


def test_a_job(file: Path, tmp_path: Path, wosdk: Wosdk) -> None:
    """Its rows, and its report."""
    folder = imported(wosdk, file, tmp_path / "s.db")

    async def fail() -> None:
        async with Journal.open(folder) as journal:
            journal.record(RowRecord(3, State.REFUSED, reason=HOSTILE, code=HOSTILE))

    asyncio.run(fail())
    assert f"  row 3 (line 4) 900003: {SHOWN}\n" in wosdk("jobs", "show", folder).stdout
    assert wosdk("jobs", "rejects", folder).exit_code == 0
    assert "[bold]x[/bold] {x} {0} [/] :truck: %s" in (folder / "report.html").read_text("utf-8")
    assert SHOWN in (folder / "results.csv").read_text("utf-8")


def test_a_later_page_is_not_cut_to_the_widths_of_the_first(scripted: Service, wosdk: Wosdk) -> None:
    """Outside of a terminal: one line for each record, of any width, and cells of up to 60 characters."""
    pages = iter([["a"] * 4000, ["b" * 50, "c" * 4000]])
    first = 0

    def respond(_: object) -> Answer:
        nonlocal first
        names = next(pages, [])
        entities = [{"Data": {"Id": first + i, "Name": name}} for i, name in enumerate(names, 1)]
        first += len(names)
        return Answer(body={"Entities": entities})

    scripted.handler = respond
    lines = wosdk("query", "Customer", "-p", "Id", "-p", "Name", "--all").stdout.splitlines()
    assert len(lines) == 4003
    assert lines[1].split() == ["1", "a"]
    assert lines[-2].split() == ["4001", "b" * 50]
    assert lines[-1].split() == ["4002", "c" * 59 + "…"]


def test_many_columns_stay_on_one_line_in_a_pipe(scripted: Service, wosdk: Wosdk) -> None:
    names = [f"Property{i}" for i in range(60)]
    data = {"Id": 1} | {name: f"value of {name}" for name in names}
    pages = iter([{"Entities": [{"Data": data}]}])
    scripted.handler = lambda _: Answer(body=next(pages, {"Entities": []}))
    header, line = wosdk("query", "Nameless", "--unchecked").stdout.splitlines()
    assert header.split() == ["Id", *names]
    assert len(line) > 1000
    assert all(f"value of {name}" in line for name in names)
