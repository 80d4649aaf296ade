"""Rows of one's own from JSON and Python: checked by the catalogue, all or none."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.sandbox.company import Caller
from wosdk_async.sandbox import LocalCompany, StoreError
from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.seed.rows import load_rows, read_rows, seed_rows
from wosdk_async.sandbox.service.commands.workflow import ACTIONS
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store


def loaded(store: Store, path: Path) -> int:
    return load_rows(store, store.companies()[0], read_rows(path), Moment(0))


def written(folder: Path, text: str, name: str = "rows.json") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def mistakes(store: Store, path: Path) -> list[str]:
    with pytest.raises(StoreError) as caught:
        loaded(store, path)
    return str(caught.value).splitlines()


def test_rows_of_json(acme: Caller, store: Store, tmp_path: Path) -> None:
    """Rows come in with their lists, with their Id or a new one, and may name rows further below."""
    path = written(
        tmp_path,
        """{
        "Customer": [
          {"Id": 9000, "Name": "Mole End", "WorkZone": {"Id": 99},
           "Contacts": [{"FirstName": "Mole", "LastName": "Moldy", "TypeId": "Primary"}]},
          {"name": "River Bank", "WorkZone": {"Id": 14}}
        ],
        "WorkZone": [{"Id": 99, "DisplayAs": "Wild Wood", "CurrencyTypeId": "EUR"}],
        "Product": []
        }""",
    )
    assert loaded(store, path) == 4
    assert acme.get("Customer", 9000, "Name,WorkZone.DisplayAs,Contacts.DisplayAs")["Contacts"][0] == {
        "DisplayAs": "Mole Moldy",
        "Id": 733,
    }
    assert acme.ids("Customer", ("Name", "Equal", "river bank")) == [9001]
    assert acme.order(Customer={"Id": 9001})["Number"] == "RSC000001"


def test_mistakes_are_reported_by_record(acme: Caller, store: Store, tmp_path: Path) -> None:
    """All mistakes of a file at once, each with its record and a remedy; nothing of it is kept."""
    path = written(
        tmp_path,
        """{"Customer": [
        {"Name": "Kept by none"},
        {"Nmae": "x", "WorkZone": 14},
        {"Contacts": [{"TypeId": "Primry"}]}
        ],
        "Custmer": [{}], "AssetTree": [{}]}""",
    )
    assert mistakes(store, path) == [
        "record 2 of Customer: Customer has no property 'Nmae' (did you mean Name?)",
        "record 2 of Customer: Customer.WorkZone takes an object with an Id, not 14",
        "record 3 of Customer: Contact.TypeId takes LeaseContactType, not 'Primry' (did you mean Primary?)",
        "record 1 of Custmer: there is no entity type 'Custmer' (did you mean Customer?)",
        "record 1 of AssetTree: rows of AssetTree are computed from other rows and cannot be added",
    ]
    assert acme.ids("Customer") == [512, 513]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"Customer": [{"Name": 1}\n{"Name": 2}]}', "rows.json line 2: Expecting ',' delimiter."),
        ('{"Customer": {}}', "The rows of Customer are {}, not a list."),
        ('{"Customer": [1]}', "record 1 of Customer is 1, not an object."),
        ('{"Customer": [1], "Customer": []}', "two members named 'Customer'"),
        ('{"Customer": []} x', "rows.json line 1: Extra data."),
        (
            '{"Customer": [{"WorkZone": {"Id": 77}}]}',
            "record 1 of Customer: WorkZone with id 77 is not found",
        ),
        (
            '{"Customer": [{"Id": 512}]}',
            "record 1 of Customer (Id 512): Customer 512 is an initial record. Leave Id out, or seed an",
        ),
        (
            '{"Customer": [{"Id": 9}, {"Id": 9}]}',
            "record 2 of Customer (Id 9): Customer 9 already exists. Leave Id out, or reset",
        ),
        (
            '{"CustomFieldDescriptor": [{"Name": "Bay", "Type": "Number"}]}',
            "Type takes CfType, not 'Number': one of Unknown, String, Integer, Decimal, Money, ",
        ),
        (
            '{"Customer": [{"Id": -1}]}',
            "record 1 of Customer (Id -1): Customer.Id takes a positive integer, not -1",
        ),
        (
            '{"Customer": [{"Contacts": [{"Id": "-1"}]}]}',
            "record 1 of Customer: Contact.Id takes a positive integer, not '-1'",
        ),
    ],
)
def test_json_that_does_not_fit(acme: Caller, store: Store, tmp_path: Path, text: str, line: str) -> None:
    """A file that is not JSON of rows is refused with the line or row, and leaves nothing behind."""
    assert line in mistakes(store, written(tmp_path, text))[0]
    assert acme.ids("Customer") == [512, 513]


def test_a_name_that_is_only_part_of_another_is_not_suggested(store: Store, tmp_path: Path) -> None:
    """Custom fields of customers belong to CommLease; CustomerInvoice would be another type."""
    text = '{"CustomFieldDescriptor": [{"Name": "Bay", "Type": "String", "ActorTypeId": "Customer"}]}'
    assert mistakes(store, written(tmp_path, text)) == [
        "record 1 of CustomFieldDescriptor: CustomFieldDescriptor.ActorTypeId takes ActorType, not 'Customer'"
    ]


def test_files_that_cannot_be_read(store: Store, tmp_path: Path) -> None:
    """A CSV file is the business of an import, and JSON needs UTF-8."""
    assert "rows.csv: write the rows as JSON" in mistakes(store, written(tmp_path, "Name\n", "rows.csv"))[0]
    (tmp_path / "latin.json").write_bytes(b'{"Customer": [{"Name": "\xe9"}]}')
    assert "is not UTF-8" in mistakes(store, tmp_path / "latin.json")[0]


def test_rows_of_python() -> None:
    """A served Company takes rows from the program that runs it."""
    with LocalCompany() as local, httpx.Client() as http:
        local.seed({"Specialty": [{"Id": 40, "DisplayAs": "Roofing"}]})
        with pytest.raises(StoreError, match=r"record 2 of Specialty \(Id 41\): Specialty has no"):
            local.seed({"Specialty": [{"DisplayAs": "Glass"}, {"Id": 41, "Nope": 1}]})
        found = http.get(local.variables["WOSDK_LOCATOR_URL"] + "/_sandbox/companies").json()["Companies"][0]
        assert found["Variables"] == local.variables


def test_rows_of_an_empty_local_company() -> None:
    """None of the initial records is there, also after a reset, so that their ids are free."""
    with LocalCompany(empty=True) as local, httpx.Client() as http:
        for name in ("Mine", "Mine again"):
            local.seed({"Customer": [{"Id": 512, "Name": name}]})
            variables = local.variables
            company = StoredCompany(
                46, variables["WOSDK_COMPANY"], variables["WOSDK_CLIENT_ID"], variables["WOSDK_CLIENT_SECRET"]
            )
            caller = Caller(http, company, variables["WOSDK_LOCATOR_URL"])
            assert (caller.ids("Customer"), caller.ids("Employee")) == ([512], [])
            local.reset()


ROW = {"TypeCategory": "Request", "SubType": {"Id": 259}, "Customer": {"Id": 512}, "WorkZone": {"Id": 14}}


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_actions_on_a_seeded_order(acme: Caller, store: Store, name: str) -> None:
    """They work from the same states as on a created one, and its costs can be changed."""
    action = ACTIONS[name]
    sent = {"Employee": {"Id": 230}, "WonId": 7} if name in ("WoRecallCommand", "WoMessageCommand") else {}
    state = min(action.sources or {"New"})
    rows = {"WorkOrder": [{"Id": 7, "Number": "S7", "StatusId": state, **ROW, **sent}]}
    load_rows(store, store.companies()[0], seed_rows(rows), Moment(0))
    reasons = {"OnHold": 2201, "Cancel": 1841, "Attention": 1903}
    members = {"Assignees": [208], "FlagsToSet": [1903], "Comment": "x"}
    if action.logged in reasons:
        members["ActionReasonId"] = reasons[action.logged]
    shown = acme.run(name, WorkOrderId=7, **members)["Wo"]
    assert shown["StatusId"] == (action.target or state)
    read = acme.get("WorkOrder", 7, "LastAction.LastAction.TypeId,ActionLogRecords.TypeId,WorkOrderCost.Id")
    logged = [entry["TypeId"] for entry in read["ActionLogRecords"]]
    if logged:
        assert read["LastAction"]["LastAction"]["TypeId"] == logged[-1] == action.logged
    assert (read["LastAction"]["Id"], read["WorkOrderCost"]["Id"]) == (7, 7)
    assert acme.run("CostStatusChangeCommand", WorkOrderId=7, CostStatusId=2)


def test_a_seeded_order_keeps_the_records_of_the_seed(acme: Caller, store: Store) -> None:
    """Its last action and cost record may be rows, too, before or after it."""
    rows = {
        "WoLastAction": [{"Id": 7, "WorkOrderId": 7, "XNumber": "key-7"}],
        "WorkOrder": [{"Id": 7, "LastAction": {"Id": 7}}, {"Id": 8, "LastAction": {"Id": 8}}],
        "WorkOrderCost": [{"Id": 7, "Number": "C7"}],
    }
    load_rows(store, store.companies()[0], seed_rows(rows), Moment(0))
    read = acme.get("WorkOrder", 7, "LastAction.XNumber,WorkOrderCost.Number")
    assert read["LastAction"]["XNumber"] == "key-7"
    assert read["WorkOrderCost"]["Number"] == "C7"


def test_order_numbers_of_seeds_are_unique(acme: Caller, store: Store) -> None:
    """Of rows, of seeded and of created orders, as strings are compared; orders without one are allowed."""
    taken = acme.order()["Number"]
    company, now = store.companies()[0], Moment(0)
    load_rows(store, company, seed_rows({"WorkOrder": [{"Id": 72, "Number": "X72"}, {}, {}]}), now)
    for numbers in (["X73", "x73 "], ["X72"], [taken]):
        rows = {"WorkOrder": [{"Number": number} for number in numbers]}
        with pytest.raises(StoreError, match=r"record \d of WorkOrder: .*Number"):
            load_rows(store, company, seed_rows(rows), now)
    assert len(acme.ids("WorkOrder")) == 4
