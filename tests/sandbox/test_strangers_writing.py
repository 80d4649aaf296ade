"""How other clients and the vendor's collections write and query (facts 3 to 5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.sandbox.stranger import Stranger
from tests.support.laws import each_of
from wosdk_async.sandbox import LocalCompany

ITEMS = [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}]


@pytest.fixture(scope="module", params=["spec", "recorded"])
def caller(request: pytest.FixtureRequest) -> Iterator[Stranger]:
    """A stranger that is logged in, in either dialect."""
    with LocalCompany(dialect=request.param) as local, Stranger(local.variables) as stranger:
        stranger.log_in()
        yield stranger


def test_order_as_recorded(caller: Stranger) -> None:
    """facts 5 and 3.3: the short path, enums by number, a brace and a byte order mark too many, any case."""
    order = {"items": ITEMS, "TypeCategory": 4, "subtype": {"id": "259"}, "Customer": {"Id": 512}}
    sent = {"command": {"WorkOrder": order | {"Specialityid": 4}, "VendorNte": 1}, "requestid": "r-1"}
    status, reply = caller.send("POST", "/api/v1/cmd/Workorder/Create", f"\ufeff{json.dumps(sent)}}}")
    assert (status, list(reply), reply["RequestId"]) == (200, ["CommandResult", "RequestId"], "r-1")
    made = reply["CommandResult"]["Wo"]
    assert (made["TypeCategory"], made["StatusId"]) == ("Request", "New")
    path = f"/api/v1/base/WorkOrder/{made['Id']}"
    chosen = "Number,Items.Task.DisplayAs,Customer.WorkZone.DisplayAs"
    data = caller.send("GET", f"{path}?properties={chosen}")[1]["Data"]
    assert data["Items"][0]["Task"] == {"DisplayAs": "Not cooling", "Id": 14211}
    assert data["Customer"].keys() == {"WorkZone", "Id"}


def test_life_of_a_contact(caller: Stranger) -> None:
    """facts 3.3 to 3.6: create, update by a list and by a property set, remove twice, read."""
    entity = '{"Id":5,"ConcurrencyId":4,"FirstName":"Ann","LastName":"Lee","Nope":1,"TypeId":3,"Zip":false}'
    status, reply = caller.send("POST", "/api/v1/base/Contact", f'{{"entity":{entity}}}')
    made = reply["EntitySpecifier"]
    assert (status, list(made), made["ConcurrencyId"]) == (200, ["ConcurrencyId", "EntityType", "Id"], 1)
    for properties in ('["Number"]', '{"Properties":["Number"]}'):
        body = f'{{"Properties":{properties},"Entity":{{"Id":"{made["Id"]}","Number":"7"}}}}'
        assert caller.send("PUT", "/api/v1/base/Contact", body)[0] == 200
    for path in (f"/api/v1/base/Contact?ID={made['Id']}", f"/api/v1/base/Contact/{made['Id']}?="):
        gone = {"EntitySpecifier": {"EntityType": "Contact", "Id": made["Id"]}}
        assert caller.send("DELETE", path) == (200, gone)
    data = caller.send("GET", f"/api/v1/base/Contact/{made['Id']}")[1]["Data"]
    assert (data["DisplayAs"], data["IsRemoved"]) == ("Ann Lee (deleted)", True)
    assert (data["TypeId"], data["Number"]) == ("Primary", "7")


@each_of(
    "criteria",
    [
        {"Conditions": [{"PropertyName": "workorderid", "Operator": "equal", "Values": ["1"]}]},
        {
            "conditions": [{"propertyname": "WorkOrderId", "operator": 1, "values": [1]}],
            "FilterOperator": "OR",
        },
        {
            "Filters": [
                {"Conditions": [{"PropertyName": "WorkOrderId", "Operator": "In", "Values": ["1", 2]}]}
            ]
        },
        {"Conditions": [{"PropertyName": "TypeId", "Operator": "Equal", "Values": ["1"]}], "Filters": None},
        {"Conditions": [{"PropertyName": "TypeId", "Operator": "Equal", "Values": ["create"]}]},
    ],
)
def test_forms_of_a_query(caller: Stranger, criteria: dict[str, Any]) -> None:
    """facts 4: values as texts, enums by number or name, operators in any case."""
    order = {"Items": ITEMS, "TypeCategory": 4, "SubType": {"Id": 259}, "Customer": {"Id": 512}}
    assert caller.send("POST", "/api/v1/cmd/WoCreateCommand", {"Command": {"WorkOrder": order}})[0] == 200
    expression = {
        "EntityType": "WoActionLog",
        "PropertySet": {"Properties": ["TypeId", "Actor.*"]},
        "Criteria": criteria,
        "Orders": [{"PropertyName": "Id", "OrderType": "Ascending"}],
        "Distinct": True,
        "Count": "1",
        "FirstResultIndex": 0,
    }
    body = json.dumps({"QueryExpression": expression})
    status, reply = caller.send(
        "POST", "/api/v1/query/Woactionlog", body, DataRetrievalIsolationLevel="Default"
    )
    (row,) = reply["Entities"]
    assert (status, list(reply), row["Data"]["TypeId"]) == (200, ["Entities"], "Create")
    assert row["Data"]["Actor"]["TypeId"] == "CorrigoNet"


@each_of(
    ("path", "code"),
    [
        ("Customer", "ERROR_CODE_1003"),
        ("Items", "ERROR_CODE_1003"),
        ("Customer.Nmae", "ERROR_CODE_1002"),
        ("Number.Id", "ERROR_CODE_1002"),
        ("LastAction.Reason.Id", "ERROR_CODE_1002"),  # facts 4: a path seen refused
        ("LastAction.LastAction.TypeId", None),
        ("Priority.IsEmergency", None),
    ],
)
def test_paths_of_a_condition(caller: Stranger, path: str, code: str | None) -> None:
    """facts 4 and 6: a path ends in a plain property of what it goes through."""
    criteria = {"Conditions": [{"PropertyName": path, "Operator": "NotNull", "Values": []}]}
    body = {"QueryExpression": {"Criteria": criteria}}
    status, reply = caller.send("POST", "/api/v1/query/WorkOrder", body)
    assert (status, reply.get("ErrorCode")) == (400 if code else 200, code)


def test_values_of_the_wrong_type(caller: Stranger) -> None:
    """facts 3.3: what can be read is, and the rest is left at its default, without a word."""
    entity = {"Name": "A", "TaxExempt": "True", "WorkZone": {"Id": "14"}, "Dba": 7, "Instructions": ["x"]}
    body = {"Entity": entity | {"Specialityid": 3, "IsRemoved": True}}
    status, reply = caller.send("POST", "/api/v1/base/Customer", body)
    data = caller.send("GET", f"/api/v1/base/Customer/{reply['EntitySpecifier']['Id']}")[1]["Data"]
    assert (status, data["TaxExempt"], data["WorkZone"]) == (200, True, {"Id": 14})
    assert (data["Dba"], data["Instructions"], data["IsRemoved"]) == ("", "", False)
    order = {"Items": ITEMS, "TypeCategory": "4", "SubType": {"Id": 259}, "Customer": {"Id": 512}}
    order |= {"VendorNte": {"Value": "12.5", "CurrencyTypeId": 16}, "Access": False, "PoNumber": 1}
    made = caller.send("POST", "/api/v1/cmd/WoCreateCommand", {"Command": {"WorkOrder": order}})[1]
    assert made["CommandResult"]["Wo"]["VendorNte"] == {"CurrencyTypeId": "USD", "Value": 12.5}
    assert made["CommandResult"]["Wo"]["PoNumber"] == ""
