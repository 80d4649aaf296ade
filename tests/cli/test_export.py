"""``wosdk export`` as people use it: files, summaries, refusals, and processes that are killed."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import COMMAND, ROOT, Wosdk, spawn
from tests.export.conftest import Orders, order
from tests.support.laws import some
from tests.support.service import Service
from wosdk_async import Company
from wosdk_async.jobs import Export, IncrementalExport


@pytest.fixture
def orders(scripted: Service) -> Orders:
    """A service with 300 work orders."""
    made = Orders(order(id) for id in range(1, 301))
    scripted.handler = made
    return made


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("suffix", ["parquet", "xlsx"])
def test_each_format(wosdk: Wosdk, tmp_path: Path, suffix: str) -> None:
    """A line on stdout says what there is; nothing else is left."""
    output = tmp_path / f"places.{suffix}"
    result = wosdk("export", "Location", "-o", output)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{output}: 13 rows, 17 columns, ")
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("option", ["-p", "--property", "--select"])
def test_conditions_columns_and_the_summary_as_json(wosdk: Wosdk, tmp_path: Path, option: str) -> None:
    output = tmp_path / "units.csv"
    result = wosdk("export", "Location", "-w", "TypeId = Unit", option, "Name", "-o", output, "--json")
    with output.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["Name"] for row in rows] == ["Suite 101", "Suite 201", "Shop 12", "Small suite"]
    found = json.loads(result.stdout)
    assert (found["path"], found["rows"], found["format"], found["columns"]) == (str(output), 4, "csv", 3)


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("Locaton",), 2, "did you mean 'Location'? `wosdk query --unchecked` sends it unchanged"),
        (("Location", "-w", "TypeId = Unitt"), 2, "did you mean 'Unit'? `wosdk query --unchecked` sends it"),
        (("Location", "--since", "last"), 2, "Location has no LastActionDateUtc"),
        (("WorkOrder", "--since", "last", "-w", "StatusId = New"), 2, "so --where does not apply"),
        (("WorkOrder", "--since", "last", "--limit", "5"), 2, "so --limit does not apply"),
        (("WorkOrder", "--since", "last", "--force"), 2, "--force does not apply"),
        (("WorkOrder", "--since", "last", "--page", "9"), 2, "leave out --page"),
        (("WorkOrder", "--since", "yesterday"), 2, "write 'last', or a time with its zone"),
    ],
)  # fmt: skip
def test_what_is_refused(
    wosdk: Wosdk, tmp_path: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    """One line on stderr, and no file."""
    result = wosdk("export", *arguments, "-o", tmp_path / "out.parquet")
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("seeded")
def test_outputs_that_cannot_be(wosdk: Wosdk, tmp_path: Path) -> None:
    """A suffix without a format, a file that exists, a directory that does not."""
    kept = tmp_path / "kept.csv"
    kept.write_text("precious")
    kept.chmod(0o600)
    for output, message in (
        (tmp_path / "out.dat", "suffix '.dat' is not a known format; add --format"),
        (kept, "already exists; name another file, or add --force"),
        (tmp_path / "none" / "out.csv", "does not exist; create it"),
        (Path("-"), "-o -: cannot export to stdout"),
    ):
        result = wosdk("export", "Location", "-o", output)
        assert result.exit_code == 2
        assert message in result.stderr
    assert kept.read_text() == "precious"
    assert wosdk("export", "Location", "-o", kept, "--force").exit_code == 0
    assert kept.stat().st_mode & 0o777 == 0o600  # what was private stays so


@pytest.mark.usefixtures("served")
def test_since_last_adds_parts(wosdk: Wosdk, tmp_path: Path) -> None:
    """And says so when nothing has changed, when a clock is wrong, and when a part is missing."""
    folder = tmp_path / "orders"
    create = ("WorkOrder.TypeCategory=Request", "WorkOrder.SubType=259", "WorkOrder.Customer=512")
    items = 'WorkOrder.Items:=[{"Asset": {"Id": 20430}, "Task": {"Id": 14211}}]'
    assert wosdk("run", "WoCreateCommand", *create, items).exit_code == 0
    first = wosdk("export", "WorkOrder", "--since", "last", "-o", folder)
    assert first.stdout.startswith(f"{folder / 'part-000001'}: 1 row, ")
    second = wosdk("export", "WorkOrder", "--since", "last", "-o", folder)
    assert (second.exit_code, second.stdout) == (0, "nothing has changed since the last part\n")
    named = wosdk("export", "WorkOrder", "--since", "last", "-o", tmp_path / "nightly.csv")
    assert "nightly.csv will be a directory" in named.stderr
    assert "will be a directory" not in first.stderr
    ahead = folder / "part-000001" / "watermark.json"
    ahead.write_text(re.sub(r'(time\\":\\")....', r"\g<1>2999", ahead.read_text()))
    third = wosdk("export", "WorkOrder", "--since", "last", "-o", folder)
    assert (third.exit_code, third.stdout[: third.stdout.index(",")]) == (
        0,
        f"{folder / 'part-000002'}: 1 row",
    )
    assert re.search(r"the service's clock is \d{6} days, [\d:]+ behind .* all work orders", third.stderr)
    shutil.rmtree(folder / "part-000001")
    fourth = wosdk("export", "WorkOrder", "--since", "last", "-o", folder)
    assert fourth.exit_code == 2
    assert f"{folder}: part-000001 is missing (rows: 1); restore it from a backup, or " in fourth.stderr


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize("name", some(["pyarrow", "xlsxwriter"], 2))
def test_a_missing_package_is_named(tmp_path: Path, name: str) -> None:
    """With what to install; nothing is sent."""
    hide = f"import sys; sys.modules['{name}'] = None"
    process = spawn("export", "WorkOrder", "-o", tmp_path / "orders.xlsx", code=hide)
    _, stderr = process.communicate()
    assert process.returncode == 2
    assert stderr == (f"wosdk: exports need the package {name}; run pip install 'wosdk_async[export]'\n")
    assert list(tmp_path.iterdir()) == []


# --- stopped and killed -----------------------------------------------------------------------


def stopped_at(orders: Orders, above: int) -> threading.Event:
    """Let the service be silent about the page after ``above``; the event is set when it is asked for."""
    import asyncio

    asked = threading.Event()

    async def silent(bound: int | None) -> None:
        if bound == above:
            asked.set()
            await asyncio.Event().wait()

    orders.before = silent
    return asked


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_same_command_goes_on_after_a_kill(
    wosdk: Wosdk, orders: Orders, tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl-C keeps each row that was read; a kill, those of parts that are finished."""
    output = tmp_path / "orders.parquet"
    # A full range of 4,000 ids; the row 9,000 is in the third, which is silent at its first page.
    orders.rows |= {id: order(id) for id in range(301, 9_001, 29)}
    asked = stopped_at(orders, 8000)
    arguments = ("export", "WorkOrder", "-o", output, "-p", "Number", "--parallel", "1")
    process = spawn(*arguments)
    try:
        assert asked.wait(20)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    assert stdout == ""
    assert not output.exists()
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "written so far; run the same command to resume" in stderr
        assert "Traceback" not in stderr
    orders.before = None
    done = wosdk(*arguments, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["rows"] == len(orders.rows)
    assert 0 < found["earlier"] < found["rows"]
    assert "rows already read" in done.stderr
    assert pq.read_table(output)["Id"].to_pylist() == sorted(orders.rows)


def test_a_kill_while_the_output_is_written(wosdk: Wosdk, orders: Orders, tmp_path: Path) -> None:
    """At each step of its end: the next run completes the file, and asks the service for nothing again."""
    steps = ("WorkFolder.publish", "WorkFolder.remove", "writing_table")
    for step in steps:
        output = tmp_path / f"{step}.csv"
        kill = f"import os, wosdk_async.jobs.exports.exporter as e; e.{step} = lambda *_: os._exit(9)"
        arguments = ["export", "WorkOrder", "-o", str(output)]
        killed = spawn(*arguments, code=kill)
        killed.communicate(timeout=60)
        assert killed.returncode == 9
        assert output.exists() == (step == "WorkFolder.remove")
        orders.asked.clear()
        result = wosdk(*arguments)
        assert result.exit_code == 0, result.stderr
        assert "300 rows" in result.stdout
        assert orders.asked == []
        assert len(output.read_text(encoding="utf-8").splitlines()) == 301
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{step}.csv" for step in steps)


@pytest.mark.parametrize("name", ["orders.csv.part", "1_2_3.arrow"])
@pytest.mark.usefixtures("orders")
def test_any_name_of_an_output(wosdk: Wosdk, tmp_path: Path, name: str) -> None:
    """The next run knows the half output that a kill left, and does not remove its own."""
    kill = "import os, wosdk_async.jobs.sources.source as s\ns.FileDialect.writer = lambda *_: os._exit(9)"
    output = tmp_path / name
    arguments = ["export", "WorkOrder", "--format", "csv", "-o", str(output)]
    for more in ((), ("--again",)):
        killed = spawn(*arguments, code=kill)
        killed.communicate(timeout=60)
        assert killed.returncode == 9
        result = wosdk(*arguments, *more)
        assert result.exit_code == 0, result.stderr
        assert ("resuming" in result.stderr) == (not more)
        assert list(tmp_path.iterdir()) == [output]
        assert len(output.read_text(encoding="utf-8").splitlines()) == 301
        output.unlink()


def test_a_page_that_fails_says_that_the_rest_is_kept(wosdk: Wosdk, orders: Orders, tmp_path: Path) -> None:
    """The status is that of the refusal."""
    orders.rows |= {id: order(id) for id in range(301, 9_001, 29)}
    orders.failing = lambda above: above == 8000
    result = wosdk("export", "WorkOrder", "-o", tmp_path / "orders.csv", "--parallel", "1")
    assert result.exit_code == 3
    assert "rows written so far; run the same command to resume" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("wosdk: no queries today")


@pytest.mark.usefixtures("orders")
def test_rows_of_a_call(wosdk: Wosdk, scripted: Service, tmp_path: Path) -> None:
    """For records so large that a response would be too long."""
    assert wosdk("export", "WorkOrder", "-o", tmp_path / "orders.csv", "--page", "40").exit_code == 0
    counts = [request.json["QueryExpression"]["Count"] for request in scripted.calls]
    assert max(counts) == 40
    for wrong in ("0", "4001"):
        assert wosdk("export", "WorkOrder", "-o", tmp_path / "other.csv", "--page", wrong).exit_code == 2


@pytest.mark.parametrize("since", [(), ("--since", "last")])
def test_a_call_that_changes_something_is_refused(
    wosdk: Wosdk, scripted: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, since: tuple[str, ...]
) -> None:
    """Should an export ever make one: its Company only reads, and nothing is sent."""

    async def pick_up(_: object, company: Company) -> None:
        await company.run("WoPickUpCommand", {"WorkOrderId": 1})

    monkeypatch.setattr(IncrementalExport if since else Export, "run", pick_up)
    result = wosdk("export", "WorkOrder", *since, "-o", tmp_path / ("orders" if since else "orders.csv"))
    assert result.exit_code == 2
    assert "the client is read-only (read_only=True)" in result.stderr
    assert scripted.calls == []


def test_ctrl_c_while_modules_load(tmp_path: Path) -> None:
    """It ends quietly, as it does later."""
    command = (
        "import signal, sys, types\n"
        "def stop(name, *_): name == 'wosdk_async.cli.app' and signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, types.SimpleNamespace(find_spec=stop))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", command + COMMAND[2], "export", "WorkOrder", "-o", str(tmp_path / "x.csv")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
