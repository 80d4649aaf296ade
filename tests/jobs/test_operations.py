"""Operations other than work orders: any command, and records that are created, updated or deleted."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, load
from tests.jobs.runs import carried_out, killed_while_sending
from tests.support.laws import each_of
from wosdk_async import Customer, NoAnswerError, Ref, WoCreateCommand, WorkOrder
from wosdk_async.codec import dumps
from wosdk_async.jobs import Import, ImportMap, ImportMapError
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports import settling
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.imports.verification import decide, settle_job
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.mapping.lookup import NamedIds
from wosdk_async.jobs.mapping.record_operations import operation_named
from wosdk_async.protocol.calls import Written, command
from wosdk_async.protocol.writes import Effect

CREATE = """
operation = "create Customer"
[entity]
name = "{name}"
display_as = "{name}"
dba = "{name}"
tenant_code = "{code}"
instructions = "{note}"
tax_exempt = false
work_zone = "@zone"
[reference.zone]
entity = "WorkZone"
where = { is_offline = false }
"""
UPDATE = """
operation = "update Customer by TenantCode"
[entity]
tenant_code = "{code}"
instructions = "{note}"
work_zone = "@zone"
[reference.zone]
entity = "WorkZone"
where = { is_offline = false }
"""
DELETE = 'operation = "delete Customer by TenantCode"\n[entity]\ntenant_code = "{code}"\n'
COLUMNS = ("code", "name", "note")


async def customers(local: Local) -> dict[str, dict[str, Any]]:
    """The customers of the tests, by their codes."""
    rows = await local.rows("Customer", "TenantCode", "Name", "Instructions", "IsRemoved", "ConcurrencyId")
    return {
        row["TenantCode"]: row for row in rows if str(row.get("TenantCode"))[:-1] in ("T", "T1", "T2", "T3")
    }


async def made(local: Local, *codes: str) -> list[int]:
    """Create customers with these codes."""
    (zone, *_) = await local.rows("WorkZone")
    return [
        (
            await local.company.create(
                Customer(
                    name=f"n{code}",
                    display_as=f"n{code}",
                    dba=f"n{code}",
                    tenant_code=code,
                    tax_exempt=False,
                    work_zone=Ref(zone["Id"]),
                )
            )
        ).id
        or 0
        for code in codes
    ]


# --- create ---------------------------------------------------------------------------------


async def test_each_row_becomes_a_record(local: Local) -> None:
    source = local.write([[f"T{i}", f"Shop {i}", f"note {i}"] for i in range(1, 31)], COLUMNS)
    task = local.job(source, CREATE)
    summary, outcomes = await carried_out(task, local)
    assert (summary.done, summary.label, summary.complete) == (30, "created", True)
    found = await customers(local)
    assert {code: row["Name"] for code, row in found.items()} == {f"T{i}": f"Shop {i}" for i in range(1, 31)}
    assert outcomes[7].as_dict() == {"row": 7, "line": 8, "outcome": "created", "id": found["T7"]["Id"]}
    assert outcomes[7].work_order_id is None
    opened = await local.job(source, CREATE).open(local.company)
    assert (opened.is_idle, opened.about.operation) == (True, "create Customer")
    assert [row.version for row in await opened.journal.rows_in(State.DONE)] == [1] * 30
    await opened.journal.close()


async def test_a_record_is_created_once_with_a_marker(local: Local) -> None:
    await made(local, "T2")
    source = local.write([["T1", "a", ""], ["T2", "b", ""], ["T3", "c", ""], ["T4", "d", ""]], COLUMNS)
    await killed_while_sending(local.job(source, CREATE, marker="tenant_code"), local, [2, 3])
    again = local.job(source, CREATE, marker="tenant_code")
    summary = await again.run(local.company)
    assert (summary.done, summary.complete) == (4, True)
    rows = await local.rows("Customer", "TenantCode")
    assert sorted(row["TenantCode"] for row in rows if row["TenantCode"] in ("T1", "T2", "T3", "T4")) == [
        "T1",
        "T2",
        "T3",
        "T4",
    ]


# --- update ---------------------------------------------------------------------------------


async def test_an_update_writes_the_fields_of_the_map_only(local: Local) -> None:
    ids = await made(local, "T1", "T2", "T3")
    source = local.write([["T1", "ignored", "one"], ["T3", "ignored", "three"]], COLUMNS)
    summary, outcomes = await carried_out(local.job(source, UPDATE), local)
    assert (summary.done, summary.label, summary.complete) == (2, "updated", True)
    assert summary.as_dict()["updated"] == 2
    found = await customers(local)
    assert {code: (row["Name"], row["Instructions"] or "") for code, row in found.items()} == {
        "T1": ("nT1", "one"),
        "T2": ("nT2", ""),
        "T3": ("nT3", "three"),
    }
    assert (outcomes[2].outcome, outcomes[2].id) == ("updated", ids[2])
    opened = await local.job(source, UPDATE).open(local.company)
    assert [row.id for row in await opened.journal.rows_in(State.DONE)] == [ids[0], ids[2]]
    await opened.journal.close()


async def test_rows_whose_record_is_not_one_fail(local: Local) -> None:
    first, second, gone = await made(local, "T1", "T1", "T3")
    await local.company.delete(Customer, gone)
    source = local.write(
        [["T1", "", "x"], ["T2", "", "x"], ["T3", "", "x"], ["T4", "", ""], ["", "", "x"], ["3", "", "x"]],
        COLUMNS,
    )
    summary, outcomes = await carried_out(local.job(source, UPDATE), local)
    assert summary.failed == 6
    assert {number: each.reason for number, each in outcomes.items()} == {
        1: f"2 Customer records have tenant_code 'T1' (ids {first}, {second}); identify the records by id",
        2: "no Customer has tenant_code 'T2'",
        3: f"the Customer with tenant_code 'T3' has been removed (id {gone})",
        4: "no Customer has tenant_code 'T4'",
        5: "the key '{code}' in tenant_code is empty; each row needs its own key",
        6: "no Customer has tenant_code '3'; did a spreadsheet drop leading zeros?",
    }


async def test_a_row_without_anything_to_write_fails(local: Local) -> None:
    await made(local, "T1")
    text = UPDATE.split("work_zone")[0]
    _, outcomes = await carried_out(local.job(local.write([["T1", "", ""]], COLUMNS), text), local)
    assert outcomes[1].reason == "nothing to update: the cells of all fields to update are empty"


async def test_an_empty_cell_empties_a_text_if_the_map_says_so(local: Local) -> None:
    """Without that it writes nothing; the row counts as one that writes something."""
    (id,) = await made(local, "T1")
    await local.company.update(Customer.ref(id), instructions="old", dba="old")
    text = UPDATE.replace('"{note}"', '{ text = "{note}", empty = "clear" }').replace(
        'work_zone = "@zone"', 'dba = "{name}"'
    )
    text = text[: text.index("[reference")]
    summary, _ = await carried_out(local.job(local.write([["T1", "", ""]], COLUMNS), text), local)
    (row,) = await local.rows("Customer", "Instructions", "Dba", TenantCode="T1")
    assert (summary.done, row["Instructions"], row["Dba"]) == (1, "", "old")


async def test_an_empty_name_of_a_field_that_creating_requires_is_not_written(local: Local) -> None:
    await made(local, "T1")
    named = UPDATE.replace("where = { is_offline = false }", 'by = "display_as"\nfrom = "{name}"')
    summary = await local.run(local.write([["T1", "", "new"]], COLUMNS), named)
    assert (summary.done, summary.failed) == (1, 0)
    assert (await customers(local))["T1"]["Instructions"] == "new"


async def test_an_update_by_id(local: Local) -> None:
    ids = await made(local, "T1", "T2")
    text = 'operation = "update Customer by Id"\n[entity]\nid = "{code}"\nname = "{name}"\n'
    source = local.write([[str(ids[1]), "Two", ""], ["999999", "None", ""], ["x", "None", ""]], COLUMNS)
    summary, outcomes = await carried_out(local.job(source, text), local)
    assert (await customers(local))["T2"]["Name"] == "Two"
    assert (summary.done, outcomes[2].reason) == (1, "no Customer has id '999999'")
    assert outcomes[3].reason == "entity.id takes a whole number, not 'x' (column 'code')"


async def test_an_update_that_was_under_way_is_compared(local: Local) -> None:
    """One was written, one was not, one record is gone; the fourth row was never sent."""
    ids = await made(local, "T1", "T2", "T3", "T4")
    source = local.write([[f"T{i}", "", f"note {i}"] for i in range(1, 5)], COLUMNS)
    await killed_while_sending(local.job(source, UPDATE), local, [1, 2, 3])
    await local.company.update(Customer.ref(ids[0]), instructions="note 1")
    await local.company.delete(Customer, ids[2])
    before = (await customers(local))["T1"]["ConcurrencyId"]
    summary, outcomes = await carried_out(local.job(source, UPDATE), local)
    found = await customers(local)
    assert [found[f"T{i}"]["Instructions"] for i in (1, 2, 4)] == ["note 1", "note 2", "note 4"]
    assert found["T1"]["ConcurrencyId"] == before, "it was not written again"
    assert (summary.done, summary.in_doubt) == (3, 1)
    assert outcomes[3].reason == f"the Customer with tenant_code 'T3' has been removed (id {ids[2]})"


@pytest.mark.parametrize("note", ["{note}", None], ids=["cell", "map"])
async def test_an_update_that_is_taken_back_waits_for_the_one_under_way(
    local: Local, note: str | None
) -> None:
    """The record has the old value at first, and the new one of the killed run arrives while rows settle."""
    (id,) = await made(local, "T1")
    await local.company.update(Customer.ref(id), instructions="old")

    def import_of(value: str) -> Import:
        text = UPDATE.replace("{note}", note or value)
        return local.job(local.write([["T1", "", value if note else ""]], COLUMNS), text)

    await killed_while_sending(import_of("new"), local, [1])
    arrivals = [local.company.update(Customer.ref(id), instructions="new")]

    async def stage() -> None:
        await arrivals.pop()

    tasks: list[asyncio.Task[None]] = []

    def on_stage(words: str) -> None:
        if arrivals and "in doubt" in words:
            tasks.append(asyncio.create_task(stage()))

    summary = await import_of("old").run(local.company.with_options(settle=0.5), on_stage=on_stage)
    assert (summary.done, len(tasks)) == (1, 1)
    assert (await customers(local))["T1"]["Instructions"] == "old"


@pytest.mark.parametrize(
    ("text", "field", "value"), [(UPDATE, "Instructions", "new"), (DELETE, "IsRemoved", True)]
)
async def test_a_call_in_doubt_is_settled_in_the_same_run(
    local: Local, text: str, field: str, value: Any
) -> None:
    await made(local, "T1")
    local.server.creation, local.server.broken = "base/Customer", True

    def stage(_: str) -> None:
        local.server.broken = False

    before = local.server.count("base/Customer")
    summary = await local.job(local.write([["T1", "", "new"]], COLUMNS), text).run(
        local.company, on_stage=stage
    )
    assert (summary.done, summary.in_doubt, summary.not_started) == (1, 0, 0)
    assert local.server.count("base/Customer") == before + 2
    assert (await customers(local))["T1"][field] == value


# --- delete ---------------------------------------------------------------------------------


async def test_records_are_deleted_by_a_key(local: Local) -> None:
    await made(local, "T1", "T2", "T3")
    source = local.write([["T1", "", ""], ["T3", "", ""], ["T9", "", ""]], COLUMNS)
    summary, outcomes = await carried_out(local.job(source, DELETE), local)
    assert {code for code, row in (await customers(local)).items() if row["IsRemoved"]} == {"T1", "T3"}
    assert (summary.done, summary.label, outcomes[3].reason) == (
        2,
        "deleted",
        "no Customer has tenant_code 'T9'",
    )


async def test_a_delete_that_was_under_way_is_decided(local: Local) -> None:
    ids = await made(local, "T1", "T2")
    source = local.write([["T1", "", ""], ["T2", "", ""]], COLUMNS)
    await killed_while_sending(local.job(source, DELETE), local, [1, 2])
    await local.company.delete(Customer, ids[0])
    summary = await local.run(source, DELETE)
    assert (summary.done, summary.complete) == (2, True)
    removed = {code: row["IsRemoved"] for code, row in (await customers(local)).items()}
    assert removed == {"T1": True, "T2": True}


async def test_a_delete_in_doubt_spares_a_record_that_took_the_key_since(local: Local) -> None:
    """The delete was carried out before the kill; then somebody created another record with the key."""
    (old,) = await made(local, "T1")
    source = local.write([["T1", "", ""]], COLUMNS)
    folder = await killed_while_sending(local.job(source, DELETE), local, [1])
    await local.company.delete(Customer, old)
    (new,) = await made(local, "T1")
    async with Journal.open(folder) as journal:
        assert await settle_job(journal, local.company) == {"looked_up": 1, "found": 0, "not_there": 0}
    summary = await local.run(source, DELETE)
    assert (summary.in_doubt, summary.done, summary.complete) == (1, 0, False)
    assert not (await local.company.get(Customer, new)).is_removed


async def test_a_delete_stays_in_doubt_while_queries_ignore_their_condition(local: Local) -> None:
    """Records with other keys do not confirm that there is none with this key."""
    source = local.write([["T1", "", ""]], COLUMNS)
    folder = await killed_while_sending(local.job(source, DELETE), local, [1])
    local.server.unconditional = "query/Customer"
    async with Journal.open(folder) as journal:
        with pytest.raises(NoAnswerError, match="was not requested"):
            await settle_job(journal, local.company)
    local.server.unconditional = "\0"
    async with Journal.open(folder) as journal:
        assert (await settle_job(journal, local.company))["found"] == 1


async def test_one_look_that_finds_no_record_does_not_make_a_delete_done(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A removed record is found, too. The look-up may have read the response of another."""
    await made(local, "T1")
    source = local.write([["T1", "", ""]], COLUMNS)
    await killed_while_sending(local.job(source, DELETE), local, [1])
    asked, find = 0, settling.find_records

    async def misread(*given: Any, **options: Any) -> Any:
        nonlocal asked
        asked += 1
        return {} if asked == 1 else await find(*given, **options)

    monkeypatch.setattr(settling, "find_records", misread)
    summary = await local.run(source, DELETE)
    assert (summary.done, summary.complete) == (1, True)
    assert (await customers(local))["T1"]["IsRemoved"]


@pytest.mark.parametrize("text", [UPDATE, DELETE, f"marker = 'tenant_code'{CREATE}"])
async def test_a_person_cannot_name_a_record_of_another_key(local: Local, text: str) -> None:
    """Unless no record has the key of the row: then somebody has edited it."""
    source = local.write([["T1", "n", "new"]], COLUMNS)
    folder = await killed_while_sending(local.job(source, text), local, [1])
    own, other = await made(local, "T1", "T2")
    async with Journal.open(folder) as journal:
        with pytest.raises(JournalError, match=f"{own}.*{other}"):
            await decide(journal, 1, other, "me", company=local.company)
        assert [each.state for each in await journal.rows_in()] == [State.SENDING]
        await local.company.update(Customer.ref(own), tenant_code="T3")
        await decide(journal, 1, own, "me", company=local.company)
        assert [each.state for each in await journal.rows_in()] == [State.DONE]


async def test_an_id_does_not_exist_because_queries_ignore_their_condition(local: Local) -> None:
    """Nor is one missing: a record with another id says nothing about it."""
    source = local.write([["T1", "n", "new"]], COLUMNS)
    folder = await killed_while_sending(local.job(source, CREATE), local, [1])
    (id,) = await made(local, "T1")
    local.server.unconditional = "query/Customer"
    async with Journal.open(folder) as journal:
        with pytest.raises(JournalError, match="no Customer has the id 999999"):
            await decide(journal, 1, 999_999, "me", company=local.company)
    ids = NamedIds([])
    for ignored, known in (("query/Customer", True), ("\0", False)):
        local.server.unconditional = ignored
        await ids.look_up(local.company, [("entity.id", Customer, each) for each in (id, 999_999 + known)])
        assert (ids.fault([("entity.id", Customer, 999_999 + known)]) is None) is known


async def test_a_delete_whose_record_is_nowhere_is_done(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    await made(local, "T1")
    source = local.write([["T1", "", ""]], COLUMNS)
    await killed_while_sending(local.job(source, DELETE), local, [1])

    async def nothing(*_: Any, **__: Any) -> dict[str, Any]:
        return {}

    monkeypatch.setattr(settling, "find_records", nothing)
    summary = await local.run(source, DELETE)
    assert (summary.done, summary.complete) == (1, True)
    assert not any(path.startswith("DELETE") for path in local.server.asked)


async def test_a_delete_that_takes_effect_late_is_that_of_the_job(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    (id,) = await made(local, "T1")
    source = local.write([["T1", "", ""]], COLUMNS)
    await killed_while_sending(local.job(source, DELETE), local, [1])
    settle = Settling.settle

    async def late(self: Settling) -> set[int]:
        absent = await settle(self)
        if absent:
            await local.company.delete(Customer, id)
        return absent

    monkeypatch.setattr(Settling, "settle", late)
    summary, outcomes = await carried_out(local.job(source, DELETE), local)
    assert (summary.done, outcomes[1].outcome, outcomes[1].id) == (1, "deleted", id)


# --- commands -------------------------------------------------------------------------------

CANCEL = """
operation = "WoCancelCommand"
[command]
work_order_id = "{id}"
action_reason_id = "@reason"
comment = "{note}"
[reference.reason]
entity = "WoActionReasonLookup"
where = { action_id = "Cancel" }
"""


async def test_any_command_of_the_catalogue(local: Local, tmp_path: Path) -> None:
    source = local.write([[str(i), "text", "", ""] for i in (1, 2)])
    await local.run(source, MAP)
    orders = await local.rows("WorkOrder", "PoNumber")
    path = tmp_path / "cancel.csv"
    path.write_text("id,note\n" + "".join(f"{row['Id']},no more\n" for row in orders))
    summary, outcomes = await carried_out(local.job(path, CANCEL), local)
    assert (summary.done, summary.label, summary.complete) == (2, "done", True), outcomes
    order = await local.company.get(WorkOrder, orders[0]["Id"])
    assert str(order.status_id) == "Cancelled"
    assert outcomes[1].as_dict()["work_order_id"] == orders[0]["Id"]


# --- what cannot be used --------------------------------------------------------------------


@each_of(
    ("text", "message"),
    [
        ("operation = 'create Custmer'\n[entity]\n", "no entity 'Custmer'; did you mean 'Customer'?"),
        ("operation = 'WoAsignCommand'\n[command]\n", "; did you mean 'WoAssignCommand'?"),
        ("operation = 'create WorkOrder'\n[entity]\n", "create is not supported by WorkOrder"),
        ("operation = 'CompositeCommand'\n[command]\n", "run each command separately"),
        ("operation = 'update Customer by Tenant'\n[entity]\n", "has no field 'Tenant'; did you mean"),
        ("operation = 'update Customer by WorkZone'\n[entity]\n", "cannot identify records"),
        ("operation = 'create Customer'\n[command]\n", "'create Customer' does not use [command]"),
        ("operation = 'create Customer'\n", "add a table [entity] with Customer fields"),
        ("[entity]\nname='{a}'", "operation is missing"),
        ("", "command is missing; add a table [command] with WoCreateCommand fields"),
        (
            "operation = 'update Customer by Id'\n[entity]\nname='{a}'",
            "entity.id, which identifies the records, is missing",
        ),
        ("operation = 'update Customer by Id'\n[entity]\nid='{a}'", "has no fields to update"),
        ("operation = 'update Customer by Name'\n[entity]\nname='{a}'\nid='{b}'", "id cannot be updated"),
        (
            "operation = 'delete Customer by Id'\n[entity]\nid='{a}'\nname='{b}'",
            "name: a delete uses only id",
        ),
    ],
)
def test_a_map_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ImportMapError) as caught:
        load(tmp_path, text)
    assert message in caught.value.message
    assert str(tmp_path / "m.toml") in caught.value.message


def test_map_and_caller_must_agree(tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_text("operation = 'create Customer'\n[entity]\nname='{a}'")
    assert ImportMap.load(path, operation="create  customer").operation == "create Customer"
    with pytest.raises(ImportMapError, match=r"'create Customer', but 'update Customer by id'"):
        ImportMap.load(path, operation="update Customer by Id")


@pytest.mark.parametrize("changes", [{"marker": "name"}, {"if_exists": "skip"}])
def test_an_update_is_told_by_its_key_alone(local: Local, changes: dict[str, str]) -> None:
    with pytest.raises(ImportMapError):
        local.job(local.write([], COLUMNS), UPDATE, **changes)


def test_a_marker_that_cannot_be_found_again_is_refused(local: Local) -> None:
    text = CREATE + 'if_missing = "fail"\n'
    with pytest.raises(ImportMapError, match="concurrency_id"):
        local.job(local.write([], COLUMNS), text, marker="concurrency_id")


@each_of(
    "name",
    ["WoCreateCommand", "create Customer", "update Customer by tenant_code", "delete Customer by id"],
)
def test_a_name_is_read_back(name: str) -> None:
    assert operation_named(name).name == name


# --- effects of written creates -------------------------------------------------------------

RESULTS: list[dict[str, Any]] = [
    {},
    {"Wo": None},
    {"Wo": {}},
    *({"Wo": {"Id": id}} for id in (7, 0, -1, 2**63 - 1, 2**63, True, "7", "", [7], {"Id": 7})),
    {"Wo": {"Id": 7, "Number": "N-7", "ConcurrencyId": 3, "Status": [1], "Items": "none", "Unknown": {}}},
    {"Wo": {"Id": 7, "Number": 5, "ConcurrencyId": "3"}},
    {"Wo": {"Id": 7, "Number": None, "ConcurrencyId": 0}},
    {"wo": {"id": 7, "number": "N-7", "concurrencyid": 3}},
    {"Wo": {"Id": 7}, "UpdatedPropertySet": {"Properties": ["Id"]}},
    {"Wo": {"Id": 7}, "Unknown": 1},
    {"Wo": {"Id": 7}, "ErrorInfo": None},
    {"Wo": {"Id": 7}, "ErrorInfo": {"Number": 1019}},
    {"ErrorInfo": {"Number": 1019, "Description": "refused"}},
]


@each_of("result", RESULTS)
def test_a_written_create_has_the_effect_of_its_whole_result(result: dict[str, Any]) -> None:
    body = dumps({"CommandResult": result, "RequestId": "r"})
    operation = operation_named("WoCreateCommand")
    written = command(Written(WoCreateCommand, {}))
    try:
        expected = operation.effect(command(WoCreateCommand(), check=False).decode(body))
    except Exception as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            written.decode(body)
        return
    found = written.decode(body)
    assert (found if isinstance(found, Effect) else operation.effect(found)) == expected
