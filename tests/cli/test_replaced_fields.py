"""``wosdk import``: due times of the file that ``compute_schedule`` would replace are said before."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.cli.conftest import Wosdk

MAP = """
marker = "work_order.po_number"
[command]
compute_schedule = true
[command.work_order]
type_category = "Request"
sub_type = { id = 259 }
customer = "@customer"
po_number = "{number}"
dt_due = "{due}"
[[command.work_order.items]]
asset = { id = 20440 }
task = { id = 14211 }
[reference.customer]
entity = "Customer"
"""
ROWS = "number,due\nL-1,2026-12-03\nL-2,\nL-3,2026-12-04\n"
WARNING = (
    "wosdk: warning: 2 rows: with compute_schedule, the service overwrites work_order.dt_due; "
    "remove it or compute_schedule from the map"
)


def test_due_times_that_are_replaced_are_said_in_the_check_and_before_the_import(
    tmp_path: Path, wosdk: Wosdk
) -> None:
    file, map_file = tmp_path / "leaks.csv", tmp_path / "leaks.toml"
    file.write_text(ROWS)
    map_file.write_text(MAP)
    command = ("import", file, "--map", map_file, "--sandbox", tmp_path / "s.db")
    check = wosdk(*command, "--check", "--outcomes", tmp_path / "check.csv")
    assert check.exit_code == 0, check.stderr
    shown = check.stderr
    assert all(
        part in shown for part in ("row 1 (line 2)", "row 3 (line 4)", WARNING.rpartition("rows: ")[2])
    )
    with (tmp_path / "check.csv").open(newline="") as lines:
        warned = [bool(row["warnings"]) for row in csv.DictReader(lines)]
    assert warned == [True, False, True]
    assert json.loads(wosdk(*command, "--check", "--json").stdout)["cautions"][0]["rows"] == 2
    done = wosdk(*command)
    assert (done.exit_code, done.stderr.count(WARNING)) == (0, 1)
    assert done.stderr.index(WARNING) < done.stderr.index("results.csv"), "before the rows are sent"
    assert "compute_schedule" not in wosdk(*command).stderr, "nothing is sent any more"
    map_file.write_text(map_file.read_text().replace("compute_schedule = true", "compute_schedule = false"))
    assert "compute_schedule" not in wosdk(*command, "--check", "--again", "--if-exists", "skip").stderr
