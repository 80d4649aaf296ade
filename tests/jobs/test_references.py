"""Records that rows refer to: found in batches, made once, and reported when there are none."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import CREATED, CUSTOMER, MARKER, TWO_PLACES, WORK_ORDER, named
from tests.jobs.runs import carried_out, killed, told
from wosdk_async import Contact, Customer, Location, NoAnswerError, Ref
from wosdk_async.jobs import ImportMapError, RowOutcome
from wosdk_async.jobs.imports import reference_stage
from wosdk_async.jobs.journal import Journal, ReferenceRecord, State
from wosdk_async.jobs.mapping import lookup, reference_index
from wosdk_async.text.remedies import Remedy


async def test_names_are_looked_up_in_batches_and_not_for_each_row(local: Local) -> None:
    source = local.write(named(*[f"Customer {i % 210}" for i in range(220)]))
    summary = await local.run(source, WORK_ORDER + CREATED)
    assert (summary.created, summary.references_created) == (220, 210)
    # 210 names, 200 in a query: by their field, then in the others
    assert local.server.count("query/Customer") == 2 + 2
    assert local.server.count("base/Customer") == 210
    assert sum("query" in path for path in local.server.asked) == 4 + 4


async def test_a_lookup_reads_on_after_a_full_page(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "PAGE", 2)
    names = [f"Customer {i}" for i in range(5)]
    for name in names:
        await local.company.create(Customer(display_as=name, name=name, work_zone=Ref(14)))
    local.server.asked.clear()
    _, outcomes = await carried_out(local.job(named(*names), WORK_ORDER + CUSTOMER), local)
    assert {row.outcome for row in outcomes.values()} == {"created"}
    assert local.server.count("query/Customer") == 3  # 2, 2 and 1 records


async def test_names_that_look_alike_are_one_record(local: Local) -> None:
    """White space and the form of accents do not count, letter case and NFKC do; both are announced."""
    names = ("New Co", " New  Co\n", "New\xa0Co", "Café", "Cafe\u0301", "NEW CO", "m²", "m2")
    importing = local.job(named(*names), WORK_ORDER + CREATED)
    rows = importing.read()
    (warning,) = rows.warnings  # before anything is sent
    assert "2 names" in warning
    _, outcomes = await carried_out(importing, local)
    assert {row.outcome for row in outcomes.values()} == {"created"}
    customers = [row["DisplayAs"] for row in await local.rows("Customer", "DisplayAs")]
    assert Counter(customers[2:]) == Counter(["New Co", "Café", "NEW CO", "m²", "m2"])


async def test_a_record_in_another_letter_case_is_used_with_a_warning(local: Local) -> None:
    """Otherwise a second one would be created beside it."""
    summary = await local.run(named("pier coffee"), WORK_ORDER + CREATED)
    assert (summary.created, summary.references_created, len(told(summary))) == (1, 0, 1)
    assert "'pier coffee' and 'Pier Coffee'" in told(summary)[0]


async def test_a_record_named_in_two_letter_cases_is_announced_once(local: Local) -> None:
    source = local.write(named("pier coffee", "Pier Coffee"))
    summary = await local.run(source, WORK_ORDER + CREATED)
    assert (summary.created, summary.references_created, len(told(summary))) == (2, 0, 1)


async def test_nothing_is_created_while_queries_ignore_their_condition(local: Local) -> None:
    """Records with other names do not confirm that a name is missing."""
    local.server.unconditional = "query/Customer"
    with pytest.raises(NoAnswerError, match="was not requested"):
        await local.run(named("New"), WORK_ORDER + CREATED)
    assert local.server.count("base/Customer") == 0


async def test_a_second_import_finds_what_the_first_one_made(local: Local) -> None:
    await carried_out(local.job(named("Café Öl", "x" * 80), WORK_ORDER + CREATED), local)
    other = local.job(named("CAFÉ ÖL", "X" * 80), WORK_ORDER + CREATED, again=True)
    summary = await other.run(local.company)
    assert (summary.created, summary.references_created) == (2, 0)


async def test_removed_records_are_not_found(local: Local) -> None:
    made = await local.company.create(Customer(display_as="Gone", name="Gone", work_zone=Ref(14)))
    await local.company.delete(Customer, made.id)
    await local.company.update(Customer(id=made.id), display_as="Gone")  # it read "Gone (deleted)"
    _, outcomes = await carried_out(local.job(named("gone"), WORK_ORDER + CUSTOMER), local)
    assert outcomes[1].reason == "customer: no Customer is called 'gone' (display_as)"


@pytest.mark.parametrize("text", [CUSTOMER, CREATED])
async def test_a_name_of_several_records_fails_its_rows(local: Local, text: str) -> None:
    """Also where missing records are created: one more of the name would help nobody."""
    await local.company.create(Customer(display_as="Pier Coffee", name="Twin", work_zone=Ref(14)))
    rows = named("Pier Coffee", "Lindqvist Dental")
    _, outcomes = await carried_out(local.job(rows, WORK_ORDER + text), local)
    assert "2 Customer records are called 'Pier Coffee' (ids 513, 514); " in str(outcomes[1].reason)
    assert 'ambiguous = "first"' in str(outcomes[1].reason)
    assert outcomes[2].outcome == "created"
    assert len(await local.rows("Customer")) == 3


async def test_of_several_the_lowest_id_is_taken_when_the_map_says_so(local: Local) -> None:
    await local.company.create(Customer(display_as="Pier Coffee", name="Twin", work_zone=Ref(14)))
    text = WORK_ORDER + CUSTOMER + 'ambiguous = "first"\n'
    summary = await local.run(named("Pier Coffee"), text)
    assert told(summary) == ["customer: 'Pier Coffee' is ambiguous; using 513, not 514"]
    assert [row["Customer"]["Id"] for row in await local.rows("WorkOrder", "Customer.Id")] == [513]


async def test_an_unknown_name_fails_its_row_only(local: Local) -> None:
    _, outcomes = await carried_out(
        local.job(named("Pier Coffee", "Nobody", "12"), WORK_ORDER + CUSTOMER), local
    )
    assert outcomes[1].outcome == "created"
    assert outcomes[3].reason.endswith("'12' (display_as); did a spreadsheet drop leading zeros?")
    assert outcomes[2].as_dict() == {
        "row": 2,
        "line": 3,
        "outcome": "failed",
        "reason": "customer: no Customer is called 'Nobody' (display_as)",
    }


async def test_a_name_that_another_field_holds_leads_to_this_field(local: Local) -> None:
    """One more look-up finds the field with most of the names; only rows with these name it."""
    for name in ("Bay Bakery", "Bay Books"):
        await local.company.create(Customer(display_as=f"Co {name}", name=name, work_zone=Ref(14)))
    await local.company.create(Customer(display_as="C", name="C", tenant_code="Bay Books", work_zone=Ref(14)))
    text = (WORK_ORDER + CUSTOMER).replace('po_number = "{key}"', 'po_number = "{key}"\nduration = "{notes}"')
    rows = [["1", "text", "", "Nobody"], ["2", "text", "soon", "bay  bakery"], ["3", "text", "", "Bay Books"]]
    local.server.asked.clear()
    _, outcomes = await carried_out(local.job(rows, text), local)
    assert outcomes[1].reason == "customer: no Customer is called 'Nobody' (display_as)"
    for row, name in ((2, "bay bakery"), (3, "Bay Books")):
        assert (outcomes[row].reason or "").count(f"{name!r} is a name: to look up all records by name") == 1
    assert local.server.count("query/Customer") == 2
    again = text.replace('by = "display_as"', 'by = "name"')
    _, outcomes = await carried_out(local.job(rows, again), local)
    assert [row for row, outcome in outcomes.items() if outcome.outcome == "created"] == [3]
    assert "set by" not in (outcomes[1].reason or "")


async def test_a_fixed_name_that_another_field_holds_leads_to_this_field(local: Local) -> None:
    await local.company.create(Customer(display_as="Bay", name="Bay Books", work_zone=Ref(14)))
    text = WORK_ORDER + CUSTOMER.replace("{customer}", "Bay Books")
    with pytest.raises(ImportMapError, match="no Customer is called 'Bay Books'") as error:
        await local.run(named(""), text)
    assert error.value.remedies == (Remedy.OTHER_FIELD,)
    assert (error.value.facts["sample"], error.value.facts["by"]) == ("Bay Books", "name")


async def test_a_name_is_not_looked_for_where_no_other_field_can_hold_it(local: Local) -> None:
    text = (WORK_ORDER + CUSTOMER).replace("po_number", 'priority = "@priority"\npo_number')
    text += '[reference.priority]\nentity = "WoPriority"\nby = "display_as"\nfrom = "{notes}"\n'
    _, outcomes = await carried_out(local.job(named("Pier Coffee"), text), local)
    assert outcomes[1].reason == "priority: no WoPriority is called 'notes' (display_as)"
    assert local.server.count("query/WoPriority") == 1


async def test_a_record_that_cannot_be_made_fails_the_rows_that_need_it(local: Local) -> None:
    text = (WORK_ORDER + CREATED).replace('name = "{}"', 'name = "{}"\ninstructions = "{text}"')
    rows = [["1", "fits", "", "Good"], ["2", "x" * 3073, "", "Bad"], ["3", "y" * 3073, "", " Bad"]]
    _, outcomes = await carried_out(local.job(rows, text), local)
    assert [outcomes[i].outcome for i in (1, 2, 3)] == ["created", "failed", "failed"]
    assert "'Bad' could not be created: reference.customer.create.instructions has" in str(outcomes[3].reason)


async def test_rows_that_cannot_be_created_make_no_records(local: Local) -> None:
    """Each row says what is wrong with it, and no record is made that only such rows name."""
    text = WORK_ORDER.replace('entity = "Task"', 'entity = "Task"\nby = "display_as"\nfrom = "{text}"')
    text = text.replace('po_number = "{key}"', 'po_number = "{key}"\ndt_due = "{notes}"') + CREATED
    rows = [
        ["1", "Leaking", "05.03.2026", "Bad date"],
        ["2", "Nothing known", "", "No task"],
        ["3", "Leaking", "2026-03-05 08:00", "Fits"],
        ["4", "Leaking", "soon", "fits"],
        ["5", "Leaking", "", "x", "cell too many"],
        ["6", "Leaking"],
    ]
    _, outcomes = await carried_out(local.job(rows, text), local)
    assert [row for row, outcome in outcomes.items() if outcome.outcome == "created"] == [3]
    assert (outcomes[1].reason or "").startswith("command.work_order.dt_due takes a time")
    assert outcomes[2].reason == "task: no Task is called 'Nothing known' (display_as)"
    assert (outcomes[4].reason or "").startswith("command.work_order.dt_due takes a time")
    customers = [row["DisplayAs"] for row in await local.rows("Customer", "DisplayAs")]
    assert customers[-1] == "Fits"
    assert not {"Bad date", "No task", "x"} & set(customers)
    assert local.server.count("base/Customer") == 1


async def test_one_record_that_cannot_be_made_leaves_no_other_behind(local: Local) -> None:
    """A row that needs two new records and gets only one is not created: the other one is not made."""
    text = WORK_ORDER.replace(
        'entity = "Location"', 'entity = "Location"\nby = "name"\nfrom = "{notes}"\nif_missing = "create"'
    ) + CREATED.replace('name = "{}"', 'name = "{}"\ninstructions = "{text}"')
    rows = [["1", "x" * 3073, "New place", "New customer"]]
    _, outcomes = await carried_out(local.job(rows, text), local)
    assert (outcomes[1].reason or "").startswith("customer 'New customer' could not be created: ")
    assert (local.server.count("base/Customer"), local.server.count("base/Location")) == (0, 0)


async def test_a_new_record_takes_its_cells_from_the_first_row_that_can_be_created(local: Local) -> None:
    text = (WORK_ORDER + CREATED).replace('name = "{}"', 'name = "{}"\ninstructions = "{text}"')
    rows = [["1", "z" * 3097, "", "New"], ["2", "second", "", " New"], ["3", "third", "", "New "]]
    _, outcomes = await carried_out(local.job(rows, text), local)
    assert [outcomes[i].outcome for i in (1, 2, 3)] == ["failed", "created", "created"]
    found = await local.rows("Customer", "DisplayAs", "Instructions", DisplayAs="New")
    assert [row["Instructions"] for row in found] == ["second"]


async def test_a_refused_creation_fails_the_rows_that_need_it(local: Local) -> None:
    text = WORK_ORDER.replace('entity = "Task"', "") + CREATED
    text = text.replace(
        "[reference.task]",
        '[reference.task]\nentity = "WorkZone"\nby = "display_as"\nfrom = "{text}"\nif_missing = "create"',
    )
    _, outcomes = await carried_out(local.job(named("A", "B"), text), local)
    assert {row.outcome for row in outcomes.values()} == {"failed"}
    assert "not supported by WorkZone; run WorkZoneCreateCommand" in str(outcomes[1].reason)


async def test_a_fixed_record_that_is_not_there_stops_before_anything_is_made(local: Local) -> None:
    text = (WORK_ORDER + CREATED).replace('type_id = "Request", is_def_sr', 'type_id = "Turn", is_def_sr')
    with pytest.raises(ImportMapError, match="WorkOrderType with type_id = Turn, is_def_sr = true"):
        await local.run(named("A"), text)
    assert local.server.count("base/Customer") == 0


async def test_a_required_record_without_a_name_fails_the_row(local: Local) -> None:
    text = (
        WORK_ORDER.replace('entity = "Location"', 'entity = "Location"\nby = "name"\nfrom = "{text}"')
        + CUSTOMER
    )
    _, outcomes = await carried_out(local.job([["1", " ", "", "Pier Coffee"]], text), local)
    assert outcomes[1].reason == "command.work_order.items[0].asset is required, but this row has no asset"


async def test_names_that_are_equal_when_cut_are_one_record_with_a_warning(local: Local) -> None:
    source = local.write(named("x" * 64 + "one", "x" * 64 + "two"))
    summary, outcomes = await carried_out(local.job(source, WORK_ORDER + CREATED), local)
    assert (summary.created, summary.references_created) == (2, 1)
    (warning,) = told(summary)
    assert f"{'x' * 64}two" in warning
    assert "after truncation" in warning
    assert [row.warnings for row in outcomes.values()] == [
        ("customer name has 67 characters and was truncated to 64",)
    ] * 2


async def test_a_name_over_a_documented_limit_fails_without_truncate(local: Local) -> None:
    text = (WORK_ORDER + CREATED).replace("truncate = true", "")
    _, outcomes = await carried_out(local.job(named("y" * 65, "short"), text), local)
    assert "customer name has 65 characters, but the limit is 64; " in str(outcomes[1].reason)
    assert outcomes[2].outcome == "created"


async def test_a_limit_of_a_third_party_is_a_warning(local: Local) -> None:
    place = 'entity = "Location"\nby = "name"\nfrom = "{text}"\nif_missing = "create"\ncreate.model_id = 901'
    text = WORK_ORDER.replace('entity = "Location"', place) + CUSTOMER
    _, outcomes = await carried_out(local.job([["1", "z" * 70, "", "Pier Coffee"]], text), local)
    assert outcomes[1].outcome == "created"
    (warning,) = outcomes[1].warnings
    assert warning.startswith("asset name has 70 characters; ")
    assert (await local.rows("Location", "Name"))[-1]["Name"] == "z" * 70


async def test_references_may_be_filtered_by_others(local: Local) -> None:
    text = WORK_ORDER + CUSTOMER.replace(
        'from = "{customer}"', 'from = "{customer}"\nwhere = { work_zone = "@zone" }'
    )
    text += '[reference.zone]\nentity = "WorkZone"\nby = "display_as"\nfrom = "harbor mall"\n'
    _, outcomes = await carried_out(local.job(named("Pier Coffee", "Lindqvist Dental"), text), local)
    assert outcomes[1].outcome == "created"
    assert str(outcomes[2].reason).endswith("'Lindqvist Dental' (display_as) with work_zone = @zone")


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ('display_as = "HARBOR mall"', True),
        ('display_as = "Harbor"', False),
        ('display_as = "Harbor Mall", is_offline = false', True),
        ("is_offline = true", False),
        ("id = 15", True),
        ("id = 0", False),
    ],
)
async def test_filters_compare_as_the_service_does(local: Local, where: str, found: bool) -> None:
    text = WORK_ORDER + CREATED.replace("where = { is_offline = false }", f"where = {{ {where} }}")
    ready = local.job(named("A"), text)
    _, outcomes = await carried_out(ready, local)
    assert (outcomes[1].outcome == "created") is found, outcomes[1].reason


async def test_what_may_be_stored_as_null_is_compared_here(local: Local) -> None:
    """A stored null reads as false and is not found by it (facts 3.4); of enums it is not shown (facts 4)."""
    await carried_out(local.job(named("A"), WORK_ORDER + CREATED), local)
    conditions = [body.partition('"Criteria"')[2].partition('"Orders"')[0] for body in local.server.bodies]
    assert any('"IsDefSR"' in text for text in conditions)
    assert not any('"IsOffline"' in text or '"TypeId"' in text for text in conditions)


async def test_a_record_whose_creation_is_aborted_is_reported(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference_stage, "ABORT_GRACE", 0.0)
    local.server.creation, local.server.held = "base/Customer", asyncio.Event()
    ready = local.job(named("A", "B"), WORK_ORDER + CREATED, concurrency=1)
    outcomes: list[RowOutcome] = []
    running = asyncio.create_task(ready.run(local.company, on_row=outcomes.append))
    await local.server.arrived.wait()
    ready.stop()
    ready.stop()
    summary = await running
    assert [row.outcome for row in outcomes] == ["not_started", "not_started"]
    assert [warning.split(":")[0] for warning in told(summary)] == ["customer 'A' may have been created"]


async def test_rows_that_need_a_record_whose_creation_is_in_doubt_are_not_started(local: Local) -> None:
    local.server.creation, local.server.broken = "base/Customer", True
    local.company = local.company.with_options(deadline=0.5, settle=0.0)
    _, outcomes = await carried_out(local.job(named("A", "Pier Coffee"), WORK_ORDER + CREATED), local)
    assert (outcomes[1].reason or "").startswith("customer 'A' may have been created: ")
    assert (outcomes[1].outcome, outcomes[2].outcome) == ("not_started", "created")


@pytest.mark.parametrize("hidden", [1, 2])
async def test_a_creation_of_an_earlier_run_is_absent_only_after_two_settled_look_ups(
    local: Local, monkeypatch: pytest.MonkeyPatch, hidden: int
) -> None:
    """One look-up alone, after it has settled, may have read the response of another."""
    source = local.write(named("New"))
    async with killed(local.job(source, WORK_ORDER + CREATED), local) as journal:
        await journal.begin_reference(ReferenceRecord("customer", "New", "New", State.SENDING))
    made = await local.company.create(Customer(display_as="New", name="New", work_zone=Ref(14)))
    looks, find = [], reference_index.find_named

    async def misread(company: Any, spec: Any, *given: Any) -> Any:
        if spec.name != "customer":
            return await find(company, spec, *given)
        looks.append(asyncio.get_running_loop().time())
        return {} if len(looks) <= hidden else await find(company, spec, *given)

    monkeypatch.setattr(reference_index, "find_named", misread)
    summary = await local.job(source, WORK_ORDER + CREATED).run(local.company.with_options(settle=0.2))
    assert (summary.created, summary.references_created) == (1, 0)
    assert {row["Customer"]["Id"] for row in await local.rows("WorkOrder", "Customer.Id")} == {made.id}
    assert len(looks) == hidden + 1
    assert looks[1] - looks[0] >= 0.2


@pytest.mark.parametrize("lost", ["response", "request"])
async def test_a_creation_in_doubt_is_looked_up_as_names_are(local: Local, lost: str) -> None:
    """Not taken for the new one: a record that is removed, and one that the map's ``where`` leaves out."""
    first, other = (row["Id"] for row in (await local.rows("WorkZone"))[:2])
    old = await local.company.create(Customer(name="New", display_as="A", work_zone=Ref(first)))
    await local.company.delete(Customer, old.id)
    await local.company.create(Customer(name="New", display_as="A", work_zone=Ref(other)))
    text = CREATED.replace('by = "display_as"', 'by = "name"\nwhere = { work_zone = "@zone" }')
    text = text.replace('name = "{}"\nwork_zone', 'display_as = "{}"\nwork_zone')
    local.server.creation, before = "base/Customer", len(await local.rows("Customer"))
    local.server.unheard, local.server.broken = int(lost == "response"), lost == "request"
    local.company = local.company.with_options(settle=0.1, deadline=0.5)

    def stage(told: str) -> None:
        local.server.broken = local.server.broken and "in doubt" not in told

    summary = await local.job(named("New", " New"), WORK_ORDER + text).run(local.company, on_stage=stage)
    assert (summary.created, summary.references_created) == (2, 1)
    made = await local.rows("Customer", "Name", "WorkZone.Id", "IsRemoved")
    assert len(made) == before + 1
    used = {row["Customer"]["Id"] for row in await local.rows("WorkOrder", "Customer.Id")}
    assert used == {made[-1]["Id"]}
    assert (made[-1]["Name"], made[-1]["WorkZone"]["Id"], made[-1]["IsRemoved"]) == ("New", first, False)


async def test_a_wrong_map_leaves_one_new_record_and_not_one_for_each_name(local: Local) -> None:
    """The first row with new records is sent before any other record is created."""
    source = local.write(named("Pier Coffee", *(f"New {i}" for i in range(40))))
    without_zone = CREATED[: CREATED.index("work_zone")]
    summary = await local.run(source, WORK_ORDER + without_zone)
    assert summary.stopped.kind == "references"
    assert (summary.failed, summary.created, summary.not_started) == (1, 0, 40)
    assert local.server.count("base/Customer") == 1
    summary = await local.run(source, WORK_ORDER + CREATED)
    assert (summary.complete, summary.created, summary.references_created) == (False, 40, 39)


@pytest.mark.parametrize("refused", [2, 3])
async def test_new_records_that_the_service_refuses(local: Local, refused: int) -> None:
    """Two are the fault of their rows; three in a row stop the import before any other is created."""
    local.server.refused = "unwanted"
    text = (WORK_ORDER + CREATED).replace('name = "{}"', 'name = "{}"\ndba = "{text}"')
    rows = [[str(i), "unwanted" if i <= refused else "good", "", f"New {i}"] for i in range(1, 7)]
    summary = await local.run(rows, text)
    created = sum("base/Customer" in path for path in local.server.asked)
    if refused == 2:
        assert (summary.failed, summary.created, created) == (2, 4, 6)
    else:
        assert summary.stopped.kind == "references"
        assert (summary.created, summary.not_started, created) == (0, 6, 3)


async def test_a_row_that_is_refused_here_proves_nothing(local: Local) -> None:
    """One whose key is there already, and one without a key: the next row is the first."""
    marked = f'marker = "{MARKER}"\n' + WORK_ORDER + CREATED
    await local.run(named("Pier Coffee"), marked)
    rows = [
        ["", "t", "", "Orphan"],
        ["1", "t", "", "New 1"],
        ["2", "t", "", "New 2"],
        ["3", "t", "", "New 3"],
    ]
    summary = await local.run(rows, marked, again=True)
    assert summary.stopped is None
    assert (summary.failed, summary.created) == (2, 2)
    customers = {row["DisplayAs"] for row in await local.rows("Customer", "DisplayAs")}
    assert not {"Orphan", "New 1"} & customers
    assert {"New 2", "New 3"} <= customers


async def test_a_new_record_has_the_name_that_is_compared(local: Local) -> None:
    """So a file that spells it otherwise finds it."""
    for name in ("Blue  Sky", "Blue\xa0Sky", "Blue Sky"):
        await local.run(named(name), WORK_ORDER + CREATED, again=True)
    customers = [row["DisplayAs"] for row in await local.rows("Customer", "DisplayAs")]
    assert [name for name in customers if "Sky" in name] == ["Blue Sky"]


async def test_an_update_of_a_record_that_is_not_there_leaves_no_new_one(local: Local) -> None:
    await local.company.create(Contact(last_name="Smith", display_as="Smith", number="1"))
    text = 'operation = "update Contact by number"\n[entity]\nnumber = "{key}"\ncustomer_id = "@customer"\n'
    summary = await local.run(named("New 1", "New 2"), text + CREATED)
    assert (summary.done, summary.failed, summary.references_created) == (1, 1, 1)
    assert "New 2" not in {row["DisplayAs"] for row in await local.rows("Customer", "DisplayAs")}


@pytest.mark.parametrize("unheard", [0, 1])
async def test_a_missing_record_that_two_references_name_is_created_once(local: Local, unheard: int) -> None:
    """In one row, in several, and when the response is lost."""
    local.server.creation, local.server.unheard = "base/Location", unheard
    rows = [["1", "A", "A", "Pier Coffee"], ["2", "B", " A", "Pier Coffee"], ["3", "C", "B", "Pier Coffee"]]
    summary = await local.run(rows, TWO_PLACES + CUSTOMER)
    assert (summary.created, summary.references_created, told(summary)) == (3, 3, [])
    places = await local.rows("Location", "Name")
    assert sorted(each["Name"] for each in places if each["Name"] in ("A", "B", "C")) == ["A", "B", "C"]
    orders = await local.rows("WorkOrder", "Items.Asset.Name")
    found = [[item["Asset"]["Name"] for item in each["Items"]] for each in orders]
    assert found == [["A", "A"], ["A", "B"], ["B", "C"]]


@pytest.mark.parametrize("field", ["name", ""])
@pytest.mark.parametrize("names", [["B", "New"], ["NEW", "B"], ["B", "NEW"]])
async def test_a_creation_of_an_earlier_run_is_awaited_whichever_reference_names_it_now(
    local: Local, names: list[str], field: str
) -> None:
    """The file was changed after a kill: another reference has the name, or in another letter case."""
    text = TWO_PLACES + CUSTOMER
    async with killed(local.job([["1", "New", "B", "Pier Coffee"]], text), local) as journal:
        await journal.begin_reference(
            ReferenceRecord("asset", "New", "New", entity="Location", field=field, state=State.SENDING)
        )
    made = await local.company.create(Location(name="New", model_id=901))
    local.server.hidden, local.server.hidden_times = "query/Location", 2  # one look-up of each reference
    changed = local.job([["1", *names, "Pier Coffee"]], text)
    summary = await changed.run(local.company)
    assert (summary.created, summary.references_created) == (1, 1)
    places = await local.rows("Location", "Name")
    assert [each["Id"] for each in places if each["Name"].casefold() == "new"] == [made.id]
    async with Journal.open(journal.folder, read_only=True) as journal:
        found = {each.name: (each.state.name, each.id) for each in await journal.references()}
    assert found["New"] == ("DONE", made.id)


async def test_names_of_two_references_that_look_alike_are_announced(local: Local) -> None:
    """As names of one reference are: each makes a record of its own. A name that both use counts once."""
    rows = [
        ["1", "Hall Nine", "HALL NINE", "HALL NINE"],
        ["2", "HALL NINE", "Hall\u200b Nine", "x"],
        ["3", "x", "m²", "m2"],
        ["4", "m2", "y", "y"],
    ]
    read = local.job(rows, TWO_PLACES + CUSTOMER).read()
    (warning,) = read.warnings  # the customer's names are of other records
    assert "asset and second: 3 names" in warning
    assert all(repr(name) in warning for name in ("Hall Nine", "HALL NINE", "m²", "m2"))
