"""Undo of records that a job created because its rows refer to them."""

from __future__ import annotations

import asyncio
import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import CREATED, MARKER, WORK_ORDER, named
from tests.jobs.runs import Kill, KillAt, imported, killed
from tests.support.laws import each_of, some
from wosdk_async import Contact, Customer, WoReopenCommand
from wosdk_async.jobs.journal import Journal, ReferenceRecord, State
from wosdk_async.jobs.ledger.overview import overview
from wosdk_async.jobs.ledger.undone import UndoRow, UndoSummary
from wosdk_async.jobs.report.outputs import write_outputs
from wosdk_async.jobs.undo import Undo
from wosdk_async.jobs.undo.records import CreatedRecords, Target
from wosdk_async.jobs.undo.references import find_used, pointers_to
from wosdk_async.model import (
    AssetInfo,
    AssetSystem,
    AssetTemplate,
    BillingAccount,
    Employee,
    LinkContactAndGroup,
    LinkProductAndSupplier,
    LinkUserAndTeam,
    Location,
    MaterialTransaction,
    Product,
    Record,
    Ref,
    RepairCode,
    StockLocation,
    Team,
    TimeOff,
    Turn,
    entity_class,
)
from wosdk_async.model.index import ENTITIES, UNSUPPORTED
from wosdk_async.options import RetryPolicy

MAP = WORK_ORDER + CREATED
TWICE = RetryPolicy(attempts=2, wait_initial=0.01)
CONTACT = """
[reference.contact]
entity = "Contact"
by = "number"
from = "c{customer}"
if_missing = "create"
[reference.contact.create]
last_name = "{customer}"
display_as = "{customer}"
customer_id = "@customer"
"""


class Undone:
    """What an undo did with records that rows refer to, and its summary."""

    def __init__(self) -> None:
        self.rows: list[UndoRow] = []
        self.summary = UndoSummary()

    @property
    def outcomes(self) -> dict[str, str]:
        return {each.number or "": each.outcome for each in self.rows if each.reference}

    @property
    def reasons(self) -> dict[str, str | None]:
        return {each.number or "": each.reason for each in self.rows if each.reference}


async def undone(
    local: Local, folder: Path, *, look: bool = False, references: bool = True, **options: Any
) -> Undone:
    found = Undone()
    async with Journal.open(folder) as journal:
        undo = Undo(
            company=local.company, journal=journal, references=references, on_row=found.rows.append, **options
        )
        reason = await local.company.work_orders.cancel_reason("Entered twice") if undo.cancels else None
        found.summary = await (undo.look() if look else undo.run(reason))
    return found


async def there(local: Local, entity: str = "Customer") -> set[str]:
    """Return the names of the records that are not removed."""
    found = await local.rows(entity, "DisplayAs", "IsRemoved")
    return {each["DisplayAs"] for each in found if not each["IsRemoved"]}


async def test_created_customers_are_deleted_when_only_cancelled_orders_of_the_job_name_them(
    local: Local,
) -> None:
    before = await there(local)
    folder = await imported(local, named("New 1", "New 2", "Pier Coffee"), MAP)
    async with Journal.open(folder) as journal:
        assert Undo(company=local.company, journal=journal).unchecked is None
        assert Undo(company=local.company, journal=journal, references=True).unchecked is not None
    looked = await undone(local, folder, look=True)
    assert looked.outcomes == {"New 1": "undo", "New 2": "undo"}
    assert looked.summary.as_dict()["references"] == {"undo": 2}
    assert await there(local) == before | {"New 1", "New 2"}, "looking changes nothing"
    found = await undone(local, folder)
    assert found.outcomes == {"New 1": "undone", "New 2": "undone"}
    assert (found.summary.counts["undone"], found.summary.complete) == (3, True)
    assert await there(local) == before
    deletes = [path for path in local.server.asked if path.startswith("DELETE")]
    assert (await undone(local, folder)).outcomes == {"New 1": "undone", "New 2": "undone"}
    assert [path for path in local.server.asked if path.startswith("DELETE")] == deletes


async def test_created_customers_stay_unless_their_deletion_is_asked_for(local: Local) -> None:
    folder = await imported(local, named("New"), MAP)
    found = await undone(local, folder, references=False)
    assert (found.outcomes, found.summary.counts["undone"]) == ({}, 1)
    assert "New" in await there(local)
    assert (await undone(local, folder)).outcomes == {"New": "undone"}, "an undo that is repeated with it"


async def other_order(local: Local) -> None:
    """An order of another import names the customer."""
    await imported(local, named("New"), MAP, again=True)


async def own_contact(local: Local) -> None:
    (customer,) = [each for each in await local.rows("Customer", "DisplayAs") if each["DisplayAs"] == "New"]
    await local.company.create(Contact(last_name="Smith", display_as="Smith", customer_id=customer["Id"]))


@pytest.mark.parametrize("use", [other_order, own_contact])
async def test_a_customer_that_something_else_uses_is_left(local: Local, use: Callable[..., Any]) -> None:
    folder = await imported(local, named("New", "Unused"), MAP)
    await use(local)
    assert (await undone(local, folder, look=True)).outcomes == {"New": "used", "Unused": "undo"}
    found = await undone(local, folder)
    assert found.outcomes == {"New": "used", "Unused": "undone"}
    assert found.reasons["New"]
    assert not found.summary.complete
    assert "New" in await there(local)


async def test_an_order_that_was_reopened_after_the_undo_uses_its_customer(local: Local) -> None:
    folder = await imported(local, named("New"), MAP)
    await undone(local, folder, references=False)
    (order,) = await local.rows("WorkOrder")
    await local.company.run(WoReopenCommand(work_order_id=order["Id"]))
    assert (await undone(local, folder)).outcomes == {"New": "used"}


async def test_an_order_that_was_left_uses_its_customer(local: Local) -> None:
    """Somebody cancelled it: it is not of the undo."""
    folder = await imported(local, named("New"), MAP)
    (order,) = await local.rows("WorkOrder")
    await local.company.work_orders.cancel(order["Id"], reason="Entered twice")
    found = await undone(local, folder)
    assert (found.summary.counts, found.outcomes) == ({"gone": 1}, {"New": "used"})


async def test_a_customer_that_changed_or_was_only_found_is_left(local: Local) -> None:
    """So is one of which only the name was seen after a creation without a response."""
    local.server.creation, local.server.unheard = "base/Customer", 1
    folder = await imported(local, named("Unheard", "Changed", "Renamed", "Pier Coffee"), MAP)
    customers = {each["DisplayAs"]: each["Id"] for each in await local.rows("Customer", "DisplayAs")}
    for name, change in (("Changed", {"dba": "mine"}), ("Renamed", {"display_as": "mine"})):
        await local.company.update(await local.company.get(Customer, customers[name]), **change)
    found = await undone(local, folder)
    assert found.outcomes == {"Unheard": "unsure", "Changed": "changed", "Renamed": "other_key"}
    assert await there(local) >= {"Unheard", "Changed", "mine", "Pier Coffee"}


async def test_children_are_deleted_before_their_parents(local: Local) -> None:
    """A contact uses the customer below which it was created."""
    text = (MAP + CONTACT).replace(
        "[command.work_order]", '[command.work_order]\nrequestor_contact = "@contact"'
    )
    folder = await imported(local, named("New 1", "New 2"), text)
    every = {"New 1", "New 2", "cNew 1", "cNew 2"}
    assert (await undone(local, folder, look=True)).outcomes == dict.fromkeys(every, "undo")
    asked = len(local.server.asked)
    assert (await undone(local, folder)).outcomes == dict.fromkeys(every, "undone")
    deletes = [path.split("/")[-1] for path in local.server.asked[asked:] if path.startswith("DELETE")]
    assert deletes == ["Contact"] * 2 + ["Customer"] * 2


async def test_records_of_other_rows_stop_using_what_they_refer_to_once_they_are_deleted(
    local: Local,
) -> None:
    """Rows that are contacts, each below a new customer; one of them was changed, and keeps its customer."""
    text = 'operation = "create Contact"\n[entity]\nlast_name = "{text}"\ndisplay_as = "{key}"\n'
    text += 'customer_id = "@customer"\n' + CREATED
    folder = await imported(local, named("New 1", "New 2"), text)
    contacts = [each for each in await local.rows("Contact", "CustomerId") if each["CustomerId"]]
    await local.company.update(await local.company.get(Contact, contacts[-1]["Id"]), comment="mine")
    expected = {"New 1": "undo", "New 2": "used"}
    assert (await undone(local, folder, look=True)).outcomes == expected
    assert (await undone(local, folder)).outcomes == {**expected, "New 1": "undone"}


PLACES = 'entity = "Location"\nby = "name"\nfrom = "{customer}"\nif_missing = "create"\ncreate.model_id = 901'


async def test_a_place_stays_as_cancelled_orders_would_miss_it(local: Local) -> None:
    """It is deleted for good. Nor has it a version, so it is read at all only when that is said."""
    text = (MAP).replace('entity = "Location"', PLACES)
    folder = await imported(local, named("New"), text)
    found = await undone(local, folder, look=True)
    assert Counter(each.outcome for each in found.rows if each.reference) == {"unversioned": 1, "undo": 1}
    found = await undone(local, folder, unversioned=True)
    assert Counter(each.outcome for each in found.rows if each.reference) == {"used": 1, "undone": 1}


async def test_only_what_the_undone_run_created_is_deleted(local: Local) -> None:
    """And what a later run created goes with that."""
    marked = f'marker = "{MARKER}"\n' + MAP
    await imported(local, named("New 1"), marked)
    folder = await imported(local, named("New 1", "New 2"), marked)
    assert (await undone(local, folder, of_run=2)).outcomes == {"New 2": "undone"}
    assert (await undone(local, folder)).outcomes == {"New 1": "undone", "New 2": "undone"}


# --- the import after an undo -----------------------------------------------------------------


async def test_the_import_after_an_undo_creates_what_was_deleted_once_more(local: Local) -> None:
    """Rows that are undone, and new rows of the same command."""
    marked = f'marker = "{MARKER}"\n' + MAP
    folder = await imported(local, named("New 1", "New 2"), marked)
    first = {each["Id"] for each in await local.rows("Customer")}
    assert set((await undone(local, folder)).outcomes.values()) == {"undone"}
    assert await states(folder) == {"New 1": "undone", "New 2": "undone"}
    source = local.write([*named("New 1", "New 2"), ["3", "text", "notes", "New 2"]])
    summary = await local.run(source, marked)
    assert (summary.done_now, summary.references_created, summary.undone) == (1, 1, 2)
    (order,) = await local.rows("WorkOrder", "Customer.Id", PoNumber="3")
    assert order["Customer"]["Id"] not in first
    assert await states(folder) == {"New 1": "undone", "New 2": "done"}
    summary = await local.run(source, marked, retry_undone=True)
    assert (summary.done_now, summary.references_created, summary.complete) == (2, 1, True)
    orders = await local.rows("WorkOrder", "Customer.Id", StatusId="New")
    assert len({each["Customer"]["Id"] for each in orders} - first) == 2
    assert set((await undone(local, folder)).outcomes.values()) == {"undone"}, "once more"


async def states(folder: Path) -> dict[str, str]:
    async with Journal.open(folder, read_only=True) as journal:
        await write_outputs(journal, None)
    with (folder / "references.csv").open(encoding="utf-8-sig", newline="") as file:
        return {each["name"]: each["state"] for each in csv.DictReader(file)}


async def state(folder: Path) -> str:
    async with Journal.open(folder, read_only=True) as journal:
        return (await overview(journal)).state


# --- what the import left in doubt -----------------------------------------------------------------


async def test_records_stay_while_rows_in_doubt_may_refer_to_them(local: Local) -> None:
    """Such a row may be carried out after its customer is deleted; also one of another run."""
    marked = f'marker = "{MARKER}"\n' + MAP
    await imported(local, named("New 1"), marked)
    folder = await imported(local, named("New 1", "New 2"), marked)
    async with Journal.open(folder) as journal:
        await journal.start_run()
        await journal.begin([2])
    for look in (True, False):
        found = await undone(local, folder, look=look, of_run=1)
        assert found.outcomes == {"New 1": "used"}
        assert "in doubt" in (found.reasons["New 1"] or "")
    assert "New 1" in await there(local)


@pytest.mark.parametrize(
    ("entity", "fate"), [("Contact", "used"), ("", "used"), ("Customer", "undone"), ("Task", "undone")]
)
async def test_a_creation_in_doubt_is_listed_and_keeps_what_it_may_refer_to(
    local: Local, entity: str, fate: str
) -> None:
    folder = await imported(local, named("New"), MAP)
    async with Journal.open(folder) as journal:
        await journal.begin_reference(
            ReferenceRecord("other", "Cut", "Cut", entity=entity, state=State.SENDING, run=1)
        )
    looked = await undone(local, folder, look=True)
    assert looked.outcomes == {"New": fate.replace("undone", "undo"), "Cut": "in_doubt"}
    found = await undone(local, folder, of_run=1)
    assert (found.outcomes, found.summary.complete) == ({"New": fate, "Cut": "in_doubt"}, False)


async def test_a_creation_in_doubt_that_no_row_refers_to_is_named_for_a_person(local: Local) -> None:
    """No import looks it up, and no undo deletes it."""
    folder = await imported(local, named("New"), MAP)
    async with Journal.open(folder) as journal:
        await journal.begin_reference(
            ReferenceRecord("customer", "cut", "Cut", entity="Customer", state=State.SENDING)
        )
    await local.run(local.write(named("New")), MAP)
    for look in (True, False):
        found = await undone(local, folder, look=look)
        assert (found.outcomes["Cut"], "Customer 'Cut'" in (found.reasons["Cut"] or "")) == ("in_doubt", True)


@pytest.mark.parametrize("exists", [True, False])
async def test_the_next_import_settles_a_creation_in_doubt(local: Local, exists: bool) -> None:
    """Found by its name, it may be of somebody else, and no undo deletes it."""
    source = local.write(named("New"))
    async with killed(local.job(source, MAP), local) as journal:
        await journal.begin_reference(
            ReferenceRecord("customer", "New", "New", entity="Customer", state=State.SENDING)
        )
    folder = journal.folder
    if exists:
        await local.company.create(Customer(display_as="New", name="New", work_zone=Ref(14)))
    assert (await undone(local, folder)).outcomes == {"New": "in_doubt"}
    await local.run(source, MAP)
    assert await states(folder) == {"New": "done"}
    assert (await undone(local, folder)).outcomes == {"New": "unsure" if exists else "undone"}


# --- calls that fail ----------------------------------------------------------------------------


async def test_a_kill_at_any_commit_deletes_each_record_once(local: Local, tmp_path: Path) -> None:
    """Begin and end of each delete, end of the undo: before the commit, and after."""
    names = iter(f"New {number}" for number in range(100))
    untouched, points = 0, some([(at, after) for at in range(1, 11) for after in (False, True)], 4)
    for at, after in points:
        new, folder = [next(names), next(names)], tmp_path / f"{at}{after}"
        await imported(local, named(*new), MAP, folder=folder, again=True)
        journal = Journal.open(folder, commit=KillAt(at, after=after), synchronous=True)
        reason = await local.company.work_orders.cancel_reason("Entered twice")
        with pytest.raises((Kill, BaseExceptionGroup)):
            await Undo(company=local.company, journal=journal, concurrency=1 + at % 2, references=True).run(
                reason
            )
        journal.abandon()
        untouched += set(new) <= await there(local)
        found = await undone(local, folder)
        assert found.outcomes == dict.fromkeys(new, "undone"), (at, after)
        assert not set(new) & await there(local)
        async with Journal.open(folder, read_only=True) as journal:
            assert {each.undo for each in await journal.references() if each.id} == {State.DONE}
    assert 2 <= untouched < len(points), "some were killed before they deleted anything"


@pytest.mark.parametrize("killed", [True, False])
async def test_an_undo_that_ends_before_its_references_is_not_shown_as_undone(
    local: Local, killed: bool
) -> None:
    """Killed or stopped while it looks up what uses them."""
    folder = await imported(local, named("New 1", "New 2"), MAP)
    reason = await local.company.work_orders.cancel_reason("Entered twice")
    journal = Journal.open(folder)
    undo = Undo(company=local.company, journal=journal, references=True)
    local.server.silent = lambda asked: asked.endswith("query/Customer")
    running = asyncio.create_task(undo.run(reason))
    await local.server.silenced.wait()
    if killed:
        journal.abandon()
        running.cancel()
    else:
        undo.stop()
    await asyncio.wait([running])
    await journal.close()
    local.server.silent = lambda _: False
    async with Journal.open(folder, read_only=True) as journal:
        text = str((await overview(journal)).undone)
    assert (await states(folder), await state(folder)) == (
        {"New 1": "done", "New 2": "done"},
        "undone in part",
    )
    assert all(part in text for part in ("2 of 2", "references: 2", "undo the job again"))
    assert (await undone(local, folder)).outcomes == {"New 1": "undone", "New 2": "undone"}
    assert await state(folder) == "undone"


async def test_a_delete_that_a_kill_interrupted_is_in_doubt(local: Local) -> None:
    folder = await imported(local, named("New"), MAP)
    async with Journal.open(folder) as journal:
        (created,) = await journal.references()
        await journal.begin_undo(created)
    assert await states(folder) == {"New": "undo_in_doubt"}


async def test_a_delete_without_a_response_is_decided_by_the_next_undo(local: Local) -> None:
    folder = await imported(local, named("New"), MAP)
    local.server.creation, local.server.unheard = "base/Customer", 2
    company, local.company = local.company, local.company.with_options(retry=TWICE)
    found = await undone(local, folder)
    assert (found.outcomes, found.summary.complete) == ({"New": "in_doubt"}, False)
    assert (await states(folder), await state(folder)) == ({"New": "undo_in_doubt"}, "undone in part")
    local.company = company
    assert (await undone(local, folder)).outcomes == {"New": "undone"}
    deletes = [path for path in local.server.asked if path.startswith("DELETE")]
    assert len(deletes) == 2


async def test_a_customer_is_left_while_one_kind_of_records_is_not_shown(local: Local) -> None:
    folder = await imported(local, named("New"), MAP)
    local.server.failing = "query/Space"
    found = await undone(local, folder)
    assert (found.outcomes, found.summary.complete) == ({"New": "unread"}, False)
    local.server.failing = "\0"
    assert (await undone(local, folder)).outcomes == {"New": "undone"}


async def test_one_look_that_finds_no_order_proves_nothing(local: Local) -> None:
    """It may have read the response of another."""
    folder = await imported(local, named("New"), MAP)
    await other_order(local)
    await undone(local, folder, references=False)
    local.server.hidden, local.server.hidden_times = "query/WorkOrder", 1
    async with Journal.open(folder) as journal:
        undo = Undo(company=local.company, journal=journal, references=True)
        reason = await local.company.work_orders.cancel_reason("Entered twice")
        assert (await undo.run(reason)).references == {"used": 1}


async def test_a_customer_is_left_while_queries_ignore_their_condition(local: Local) -> None:
    """A record that was found by the customer, but does not show it, may use it."""
    folder = await imported(local, named("New"), MAP)
    local.server.unconditional = "query/Contact"
    assert (await undone(local, folder)).outcomes == {"New": "used"}
    local.server.unconditional = "\0"
    assert (await undone(local, folder)).outcomes == {"New": "undone"}


async def test_a_refused_delete_is_listed(local: Local) -> None:
    folder = await imported(local, named("New"), MAP)
    local.server.failing = "base/Customer"
    found = await undone(local, folder)
    assert (found.outcomes, found.summary.complete) == ({"New": "refused"}, False)
    assert "no queries today" in (found.reasons["New"] or "")
    assert (await states(folder), await state(folder)) == ({"New": "undo_refused"}, "undone in part")
    local.server.failing = "\0"
    assert (await undone(local, folder)).outcomes == {"New": "undone"}
    assert (await states(folder), await state(folder)) == ({"New": "undone"}, "undone")


async def test_an_id_that_the_service_gave_twice_is_of_nobody(local: Local) -> None:
    """Nor is the record of somebody else, whose name is another one."""
    (foreign, *_) = await local.rows("Customer")
    wrong = iter([foreign["Id"], foreign["Id"]])

    def alter(content: Any) -> None:
        content["EntitySpecifier"]["Id"] = next(wrong, content["EntitySpecifier"]["Id"])

    local.server.creation, local.server.altered = "base/Customer", alter
    folder = await imported(local, named("New 1", "New 2", "New 3"), MAP, concurrency=1)
    before = await there(local)
    assert (await undone(local, folder)).outcomes == {"New 1": "shared", "New 2": "shared", "New 3": "undone"}
    assert await there(local) == before - {"New 3"}


# --- what uses a record -------------------------------------------------------------------------

USES: list[tuple[Record, Callable[[int], Record]]] = [
    (RepairCode(display_as="A"), lambda id: RepairCode(display_as="B", parent_id=id)),
    (
        BillingAccount(display_as="A"),
        lambda id: Contact(
            last_name="B", display_as="B", groups_bridge=[LinkContactAndGroup(customer_group_id=id)]
        ),
    ),
    (Employee(display_as="A"), lambda id: Team(display_as="B", employees=[LinkUserAndTeam(user_id=id)])),
    (
        Employee(display_as="A"),
        lambda id: Product(display_as="B", suppliers=[LinkProductAndSupplier(supplier_id=id)]),
    ),
    (Employee(display_as="A"), lambda id: TimeOff(replace_by_id=id)),
    (Employee(display_as="A"), lambda id: MaterialTransaction(supplier_id=id)),
    (Location(name="A", model_id=901), lambda id: Turn(asset_id=id)),
    (Location(name="A", model_id=901), lambda id: AssetTemplate(root_asset_id=id)),
    (StockLocation(display_as="A"), lambda id: MaterialTransaction(source_stock_location_id=id)),
    (
        AssetSystem(display_as="A"),
        lambda id: Location(name="B", model_id=901, info=AssetInfo(asset_system=Ref(id))),
    ),
]


async def test_ids_and_references_below_a_record_use_what_they_name(local: Local) -> None:
    """Also ids that do not have the name of the entity type, and those inside of parts."""
    company: Any = local.company
    targets, reasons = [], {}
    for made, _ in USES:
        created = created_as((await company.create(made)).id)
        targets.append(Target(CreatedRecords(company, type(made), None), created, None, begun=False))
    assert await find_used(company, targets, leaving=set(), cancelled=set()) == {}
    for target, (_, using) in zip(targets, USES, strict=True):
        user = using(target.name[1])
        reasons[target.name] = f"{user.wire_name} {(await company.create(user)).id}"
    found = await find_used(company, targets, leaving=set(), cancelled=set())
    assert {fate for fate, _ in found.values()} == {"used"}
    assert {name: " ".join(reason.split()[2:4]) for name, (_, reason) in found.items()} == reasons


def created_as(id: int) -> ReferenceRecord:
    return ReferenceRecord("r", "n", "N", State.DONE, id)


@each_of(
    ("entity", "paths"),
    [
        ("BillingAccount", {"Customer.GroupsBridge.CustomerGroupId", "Invoice.Group.Id"}),
        ("TimePeriod", {"Invoice.Period.Id"}),
        ("WoActionReasonLookup", {"WorkOrder.Flags.FlagId", "WorkOrder.ActionLogRecords.ActionReasonId"}),
        ("Employee", {"WorkZone.OnCallRules.BizHoursUserId", "ToDoItem.CompletedEmployeeId"}),
        ("ProcedureTemplate", {"Warranty.TemplateId", "ApprovalTemplate.Steps.ActorId"}),
    ],
)
def test_read_only_records_and_ids_of_an_unknown_type_count(entity: str, paths: set[str]) -> None:
    found = {str(each.path) for each in pointers_to(entity)}
    assert found >= paths
    assert not found & {"WorkOrder.WonId", "AssetTree.ChildId", "Contact.LanguageId", "Customer.Id"}


async def test_the_service_is_asked_only_what_it_answers(local: Local) -> None:
    """For each entity type whose records an import can create and an undo delete."""

    async def users(name: str) -> dict[Any, Any]:
        entity = entity_class(name)
        if entity is None or {"create", "delete"} & UNSUPPORTED.get(name, {}).keys():
            return {}
        records = CreatedRecords(local.company, entity, None)
        target = Target(records, ReferenceRecord("r", "n", "N", State.DONE, 2**31), None, begun=False)
        return await find_used(local.company, [target], leaving=set(), cancelled=set())

    names = some((name for name in dict.fromkeys(ENTITIES.values()) if name != "Money"), 6)
    assert [each for each in await asyncio.gather(*map(users, names)) if each] == []
    customer, task = ({str(each.path) for each in pointers_to(name)} for name in ("Customer", "Task"))
    assert customer - task == {  # what they share is of an unknown type
        "BillingAccount.Customers.CustomerId",
        "Contact.CustomerId",
        "InvoiceLine.Customer.Id",
        "Space.CustomerId",
        "WorkOrder.Customer.Id",
    }


@pytest.mark.parametrize("reference", ["customer", "client"])
@pytest.mark.parametrize("late", [False, True])
async def test_an_import_uses_no_record_whose_deletion_is_in_doubt(
    local: Local, late: bool, reference: str
) -> None:
    """It looks again after the settle time: a late deletion would leave its orders without a customer."""
    again = MAP.replace("@customer", f"@{reference}").replace("reference.customer", f"reference.{reference}")
    source, stages = local.write(named("New")), list[str]()
    folder = await imported(local, source, MAP)
    local.server.creation, local.server.broken_times = "base/Customer", 2
    company, local.company = local.company, local.company.with_options(retry=TWICE)
    assert (await undone(local, folder)).outcomes == {"New": "in_doubt"}
    local.company = company

    def on_stage(text: str) -> None:
        stages.append(text)
        if late and "deletions in doubt" in text:
            local.server.hidden, local.server.hidden_times = "query/Customer", 1

    await imported(local, source, again, retry_undone=True, on_stage=on_stage)
    customers = [each for each in await local.rows("Customer", "DisplayAs") if each["DisplayAs"] == "New"]
    assert (len(customers), "deletions in doubt: 1" in "".join(stages)) == (1 + late, True)
    *_, order = await local.rows("WorkOrder", "Customer.Id")
    assert order["Customer"]["Id"] == customers[-1]["Id"]
    stages.clear()
    await local.run([*named("New"), ["2", "text", "notes", "New"]], MAP, on_stage=on_stage)
    assert not any("deletions in doubt" in each for each in stages)
