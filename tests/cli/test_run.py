"""``wosdk run``: fields checked before anything is sent, the question, and the exit status."""

# ruff: noqa: E501 - tables of inputs and the messages about them

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Wosdk
from tests.support.service import RESET, Answer, Request, Service, error
from wosdk_async.cli import runner

HOLD = ("run", "WoOnHoldCommand", "WorkOrderId=7", "ActionReasonId=102")
DONE = Answer(body=b'{"CommandResult": {"Wo": {"Id": 7, "Nte": 12.50}, "New": null}}')


def sent(service: Service) -> list[Any]:
    """The commands that reached the service."""
    return [call.json["Command"] for call in service.calls]


def test_a_work_order_is_made_and_put_on_hold(wosdk: Wosdk, served: dict[str, str], tmp_path: Path) -> None:
    """Assignments go over the JSON body; the result is what the service sent."""
    body = {
        "WorkOrder": {
            "Items": [{"Asset": {"Id": 20430}, "Task": {"Id": 14211}}],
            "TypeCategory": "Request",
            "PoNumber": "PO-1",
        }
    }
    (tmp_path / "order.json").write_text(json.dumps(body), encoding="utf-8")
    fields = ("WorkOrder.SubType=259", "WorkOrder.Customer=512", "WorkOrder.PoNumber=PO-77")
    result = wosdk("run", "WoCreateCommand", "--json-body", tmp_path / "order.json", *fields, "--json")
    assert result.exit_code == 0
    made = json.loads(result.stdout)["Wo"]
    assert (made["PoNumber"], made["StatusId"], made["Customer"]["Id"]) == ("PO-77", "New", 512)
    assert "wosdk: WoCreateCommand for Company 'AcmeFacilities' at http://127.0.0.1:" in result.stderr
    result = wosdk("run", "WoOnHoldCommand", f"WorkOrderId={made['Id']}", "ActionReasonId=99")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "with id 99 is not found" in result.stderr


def test_values_are_sent_with_their_types(wosdk: Wosdk, scripted: Service) -> None:
    """By the catalogue's types: numbers, booleans, references by id, JSON for the rest."""
    scripted.handler = lambda _: DONE
    fields = (
        "WorkOrder.Customer=512",
        "WorkOrder.Duration=30",
        "WorkOrder.PoNumber=007",
        "WorkOrder.IsWarranty=true",
        "WorkOrder.DtDue=2026-03-01T08:00:00",
        'WorkOrder.Items=[{"Comment": "=1"}]',
        "ComputeSchedule:=false",
        "Comment=a=b",
    )
    result = wosdk("run", "WoCreateCommand", *fields, "--json")
    assert result.exit_code == 0
    [command] = sent(scripted)
    order = command["WorkOrder"]
    assert (order["Customer"], order["Duration"], order["PoNumber"]) == ({"Id": 512}, 30, "007")
    assert (order["IsWarranty"], order["Items"], order["DtDue"]) == (
        True,
        [{"Comment": "=1"}],
        "2026-03-01T08:00:00",
    )
    assert (command["ComputeSchedule"], command["Comment"]) == (False, "a=b")
    assert result.stdout == '{"Wo":{"Id":7,"Nte":12.50},"New":null}\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("WoOnHoldComand",), "the catalogue has no command 'WoOnHoldComand'; did you mean 'WoOnHoldCommand'? --unchecked"),
        (("wotype",), "WOType is an enum, not a command; `wosdk describe WOType` lists its values"),
        (("WoOnHoldCommand",), "WorkOrderId is missing; set it to the id of the work order. ActionReasonId is missing; set it"),
        (("WoOnHoldCommand", "WorkOrderId"), "'WorkOrderId' is not a field: write NAME=VALUE"),
        (("WoOnHoldCommand", "WorkOrderId=one"), "WorkOrderId takes a whole number, not 'one'"),
        (("WoOnHoldCommand", "WorkOrdrId=1"), "WoOnHoldCommand has no field 'WorkOrdrId'; did you mean 'WorkOrderId'?"),
        (("WoOnHoldCommand", "WorkOrderId:=[1"), "takes JSON"),
        (("WoOnHoldCommand", "WorkOrderId:=[1]", "ActionReasonId=1"), "WorkOrderId takes a value of type integer, not a list"),
        (("WoOnHoldCommand", "WorkOrderId:=true", "ActionReasonId=1"), "of type integer, not true\n"),
        (("WoOnHoldCommand", "StatusId=Nw"), "WOStatus has no value 'Nw'; did you mean 'New'?"),
        (("WoOnHoldCommand", "WorkOrderId=1", "ActionReasonId=1", f"Comment={'x' * 4000}"), "has 4000 characters; the service accepts 3072"),
        (("WoCreateCommand", "WorkOrder.Customer=Acme"), "WorkOrder.Customer, a Customer id, takes a whole number"),
        (("WoCreateCommand", "WorkOrder:=5"), "WorkOrder takes an object of type WorkOrder, not a number"),
        (("WoCreateCommand", "WorkOrder.Items:={}"), "WorkOrder.Items takes a JSON list, not an object"),
        (("WoPickUpCommand", "WorkOrderId=8", "WorkOrderId=9"), "'WorkOrderId=8' and 'WorkOrderId=9' both set WorkOrderId; set it once"),
        (("WoCreateCommand", "WorkOrder.PoNumber=1", 'WorkOrder:={"PoNumber":"2"}'), "both set WorkOrder; set it once"),
        (("WoCreateCommand", 'WorkOrder:={"PoNumber":"2"}', "WorkOrder.PoNumber=1"), "both set WorkOrder.PoNumber"),
        (("WoPickUpCommand", "--unchecked", "Aa=1", "Aa=1"), "both set Aa; set it once"),
        (("WoStartCommand", "WorkOrderId:=null"), "WorkOrderId is missing; set it to the id of the work order"),
        (("WoCreateCommand", 'WorkOrder.Items:=[{"Coment": "x"}]'), "wosdk: WorkOrder.Items[0]: WoItem has no field 'Coment'"),
        (("WoCreateCommand", "--json-body", "none.json"), "none.json: No such file or directory"),
        ((*HOLD[1:], "--read-only"), "--read-only: WoOnHoldCommand may change something, so nothing is sent"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_reported_and_not_sent(
    wosdk: Wosdk, scripted: Service, arguments: tuple[str, ...], message: str
) -> None:
    """One line with the remedy; the service sees nothing of it, not even a login."""
    result = wosdk("run", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert (scripted.calls, scripted.tokens) == ([], [])


def test_names_beyond_the_catalogue_are_sent_as_they_are(wosdk: Wosdk, scripted: Service) -> None:
    """An undocumented command, and with --unchecked anything."""
    scripted.handler = lambda _: DONE
    assert wosdk("run", "NewFancyThing", "Some.Field=1", "Other:=[2]").exit_code == 0
    assert wosdk("run", "WoOnHoldCommand", "WorkOrdrId=1", "--unchecked").exit_code == 0
    assert sent(scripted) == [{"Some": {"Field": "1"}, "Other": [2]}, {"WorkOrdrId": "1"}]


def test_fields_of_one_object_go_together(wosdk: Wosdk, scripted: Service) -> None:
    """Other fields of an object that was given as JSON; the assignments go over those of the body."""
    scripted.handler = lambda _: DONE
    fields = (
        'WorkOrder:={"PoNumber": "1"}',
        "WorkOrder.Customer=5",
        "WorkOrder.Customer.DisplayAs=x",
        "WorkOrder.TypeCategory=Basic",
    )
    assert wosdk("run", "WoCreateCommand", *fields).exit_code == 0
    body = '{"WorkOrder": {"PoNumber": "0", "Comment": "c"}}'
    assert wosdk("run", "New", "--json-body", "-", "WorkOrder.PoNumber=2", input=body).exit_code == 0
    assert sent(scripted) == [
        {"WorkOrder": {"PoNumber": "1", "Customer": {"Id": 5, "DisplayAs": "x"}, "TypeCategory": 1}},
        {"WorkOrder": {"PoNumber": "2", "Comment": "c"}},
    ]


def test_a_change_elsewhere_needs_a_yes(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer, no: nothing is sent. What only reads is not asked about."""
    scripted.handler = lambda _: DONE
    monkeypatch.setattr(runner, "is_local", lambda _: False)
    result = wosdk(*HOLD)
    assert (result.exit_code, scripted.calls) == (2, [])
    assert "stdin is not a terminal, so you cannot be prompted; add --yes" in result.stderr
    monkeypatch.setattr(runner, "is_interactive", lambda: True)
    for answer, status, calls in (("n\n", 1, 0), ("y\n", 0, 1)):
        result = wosdk(*HOLD, input=answer)
        assert (result.exit_code, len(scripted.calls)) == (status, calls)
        assert "Run WoOnHoldCommand? [y/N]" in result.stderr
    assert wosdk(*HOLD, "--yes").exit_code == 0
    reads = wosdk("run", "WoLastModificationCommand", "WorkOrderId=7")
    assert (reads.exit_code, len(scripted.calls), "?" in reads.stderr) == (0, 3, False)


@pytest.mark.parametrize(
    ("command", "look"),
    [
        (HOLD, "wosdk get WorkOrder 7 -p '*' -p 'ActionLogRecords.*'"),
        (
            ("run", "WoCreateCommand", "WorkOrder.PoNumber=1"),
            "wosdk query WorkOrder --where \"PoNumber = '1'\"",
        ),
        (("run", "NewFancyThing"), "Check whether it took effect before you run it again"),
    ],
)
def test_in_doubt_has_its_own_status_and_says_what_to_look_at(
    wosdk: Wosdk, scripted: Service, command: tuple[str, ...], look: str
) -> None:
    """Sent once, cut off: 7, with the RequestId."""
    scripted.handler = lambda _: RESET
    result = wosdk(*command)
    assert (result.exit_code, result.stdout, len(scripted.calls)) == (7, "", 1)
    assert "the call may have been carried out" in result.stderr
    assert scripted.calls[0].json["RequestId"] in result.stderr
    assert look in result.stderr


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (error(400, "BUSINESS_LOGIC_ERROR"), 3),
        (error(400, "ERROR_CODE_1019"), 4),
        (error(401, "INCORRECT_TOKEN"), 5),
        (Answer(429, headers={"retry-after": "100000"}), 6),
    ],
)
def test_the_status_shows_the_kind_of_refusal(
    wosdk: Wosdk, scripted: Service, answer: Answer, status: int
) -> None:
    """As the table of docs/cli.md says."""

    def answered(_: Request) -> Answer:
        return answer

    scripted.handler = answered
    assert wosdk(*HOLD).exit_code == status
