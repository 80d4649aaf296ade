"""Verbs that change records: the question, calls in doubt, and what a service of bad manners sends."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, spawn
from tests.cli.orders import OPTIONS, responses
from tests.cli.test_interruptions import stopped
from tests.support.service import RESET, Answer, Request, Service, error
from wosdk_async.cli import runner
from wosdk_async.cli.app import SECTIONS

DONE = Answer(
    body=b'{"CommandResult": {"Wo": {"Id": 7, "StatusId": "OnHold"}}, "EntitySpecifier": {"Id": 7}}'
)
HELD = {"Id": 7, "Number": "RSC000007", "StatusId": "OnHold"}
HOLD = ("hold", "7", *OPTIONS["hold"])
VERBS = (
    *((verb, "7", *OPTIONS.get(verb, ())) for verb in SECTIONS["Work orders"]),
    ("create", "Customer", "Name=x", "WorkZone=14"),
    ("update", "Customer", "7", "Name=x"),
    ("delete", "Customer", "7"),
)


def changes(service: Service) -> list[Request]:
    """Return the requests that change something."""
    return [call for call in service.calls if call.method != "GET" and "/query/" not in call.path]


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command[0])
def test_a_change_elsewhere_needs_a_yes(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Without a terminal it is refused; no is no; --yes and --dry-run do not ask."""
    scripted.handler = responses(DONE, HELD)
    monkeypatch.setattr(runner, "is_local", lambda _: False)
    result = wosdk(*command)
    assert (result.exit_code, changes(scripted)) == (2, [])
    assert "stdin is not a terminal, so you cannot be prompted; add --yes" in result.stderr
    result = wosdk(*command, "--dry-run")
    assert (result.exit_code, changes(scripted)) == (0, [])
    assert result.stdout.count("\n") == 1
    monkeypatch.setattr(runner, "is_interactive", lambda: True)
    result = wosdk(*command, input="n\n")
    assert (result.exit_code, changes(scripted)) == (1, [])
    assert "? [y/N]" in result.stderr
    assert "at http://127.0.0.1:" in result.stderr
    assert wosdk(*command, input="y\n").exit_code == 0
    assert wosdk(*command, "--yes").exit_code == 0
    assert len(changes(scripted)) == 2


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command[0])
def test_read_only_sends_nothing(wosdk: Wosdk, scripted: Service, command: tuple[str, ...]) -> None:
    """Not even a login."""
    result = wosdk("--read-only", *command)
    assert (result.exit_code, result.stdout, scripted.calls, scripted.tokens) == (2, "", [], [])
    assert result.stderr == f"wosdk: --read-only: {command[0]} changes records, so nothing is sent\n"


@pytest.mark.parametrize(
    ("command", "look"),
    [
        (HOLD, "wosdk get WorkOrder 7 -p '*' -p 'ActionLogRecords.*'"),
        (("note", "7", "--text", "x"), "wosdk get WorkOrder 7 -p '*' -p 'Notes.*'"),
        (("attach", "7", __file__), "wosdk get WorkOrder 7 -p '*' -p 'Documents.*'"),
        (("create", "Customer", "Name=x", "WorkZone=14"), "wosdk query Customer --order 'Id desc' --limit 5"),
        (
            ("create", "WorkOrder", "PoNumber=PO-77"),
            "wosdk query WorkOrder --where \"PoNumber = 'PO-77'\" # next time, --marker PoNumber does "
            "this look-up for you",
        ),
        (("create", "Cust", "Name=x", "--unchecked"), "wosdk query Cust --order 'Id desc' --limit 5"),
        (("update", "Customer", "7", "Name=x"), "wosdk get Customer 7"),
        (("delete", "Customer", "7"), "wosdk get Customer 7"),
    ],
)
def test_in_doubt_has_its_own_status_and_the_command_that_shows_the_effect(
    wosdk: Wosdk, scripted: Service, command: tuple[str, ...], look: str
) -> None:
    """Sent once and cut off; it is not sent again."""
    scripted.handler = responses(RESET)
    result = wosdk(*command)
    assert (result.exit_code, result.stdout, len(changes(scripted))) == (7, "", 1)
    assert result.stderr.endswith(f"Check whether it took effect before you run it again: {look}\n")


def test_one_of_several_in_doubt_is_the_status(wosdk: Wosdk, scripted: Service) -> None:
    """Also if others were refused; JSON tells them apart."""

    def respond(request: Request) -> Answer:
        if request.method == "GET":
            return Answer(body={"Data": {"Id": int(request.path.split("?")[0].rpartition("/")[2])}})
        return {7: DONE, 8: RESET, 9: error(400, "BUSINESS_LOGIC_ERROR")}[
            request.json["Command"]["WorkOrderId"]
        ]

    scripted.handler = respond
    result = wosdk("hold", "id:7", "id:8", "id:9", "--reason", "2205", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["id"], row["outcome"]) for row in rows] == [(7, "done"), (8, "in doubt"), (9, "failed")]
    assert result.exit_code == 7
    assert "wosdk: WorkOrder 8: " in result.stderr
    assert result.stderr.count("Check whether it took effect before you run it again") == 1


def test_a_change_that_stops_half_way_says_so(wosdk: Wosdk, scripted: Service) -> None:
    """The first command was carried out, and the second refused: it is not "the service did nothing"."""

    def respond(request: Request) -> Answer:
        refused = error(400, "BUSINESS_LOGIC_ERROR", "no key")
        return responses(refused if "PickUp" in request.path else DONE, HELD)(request)

    scripted.handler = respond
    result = wosdk("resume", "7", "--start")
    assert (result.exit_code, result.stdout, len(changes(scripted))) == (1, "", 2)
    assert "no key" in result.stderr
    look = "wosdk get WorkOrder 7 -p '*' -p 'ActionLogRecords.*'\n"
    assert result.stderr.endswith(f"before you run it again: {look}")
    assert "Part of the change was already made. " in result.stderr
    row = json.loads(wosdk("resume", "7", "--start", "--json").stdout)
    assert row["outcome"] == "partly done"
    row = json.loads(wosdk("resume", "7", "--json").stdout)
    assert row["outcome"] == "done"


def test_ctrl_c_reports_what_was_sent(scripted: Service) -> None:
    """What has ended is reported as always; what was sent and has no response is in doubt."""
    asked = threading.Event()

    async def respond(request: Request) -> Answer:
        if request.body and request.json["Command"]["WorkOrderId"] == 8:
            asked.set()
            await asyncio.Event().wait()
        return responses(DONE, {})(request)

    scripted.handler = respond
    process = spawn("hold", "id:7", "id:8", "--reason", "2205")
    try:
        assert asked.wait(20)
        seen = len(changes(scripted))
        _, stdout, stderr = stopped(process)
    finally:
        process.kill()
    assert process.returncode == 130
    assert seen >= 1
    assert stdout in ("WorkOrder 7: ? -> OnHold\n", "")
    assert "wosdk: the change of WorkOrder 8 was sent (RequestId " in stderr
    assert "took effect before you run it again: wosdk get WorkOrder 8 " in stderr
    assert stderr.endswith("wosdk: interrupted\n")


def test_a_result_that_cannot_be_written_is_no_failed_change(scripted: Service) -> None:
    """Status 8: it was made, so the command must not be given again. What failed is reported too."""

    def respond(request: Request) -> Answer:
        refused = request.method == "POST" and request.json["Command"]["WorkOrderId"] == 8
        return responses(error(400, "BUSINESS_LOGIC_ERROR", "no key") if refused else DONE)(request)

    scripted.handler = respond
    with open("/dev/full", "w") as full:
        process = spawn("hold", "id:7", "id:8", "--reason", "2205", stdout=full)
        _, stderr = process.communicate()
    assert (process.returncode, len(changes(scripted))) == (8, 2), stderr
    assert "no key" in stderr
    assert "1 of 2 changes made, but the result could not be written: " in stderr
    assert "Traceback" not in stderr


def test_a_full_disk_does_not_hide_what_became_of_a_call(scripted: Service) -> None:
    """Status 8 would say that it was carried out."""
    scripted.handler = responses(RESET)
    with open("/dev/full", "w") as full:
        process = spawn(*HOLD, "--json", stdout=full)
        _, stderr = process.communicate()
    assert process.returncode == 7, stderr
    assert "0 of 1 change made, but the result could not be written: " in stderr


def test_every_signal_reports_what_was_sent(scripted: Service) -> None:
    """As a closed terminal sends it; no line of the log stands beside the report."""
    asked = threading.Event()

    async def respond(request: Request) -> Answer:
        if request.body and b"WorkOrderId" in request.body:
            asked.set()
            await asyncio.Event().wait()
        return responses(DONE)(request)

    scripted.handler = respond
    process = spawn(*HOLD)
    try:
        assert asked.wait(20)
        process.send_signal(signal.SIGHUP)
        _, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 129
    assert "was sent (RequestId " in stderr
    assert "Check whether it took effect before you run it again: wosdk get WorkOrder 7 " in stderr
    assert "operation=" not in stderr
    assert stderr.endswith("wosdk: interrupted\n")


def test_a_marker_is_looked_up_in_doubt(wosdk: Wosdk, scripted: Service) -> None:
    """The record is there, so it was created; nothing is sent again."""
    scripted.handler = responses(RESET, {"Id": 9, "TenantCode": "T-77"})
    fields = ("Name=x", "WorkZone=14", "TenantCode=T-77")
    result = wosdk("create", "Customer", *fields, "--marker", "TenantCode")
    assert (result.exit_code, result.stdout) == (0, "Customer: created, id 9\n")
    assert len(changes(scripted)) == 1


def test_an_update_if_unchanged_writes_nothing_over_another_change(wosdk: Wosdk, scripted: Service) -> None:
    """The record has another version when it is to be written."""
    versions = iter(range(1, 9))

    def respond(request: Request) -> Answer:
        if request.method == "GET":
            return Answer(body={"Data": {"Id": 7, "Name": "a", "ConcurrencyId": next(versions)}})
        return DONE

    scripted.handler = respond
    result = wosdk("update", "Customer", "7", "Name=x", "--if-unchanged")
    assert (result.exit_code, result.stdout, changes(scripted)) == (3, "", [])
    assert "Customer 7 (a): version 1 was read, but the current version is 2" in result.stderr
    assert wosdk("update", "Customer", "7", "Name=x").stdout == "Customer 7 (a): updated: Name\n"


def test_a_record_without_a_version_is_refused_before_it_is_shown(wosdk: Wosdk, scripted: Service) -> None:
    """The message has the option of the command line."""
    scripted.handler = responses(DONE, {"Id": 7, "DisplayAs": "a"})
    result = wosdk("update", "BillToOption", "7", "DisplayAs=x", "--if-unchanged")
    assert (result.exit_code, result.stdout, changes(scripted)) == (2, "", [])
    assert (
        "wosdk: the service does not version BillToOption records; leave out --if-unchanged" in result.stderr
    )
    assert "->" not in result.stderr


def test_a_response_without_a_record_is_done(wosdk: Wosdk, scripted: Service) -> None:
    """The state afterwards is not known then."""
    scripted.handler = responses(Answer(body={"CommandResult": {}}))
    assert wosdk(*HOLD).stdout == "RSC000007: done\n"


def test_texts_of_the_service_cannot_control_the_terminal(wosdk: Wosdk, scripted: Service) -> None:
    """In numbers, states, names and messages; JSON escapes them."""
    evil = "\x1b[2J\u202e\n\x9bx"
    record = {"Id": 7, "Number": evil, "StatusId": evil, "Name": evil, "Customer": {"DisplayAs": evil}}
    for change in (DONE, error(400, "BUSINESS_LOGIC_ERROR", evil)):
        scripted.handler = responses(change, record)
        for command in (HOLD, ("delete", "Customer", "7"), ("update", "Customer", "7", "Name=x")):
            for form in ((), ("--json",), ("--dry-run",)):
                result = wosdk(*command, *form)
                assert not set(result.output) & set("\x1b\u202e\x9b")
                assert "\\x1b[2J" in result.output or "\\u001b[2J" in result.output
    scripted.handler = responses(DONE, record)
    assert json.loads(wosdk(*HOLD, "--json").stdout)["number"] == evil


def test_long_texts_of_the_service_are_shortened(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In numbers, names, states and messages, before the question, in it and afterwards; JSON has all."""
    long = "x" * 100_000
    record = {"Id": 7, "Number": long, "StatusId": long, "Name": long, "Customer": {"DisplayAs": long}}
    employee = {"DisplayAs": long, "Assignments": [{"EmployeeId": 208}]}
    monkeypatch.setattr(runner, "is_local", lambda _: False)
    monkeypatch.setattr(runner, "is_interactive", lambda: True)
    for change in (DONE, error(400, "BUSINESS_LOGIC_ERROR", long), RESET):
        scripted.handler = responses(change, record | employee)
        for command in (HOLD, ("delete", "Customer", "7"), ("assign", "7", "--to", "208")):
            result = wosdk(*command, input="y\n")
            assert "... (cut from 100,0" in result.stderr
            assert max(map(len, result.output.splitlines())) < 10_000
            assert (
                change is not RESET
                or "Check whether it took effect before you run it again: wosdk get" in result.stderr
            )
    scripted.handler = responses(DONE, record)
    assert json.loads(wosdk(*HOLD, "--json", "--yes").stdout)["number"] == long
    scripted.handler = responses(DONE, {"Id": 1, "ActionId": "OnHold", "DisplayAs": long})
    reasons = wosdk("hold", "7").stderr
    assert ("available reasons: 'xxx" in reasons, len(reasons) < 10_000) == (True, True)


def test_few_files_are_attached_at_a_time(wosdk: Wosdk, scripted: Service, tmp_path: Path) -> None:
    """A file is held in memory while it is sent, so the third one is read when a response has come.

    No response comes before two files were sent, and all files were written anew after that.
    """
    files = [tmp_path / f"{i}.txt" for i in range(5)]
    for file in files:
        file.write_text("old")
    sent: list[str] = []
    two = asyncio.Event()

    async def respond(request: Request) -> Answer:
        if request.method == "GET":
            return responses(DONE, HELD)(request)
        sent.append(base64.b64decode(request.json["Entity"]["Blob"]["Body"]).decode())
        if len(sent) == 2:
            for file in files:
                file.write_text("new")
            two.set()
        await two.wait()
        return DONE

    scripted.handler = respond
    result = wosdk("attach", "id:7", *files, "--deadline", "20")
    assert (result.exit_code, result.stdout.count("attached")) == (0, 5)
    assert sent == ["old"] * 2 + ["new"] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hold", "--reason", "Weather"), "Missing argument 'ORDER...'"),
        (("hold", "1", "--reason", "Weather", "--at", "noon"), "takes a time such as 2026-03-01T08:00"),
        (("hold", "1", "--reason", "Weather", "--at", "2026-03-01T08:00Z"), "Invalid value for '--at'"),
        (("assign", "1"), "Missing option '--to'"),
        (("assign", "1", "--to", "208", "--mode", "Main"), "'Main' is not one of 'Primary', 'AddSecondary'"),
        (("note", "1"), "Missing option '--text'"),
        (("import", __file__), "Missing option '--map'. `wosdk import init FILE` proposes a map."),
        (("attach", "1"), "Missing argument 'FILE...'"),
        (("attach", "1", "no-such.jpg"), "File 'no-such.jpg' does not exist"),
        (("attach", "1", __file__, __file__, "--title", "x"), "--title applies to one file"),
    ],
)
def test_a_wrong_command_line_shows_the_usage(wosdk: Wosdk, arguments: tuple[str, ...], message: str) -> None:
    result = wosdk(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
