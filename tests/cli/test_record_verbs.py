"""``wosdk create``, ``update`` and ``delete``, against a local Company."""

# ruff: noqa: E501 - tables of inputs and the messages about them

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from tests.cli.conftest import Wosdk
from tests.cli.orders import FIELDS, orders
from tests.support.service import Answer, Service, error
from wosdk_async.cli.app import SECTIONS, app

VERBS = ["create", "update", "delete", *SECTIONS["Work orders"]]
MALL = ("create", "Customer", "Name=Acme Mall", "TenantCode=T-77", "WorkZone=14")


def read(wosdk: Wosdk, entity: str, id: int | str, *paths: str) -> Any:
    """Return a record as the service has it."""
    named = [part for path in paths for part in ("-p", path)]
    return json.loads(wosdk("get", entity, str(id), "--json", *named).stdout)


@pytest.mark.usefixtures("served")
def test_a_record_is_created_changed_and_deleted(wosdk: Wosdk) -> None:
    """By its name; the difference is shown first."""
    made = wosdk(*MALL, "--marker", "TenantCode", "--json")
    assert made.exit_code == 0
    id = json.loads(made.stdout)["id"]
    result = wosdk(
        "update", "Customer", "acme mall", "Instructions=Ring twice", "WorkZone=15", "TenantCode=T-77"
    )
    assert result.exit_code == 0
    assert result.stdout == f"Customer {id} (Acme Mall): updated: Instructions, WorkZone\n"
    assert '  Instructions: "" -> "Ring twice"\n' in result.stderr
    assert '  WorkZone: {"Id":14,"DisplayAs":"Riverside Campus"} -> {"Id":15}\n' in result.stderr
    found = read(wosdk, "Customer", id, "Instructions", "WorkZone.Id", "TenantCode")
    assert (found["Instructions"], found["WorkZone"]["Id"], found["TenantCode"]) == ("Ring twice", 15, "T-77")
    result = wosdk("delete", "Customer", "Acme Mall", "--yes")
    assert (result.exit_code, result.stdout) == (0, f"Customer {id} (Acme Mall): deleted\n")
    assert read(wosdk, "Customer", id)["IsRemoved"] is True
    assert wosdk("delete", "Customer", "Acme Mall").exit_code == 4


@pytest.mark.usefixtures("served")
def test_a_work_order_is_created_by_its_command(wosdk: Wosdk, tmp_path: Path) -> None:
    """Assignments go over the JSON body, as for run."""
    (tmp_path / "order.json").write_text('{"PoNumber": "PO-1", "Duration": 30}', encoding="utf-8")
    result = wosdk("create", "WorkOrder", *FIELDS, "--json-body", tmp_path / "order.json", "PoNumber=PO-2")
    assert (result.exit_code, result.stdout) == (0, "WorkOrder: RSC000001 created, id 1, New\n")
    found = read(wosdk, "WorkOrder", 1, "PoNumber", "Duration")
    assert (found["PoNumber"], found["Duration"]) == ("PO-2", 30)
    again = wosdk("create", "WorkOrder", *FIELDS, "PoNumber=PO-2", "--marker", "PoNumber", "--dry-run")
    assert (again.exit_code, again.stdout.startswith("POST api/v1/cmd/WoCreateCommand {")) == (0, True)


DUE = ("DtDue", "Priority.Id")


@pytest.mark.usefixtures("served")
def test_a_work_order_has_a_due_time(wosdk: Wosdk) -> None:
    """The service computes it, and nothing that was given is replaced by that."""
    create = ("create", "WorkOrder", *FIELDS)
    computed = wosdk(*create, "StatusId=New")  # as it will be
    assert (computed.exit_code, "  DtDue: computed by the service\n" in computed.stderr) == (0, True)
    assert "DtDue" in read(wosdk, "WorkOrder", 1, *DUE)
    due = "DtDue=2030-01-01T08:00:00"
    for more in ((due,), ("DtDue=",), (due, "Priority=1")):
        result = wosdk(*create, *more)
        assert (result.exit_code, "computed" in result.stderr, "no due time" in result.stderr) == (
            0,
            False,
            False,
        )
    found = [read(wosdk, "WorkOrder", id, *DUE) for id in (2, 3, 4)]
    assert [each.get("DtDue") for each in found] == ["2030-01-01T08:00:00", None, "2030-01-01T08:00:00"]
    assert found[2]["Priority"]["Id"] == 1
    assert "some releases drop Contactid" in wosdk(*create, "Contactid=731", "--dry-run").stderr


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("field", ["Priority=1", "DtAcknowledgeBy=2030-01-01T08:00:00"])
def test_a_work_order_without_due_time_says_so(wosdk: Wosdk, field: str) -> None:
    """What computing would replace is kept."""
    result = wosdk("create", "WorkOrder", *FIELDS, field)
    name, _, value = field.partition("=")
    assert (
        f"the order gets no due time, because computing it would overwrite {name}; add DtDue=TIME or leave this field out\n"
        in result.stderr
    )
    found = read(wosdk, "WorkOrder", 1, "DtDue", "DtAcknowledgeBy", "Priority.Id")
    assert "DtDue" not in found
    assert value in (found.get(name), str(found["Priority"]["Id"]))


@pytest.mark.usefixtures("served")
def test_values_become_null(wosdk: Wosdk) -> None:
    """NAME= and NAME:=null; a value that is there already is not sent."""
    (number,) = orders(wosdk, 1)
    assert wosdk("update", "WorkOrder", number, "PoNumber=PO-7", "ContactName=Ann").exit_code == 0
    result = wosdk("update", "WorkOrder", number, "PoNumber=", "ContactName:=null", "--dry-run")
    assert '{"Id":1,"PoNumber":null,"ContactName":null}' in result.stdout
    result = wosdk("update", "WorkOrder", number, "PoNumber=PO-7")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "wosdk: the record already has these values; nothing was sent\n"


@pytest.mark.usefixtures("served")
def test_a_part_of_an_amount_leaves_the_other(wosdk: Wosdk) -> None:
    """An amount is written whole; the currency is the one that was read."""
    (number,) = orders(wosdk, 1)
    assert (
        wosdk("update", "WorkOrder", number, "VendorNte.Value=5", "VendorNte.CurrencyTypeId=EUR").exit_code
        == 0
    )
    result = wosdk("update", "WorkOrder", number, "VendorNte.Value=10")
    assert (result.exit_code, '"CurrencyTypeId":"EUR"' in result.stderr.partition("->")[2]) == (0, True)
    found = read(wosdk, "WorkOrder", number, "VendorNte")["VendorNte"]
    assert (found["CurrencyTypeId"], float(found["Value"])) == ("EUR", 10)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("create", "Custmer", "Name=x"), 2, "the catalogue has no entity 'Custmer'; did you mean 'Customer'?"),
        (("create", "Customer"), 2, "no fields given; add some, such as wosdk create Customer NAME=VALUE"),
        (("create", "Customer", "Nme=x"), 2, "Customer has no field 'Nme'; did you mean 'Name'? --unchecked"),
        (("create", "Space", "Name=x"), 2, "create is not supported by Space; run SpaceCreateCommand; --unchecked sends it"),
        (("create", "WorkOrder", "Nme=x"), 2, "WorkOrder has no field 'Nme'"),
        ((*MALL, "Id=5"), 2, "Id is set by the service for new records, and would be dropped; leave it out"),
        (("create", "WorkOrder", *FIELDS, "DtCreated=2026-03-01T08:00"), 2, "WorkOrder.DtCreated is set by the service"),
        (("create", "WorkOrder", *FIELDS, "StatusId=Open"), 2, "leave it out: a new work order has the status New; commands change it"),
        ((*MALL, "--marker", "Nothing"), 2, "--marker: Customer has no field 'Nothing'"),
        ((*MALL, "--marker", "Dba"), 2, "wosdk: --marker Dba: add Dba=KEY, your own unique key"),
        (("create", "WorkOrder", *FIELDS, "--marker", "PoNumber"), 2, "wosdk: --marker PoNumber: add PoNumber=KEY, your own"),
        (("create", "WorkOrder", *FIELDS, "PoNumber=A ", "--marker", "po_number"), 2, "po_number: add PoNumber=KEY"),
        (("create", "WorkOrder", *FIELDS, "--marker", "Number"), 2, "Number itself"),
        ((*MALL, "--marker", "TenantCode", "--unchecked"), 2, "--marker needs an entity in the catalogue"),
        (("update", "Customer", "512"), 2, "no fields given; add some"),
        (("update", "Customer", "512", "TaxExempt=perhaps"), 2, "TaxExempt"),
        (("update", "Customer", "512", "Id=5"), 2, "update never writes Id, the key of the given record; to update the other record, run wosdk update Customer 5"),
        (("update", "Customer", "512", "ConcurrencyId=3"), 2, "ConcurrencyId, which the service increments; to compare it, add --if-unchanged"),
        (("update", "Customer", "512", "PerformDeletion=true"), 2, "to delete this record, run wosdk delete Customer 512"),
        (("update", "Customer", "512", "WorkZone:={}"), 2, 'refer to it by {"Id": id}'),
        (("delete", "AssetAttribute", "1"), 2, "update the Location; put the element with its id and PerformDeletion into attributes"),
        (("create", "Document", "Title=x"), 2, "wosdk: DocType is missing; set it to the id of a document type; query DocumentType for the ids"),
        (("update", "Contract", "1", "DisplayAs=x"), 2, "update is not supported by Contract; --unchecked sends it anyway"),
        (("update", "Customer", "512", "Name=x", "--unchecked", "--if-unchanged"), 2, "--if-unchanged needs an entity"),
        (("update", "Customer", "Nobody", "Name=x"), 4, "no Customer has the Name or DisplayAs 'Nobody'; --by PROPERTY"),
        (("update", "Customer", "512", "--unchecked", "Foo=1"), 3, "Foo"),
        (("delete", "WorkOrder", "1"), 2, "a work order cannot be deleted; cancel it: wosdk cancel ORDER --reason NAME"),
        (("delete", "Portfolio", "1"), 2, "delete is not supported by Portfolio; run PortfolioDeleteCommand; --unchecked"),
        (("delete", "Customer", "512", "99"), 4, "Customer entity with id 99 is not found"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("kept")
def test_what_cannot_be_done_is_reported(
    wosdk: Wosdk, arguments: tuple[str, ...], status: int, message: str
) -> None:
    """With the remedy; the customer stays as it was."""
    before = read(wosdk, "Customer", 512)
    result = wosdk(*arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr
    assert "create" not in arguments or result.stderr.count("\n") == 1
    assert "->" not in result.stderr or status == 3  # the plan is not shown
    assert read(wosdk, "Customer", 512) == before


@pytest.mark.usefixtures("served")
def test_a_state_is_moved_by_verbs(wosdk: Wosdk) -> None:
    """The service's refusal, and the verbs that do it."""
    (number,) = orders(wosdk, 1)
    result = wosdk("update", "WorkOrder", number, "StatusId=Open")
    assert (result.exit_code, "can only be changed by commands" in result.stderr) == (3, True)
    assert "An update cannot change a work order's state; use wosdk start, hold" in result.stderr


@pytest.mark.usefixtures("served")
def test_several_records_of_one_name_are_listed(wosdk: Wosdk) -> None:
    """Nothing is chosen, nothing changed; the message has a command that shows them."""
    ids = [json.loads(wosdk(*MALL, "--json").stdout)["id"] for _ in range(2)]
    for command in (("get", "Customer", "Acme Mall"), ("delete", "Customer", "Acme Mall")):
        result = wosdk(*command)
        assert (result.exit_code, result.stdout) == (3, "")
        assert (
            f"several Customer records have the Name 'Acme Mall': ids {ids[0]}, {ids[1]}; use an id"
            in result.stderr
        )
    look = re.search(r"To list them: wosdk (.*?\".*?\")", result.stderr)
    assert look is not None
    shown = wosdk(*shlex.split(look[1]), "--json").stdout
    assert [json.loads(line)["Id"] for line in shown.splitlines()] == ids


@pytest.mark.usefixtures("served")
def test_records_are_deleted_together(wosdk: Wosdk) -> None:
    """Each with its name; the same one twice is deleted once."""
    ids = [
        json.loads(wosdk("create", "Contact", f"LastName=Lee{n}", "--json").stdout)["id"] for n in range(2)
    ]
    result = wosdk("delete", "Contact", *map(str, ids), str(ids[0]), "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["entity"], row["id"], row["outcome"]) for row in rows] == [
        ("Contact", ids[0], "done"),
        ("Contact", ids[1], "done"),
    ]


def examples(name: str) -> list[str]:
    """Return the command lines in the help of a command."""
    command = app.get_command(click.Context(app), name)
    assert command is not None
    return re.findall(r"^ +wosdk (.*)$", command.help or "", re.MULTILINE)


@pytest.mark.usefixtures("served")
def test_the_examples_of_the_help_work(wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As dry runs, with work orders of these numbers and files of these names."""
    assert orders(wosdk, 6)[4] == "RSC000005"
    assert wosdk("hold", "RSC000005", "--reason", "Weather").exit_code == 0
    for contact in ("Ann Lee", "Bo Ray"):
        wosdk("create", "Contact", f"DisplayAs={contact}", f"LastName={contact}")
    for file in ("before.jpg", "after.jpg", "permit.pdf"):
        (tmp_path / file).write_bytes(b"content")
    monkeypatch.chdir(tmp_path)
    for name in VERBS:
        lines = examples(name)
        assert len(lines) >= 2
        for line in lines:
            words = shlex.split(line.partition(" < ")[0])
            result = wosdk(*words, "--dry-run", input="A note")
            assert result.exit_code == 0, result.output
            assert "--dry-run: nothing was sent" in result.stderr


@pytest.mark.parametrize("name", ["mira.okafor", "T-208", "Mira Okafor"])
@pytest.mark.usefixtures("kept")
def test_a_person_is_found_by_each_name(wosdk: Wosdk, name: str) -> None:
    """User name, number and name shown, as for assign --to."""
    result = wosdk("get", "Employee", name, "--json", "-p", "Username")
    assert (result.exit_code, json.loads(result.stdout)["Id"]) == (0, 208)


PASSWORD = "hunter2secret"


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    "arguments",
    [
        ("update", "Employee", "208", f"Password={PASSWORD}", "--dry-run"),
        ("update", "Employee", "208", f"Password={PASSWORD}", "--dry-run", "--json"),
        ("create", "Employee", "FirstName=A", f"Password={PASSWORD}", "--dry-run"),
        ("update", "Employee", "208", f"Password={PASSWORD}", f"Password={PASSWORD}"),
        ("update", "Employee", "208", f"Password:={PASSWORD}"),
        ("update", "Employee", "208", "Password=1", f"Password.ApiToken={PASSWORD}", "--unchecked"),
    ],
)
def test_a_password_is_not_printed(wosdk: Wosdk, arguments: tuple[str, ...]) -> None:
    """In the preview, the request of a dry run, and the message about an assignment."""
    result = wosdk(*arguments)
    assert "Password" in result.output
    assert PASSWORD not in result.output


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("field", ["DtDue", "Duration", "Priority", "StatusId"])
@pytest.mark.parametrize("verb", [("create", "WorkOrder"), ("run", "WoCreateCommand")])
def test_a_value_that_breaks_its_type_is_quoted_without_a_secret(
    wosdk: Wosdk, tmp_path: Path, verb: tuple[str, ...], field: str
) -> None:
    """In a JSON body, and as an assignment."""
    path = f"{'WorkOrder.' if verb[0] == 'run' else ''}{field}"
    for value in (f"https://files.example/a?sig={PASSWORD}", f"password={PASSWORD}"):
        content: Any = value
        for step in reversed(path.split(".")):
            content = {step: content}
        (tmp_path / "body.json").write_text(json.dumps(content))
        for arguments in (("--json-body", tmp_path / "body.json"), (f"{path}={value}",)):
            result = wosdk(*verb, *arguments, "--dry-run" if verb[0] == "create" else "--yes")
            assert (result.exit_code, field in result.stderr) == (2, True), result.output
            assert PASSWORD not in result.output


def test_a_password_that_a_refusal_repeats_is_not_printed(wosdk: Wosdk, scripted: Service) -> None:
    """With the name of its field, as in a body that the service quotes."""
    refusal = error(400, "BUSINESS_LOGIC_ERROR", f'Too weak: {{"Password": "{PASSWORD}"}}.')
    found = Answer(body={"Data": {"Id": 208, "Password": ""}})
    scripted.handler = lambda request: refusal if request.method == "PUT" else found
    result = wosdk("update", "Employee", "208", f"Password={PASSWORD}", "--yes")
    assert (result.exit_code, "Too weak" in result.stderr) == (3, True)
    assert PASSWORD not in result.output
