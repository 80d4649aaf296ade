"""``wosdk hold`` and the other verbs for work orders, against a local Company."""

# ruff: noqa: E501 - tables of inputs and the messages about them

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.orders import order, orders, state
from wosdk_async.cli.order_changes import OrderPlan
from wosdk_async.model import WoActionResponse, WorkOrder


@pytest.mark.usefixtures("served")
def test_an_order_goes_through_its_states_by_its_number(wosdk: Wosdk) -> None:
    """Each verb prints one line with the state before and after."""
    (number,) = orders(wosdk, 1)
    steps = (
        (("hold", number, "--reason", " waiting FOR parts "), "New", "OnHold"),
        (("resume", number), "OnHold", "New"),
        (("hold", "1", "--reason", "2205", "--at", "2026-03-01T08:00"), "New", "OnHold"),
        (("resume", number.lower(), "--start", "--comment", "Go"), "OnHold", "InProgress"),
        (("complete", number, "--note", "Belt replaced", "--repair-code", "Part replaced"), "InProgress", "Completed"),
        (("run", "WoReopenCommand", "WorkOrderId=1"), "Completed", "New"),
        (("pickup", number, "--comment", "On my way"), "New", "Open"),
        (("start", number, "--at", "2026-03-01T09:00"), "Open", "InProgress"),
        (("cancel", number, "--reason", "Entered twice"), "InProgress", "Cancelled"),
    )  # fmt: skip
    for arguments, before, after in steps:
        result = wosdk(*arguments)
        assert result.exit_code == 0
        if arguments[0] != "run":
            assert result.stdout == f"{number}: {before} -> {after}\n"
            assert f"  {number}  {before}  Lindqvist Dental" in result.stderr
    found = order(wosdk, number, "CompletionNote.Body", "RepairCode.DisplayAs", "ActionLogRecords.*")
    assert found["CompletionNote"]["Body"] == "Belt replaced"
    assert found["RepairCode"]["DisplayAs"] == "Part replaced"
    log = found["ActionLogRecords"]
    commented = [
        given
        for arguments, *_ in steps
        for option, given in pairwise(arguments)
        if option in ("--comment", "--note")
    ]
    assert sorted(row["Comment"] for row in log if row.get("Comment")) == sorted(commented)
    assert {"2026-03-01T08:00:00", "2026-03-01T09:00:00"} <= {row["ActionDate"][:19] for row in log}


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (WorkOrder(id=1, status_id="Paused"), "InProgress -> Paused"),
        (WoActionResponse(wo=WorkOrder(id=1, status_id="Paused")), "InProgress -> Paused"),
        (WoActionResponse(), "done"),
    ],
)
def test_a_verb_can_run_a_command_without_a_helper(made: object, line: str) -> None:
    """The states are those of the response of either."""

    async def act(*_: object) -> object:
        return made

    assert OrderPlan(what="pause", act=act).result_of("InProgress", made).text == line


@pytest.mark.usefixtures("served")
def test_several_orders_at_once_and_one_that_fails(wosdk: Wosdk) -> None:
    """One line for each in the order in which they were given; what was done stays done."""
    numbers = orders(wosdk, 3)
    assert wosdk("hold", numbers[1], "--reason", "Weather").exit_code == 0
    result = wosdk("hold", numbers[2], "2", numbers[0], "--reason", "Weather")
    assert result.exit_code == 1
    assert result.stdout == f"{numbers[2]}: New -> OnHold\n{numbers[0]}: New -> OnHold\n"
    (failed,) = [line for line in result.stderr.splitlines() if line.startswith(f"wosdk: {numbers[1]}: ")]
    assert "that is in state 'OnHold' cannot be placed in the state 'OnHold'" in failed
    assert "wosdk pickup" not in failed


@pytest.mark.usefixtures("served")
def test_a_finished_order_is_not_resumed(wosdk: Wosdk) -> None:
    """The command that reopens would reopen it too; a person who wants that is told how."""
    (number,) = orders(wosdk, 1)
    wosdk("cancel", number, "--reason", "Entered twice")
    result = wosdk("resume", number, "--start")
    assert (result.exit_code, result.stdout, state(wosdk, number)) == (3, "", "Cancelled")
    assert "is in state 'Cancelled'; resume requires OnHold or Paused" in result.stderr
    assert "`wosdk run WoReopenCommand WorkOrderId=" in result.stderr
    ran = wosdk("run", "WoStartCommand", f"WorkOrderId={number.removeprefix('RSC').lstrip('0')}")
    assert ran.exit_code == 3
    assert "to reopen the order, run WoReopenCommand" in ran.stderr
    assert "..." not in ran.stderr


@pytest.mark.parametrize(
    ("before", "arguments", "hint"),
    [
        ((), ("complete", "1"), "to move the order from New to InProgress, run `wosdk pickup` and then `wosdk start`; each Company"),
        (("pickup", "1"), ("complete", "1"), "to move the order from Open to InProgress, run `wosdk start`;"),
        (("hold", "1", "--reason", "Weather"), ("complete", "1"), "from OnHold to InProgress, run `wosdk resume --start`"),
        (("cancel", "1", "--reason", "Entered twice"), ("hold", "1", "--reason", "Weather"), "to reopen the order, run `wosdk run WoReopenCommand WorkOrderId=1`"),
        (("cancel", "1", "--reason", "Entered twice"), ("cancel", "1", "--reason", "Entered twice"), ""),
        ((), ("hold", "1", "--reason", "1841"), ""),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("served")
def test_a_refusal_says_how_the_order_goes_on(
    wosdk: Wosdk, before: tuple[str, ...], arguments: tuple[str, ...], hint: str
) -> None:
    """From the state that it is in, and only where the state is why the service refuses."""
    orders(wosdk, 1)
    assert not before or wosdk(*before).exit_code == 0
    result = wosdk(*arguments)
    assert result.exit_code == 3
    assert hint in result.stderr
    assert hint or "`wosdk" not in result.stderr


@pytest.mark.usefixtures("served")
def test_json_has_a_line_for_each_order(wosdk: Wosdk) -> None:
    """Those that failed too."""
    numbers = orders(wosdk, 2)
    wosdk("cancel", numbers[0], "--reason", "1841")
    result = wosdk("cancel", *numbers, "--reason", "1841", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["number"], row["before"], row["outcome"], row.get("after")) for row in rows] == [
        (numbers[0], "Cancelled", "failed", None),
        (numbers[1], "New", "done", "Cancelled"),
    ]
    assert "cannot be placed in the state 'Cancelled'" in rows[0]["error"]
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("hold", "1"), 2, "--reason is missing; available reasons: 'No access', 'Waiting for a quote'"),
        (("cancel", "1"), 2, "available reasons: 'Entered by mistake', 'Entered twice', 'No longer needed'\n"),
        (("hold", "1", "--reason", "Wether"), 4, "no hold reason is called 'Wether'; did you mean 'Weather'? There are"),
        (("cancel", "1", "--reason", "Weather"), 4, "no cancel reason is called 'Weather'"),
        (("hold", "1", "X9", "X8", "--reason", "Weather"), 4, "no WorkOrder has the Number 'X9'; --by PROPERTY"),
        (("hold", "1", "99", "--reason", "Weather"), 4, "WorkOrder entity with id 99 is not found"),
        (("hold", '{"Id": 1}', "--reason", "Weather"), 2, "write an id or a number such as RSC000005"),
        (("complete", "1", "--repair-code", "Patched"), 4, "no repair code is called 'Patched'; there are 'Adjusted', 'Part replaced'"),
        (("assign", "1", "--to", "Nobody"), 4, "no Employee has the user name, number or name 'Nobody' ("),
        (("assign", "1", "--to", "mira.okafr"), 4, "or name 'mira.okafr'; did you mean 'mira.okafor'?"),
        (("note", "1", "--text", " \n"), 2, "--text: the note is empty"),
        (("attach", "1", __file__, "--type", "Nothing"), 4, "no DocumentType has the DisplayAs 'Nothing'"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("kept")
def test_what_cannot_be_done_changes_nothing(
    wosdk: Wosdk, arguments: tuple[str, ...], status: int, message: str
) -> None:
    """One line with the remedy, before the question."""
    orders(wosdk, 1)
    before = order(wosdk, "1", "ConcurrencyId")
    result = wosdk(*arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert order(wosdk, "1", "ConcurrencyId") == before


@pytest.mark.usefixtures("served")
def test_orders_are_assigned(wosdk: Wosdk) -> None:
    """The state stays; several assignees with a mode."""
    (number,) = orders(wosdk, 1)
    result = wosdk("assign", number, "--to", "mira.okafor")
    assert result.stdout == f"{number}: assigned to Mira Okafor\n"
    assert result.stderr.splitlines()[0].endswith("(assigned to nobody)")
    result = wosdk("assign", number, "--to", "paul.renner")
    assert result.stdout == f"{number}: assigned to Paul Renner; no longer to Mira Okafor\n"
    assert result.stderr.splitlines()[0].endswith("(assigned to Mira Okafor)")
    wosdk("assign", number, "--to", "mira.okafor", "--mode", "AddSecondary")
    remove = ("assign", number, "--to", "mira.okafor", "--mode", "RemoveSecondary")
    assert wosdk(*remove).stdout == f"{number}: assigned to Paul Renner; no longer to Mira Okafor\n"
    result = wosdk(*remove)
    assert result.stdout == f"{number}: nothing changed: assigned to Paul Renner\n"
    assert "wosdk: remove 'mira.okafor', mode RemoveSecondary for Company" in result.stderr
    result = wosdk("assign", number, "--to", "P-230", "--to", "215", "--mode", "Snapshot", "--json")
    assert json.loads(result.stdout)["assignees"] == [230, 215]
    found = order(wosdk, number, "Assignments.*")
    assert {row["EmployeeId"]: row["IsPrimary"] for row in found["Assignments"]} == {230: True, 215: False}
    assert found["StatusId"] == "New"


@pytest.mark.usefixtures("served")
def test_an_employee_who_is_named_twice_is_assigned_once(wosdk: Wosdk) -> None:
    """By the same text, and by another one."""
    (number,) = orders(wosdk, 1)
    result = wosdk(
        "assign", number, "--to", "208", "--to", "208", "--to", "mira.okafor", "--dry-run", "--json"
    )
    assert json.loads(result.stdout)["body"]["Command"]["Assignees"] == [208]
    assert "wosdk: assign to '208', mode Primary for" in result.stderr
    assert "wosdk: --to mira.okafor and --to 208 are the same employee; the id is sent once" in result.stderr


@pytest.mark.usefixtures("served")
def test_notes_are_added(wosdk: Wosdk) -> None:
    """From the command line to many orders, or from stdin; private unless --public."""
    numbers = orders(wosdk, 2)
    result = wosdk("note", *numbers, "--text", "Gate code 4711")
    assert (result.exit_code, "private, 14 characters: Gate code 4711 for" in result.stderr) == (0, True)
    result = wosdk("note", numbers[0], "--text", "-", "--public", "--yes", input="We come\nat eight\n")
    assert (result.exit_code, result.stdout.startswith(f"{numbers[0]}: note ")) == (0, True)
    notes: Any = order(wosdk, numbers[0], "Notes.*")["Notes"]
    assert [(note["Body"], note["NoteTypeId"]) for note in notes] == [
        ("Gate code 4711", "Private"),
        ("We come\nat eight", "Public"),
    ]
    result = wosdk("note", numbers[0], "--text", "-", input="x" * 70_000)
    assert (result.exit_code, "longer than 65536 characters; attach" in result.stderr) == (2, True)


@pytest.mark.usefixtures("served")
def test_files_are_attached(wosdk: Wosdk, tmp_path: Path) -> None:
    """Each is a document of its own; one that is too long is refused before the question."""
    (number,) = orders(wosdk, 1)
    small, large = tmp_path / "belt.jpg", tmp_path / "film.mp4"
    small.write_bytes(b"a picture")
    with large.open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    result = wosdk("attach", number, small, large)
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        "film.mp4 is 20,971,521 bytes, over the limit of 20,971,520; attach a smaller file" in result.stderr
    )
    result = wosdk("attach", number, small)
    assert (result.exit_code, result.stdout) == (0, f"{number}: belt.jpg attached, document 1\n")
    assert f"  {number}  belt.jpg  9 bytes" in result.stderr
    result = wosdk("attach", number, small, "--title", "The belt", "--type", "Picture", "--json")
    assert json.loads(result.stdout)["document"] == 2
    found = order(wosdk, number, "Documents.*")["Documents"]
    assert [row["Title"] for row in found] == ["belt.jpg", "The belt"]


@pytest.mark.usefixtures("served")
def test_a_dry_run_shows_the_requests_and_sends_none(wosdk: Wosdk) -> None:
    """Names are looked up; every request that would change something is shown, of all steps."""
    numbers = orders(wosdk, 2)
    result = wosdk("hold", *numbers, "--reason", "Weather", "--comment", "a  b", "--dry-run", "--json")
    shown = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["method"], one["path"]) for one in shown] == [("POST", "api/v1/cmd/WoOnHoldCommand")] * 2
    command = shown[0]["body"]["Command"]
    assert command == {"WorkOrderId": 1, "ActionReasonId": 2205, "Comment": "a  b"}
    assert result.stderr.endswith("wosdk: --dry-run: nothing was sent\n")
    wosdk("hold", numbers[0], "--reason", "Weather")
    steps = wosdk("resume", numbers[0], "--start", "--dry-run").stdout
    assert [line.split()[1].rpartition("/")[2] for line in steps.splitlines()] == [
        "WoReopenCommand",
        "WoPickUpCommand",
        "WoStartCommand",
    ]
    assert [state(wosdk, number) for number in numbers] == ["OnHold", "New"]


@pytest.mark.usefixtures("served")
def test_many_orders_are_listed_up_to_a_limit(wosdk: Wosdk) -> None:
    """The list before the question is for people."""
    numbers = orders(wosdk, 22)
    result = wosdk("hold", *numbers, "--reason", "Weather")
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == numbers
    assert "  and 2 more\n" in result.stderr
    assert f"  {numbers[19]}  New" in result.stderr
    assert f"  {numbers[20]}  New" not in result.stderr


@pytest.mark.parametrize(
    ("name", "options", "shown", "stored"),
    [
        ("belt.jpg", (), "Picture", 3),
        ("permit.pdf", ("--type", "Picture"), "PDF, from the file suffix; --type is ignored", 32),
        ("readings.txt", (), "PDF (fallback for text/plain); --type selects another type", 32),
        ("readings.txt", ("--type", "Link"), "type Link", 9),
    ],
)
@pytest.mark.usefixtures("kept")
def test_the_type_of_a_document_is_shown_before_it_is_sent(
    wosdk: Wosdk, tmp_path: Path, name: str, options: tuple[str, ...], shown: str, stored: int
) -> None:
    """And it is the one that the document has afterwards."""
    (tmp_path / name).write_text("content")
    (number,) = orders(wosdk, 1)
    result = wosdk("attach", number, tmp_path / name, *options)
    assert (result.exit_code, result.stderr.splitlines()[0]) == (0, f"  {number}  {name}  7 bytes  {shown}")
    (document,) = order(wosdk, number, "Documents.*")["Documents"]
    assert document["DocType"]["Id"] == stored
