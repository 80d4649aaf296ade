"""QueryExpression (facts 4)."""

from __future__ import annotations

from typing import Any

from tests.sandbox.company import Caller
from tests.support.laws import each_of
from wosdk_async.sandbox.storage.store import Store


@each_of(
    ("condition", "found"),
    [
        (("Id", "Equal", "2"), [2]),
        (("id", "equal", 2), [2]),
        (("Id", "NotEqual", 2), [1, 3, 4]),
        (("Id", "GreaterThan", "2"), [3, 4]),
        (("Id", "GreaterOrEqual", 2), [2, 3, 4]),
        (("Id", "LessThan", "2"), [1]),
        (("Id", "LessOrEqual", 2.5), [1, 2]),
        (("Id", "Between", "2", 3), [2, 3]),
        (("Id", "NotBetween", 2, 3), [1, 4]),
        (("Id", "In", "1", 3, 77), [1, 3]),
        (("Id", "NotIn", 1, 3), [2, 4]),
        (("DisplayAs", "Equal", "HIGH  "), [2]),
        (("DisplayAs", "In", "high", "Low"), [2, 4]),
        (("DisplayAs", "Like", "%o%"), [3, 4]),
        (("DisplayAs", "Like", "_ow"), [4]),
        (("DisplayAs", "Like", "[hl]%"), [2, 4]),
        (("DisplayAs", "NotLike", "%o%"), [1, 2]),
        (("IsEmergency", "Equal", "true"), [1]),
        (("IsEmergency", "Equal", False), [2, 3, 4]),
        (("DisplayAs", "NotNull"), [1, 2, 3, 4]),
        (("DisplayAs", "Null"), []),
    ],
)
def test_operators(acme: Caller, condition: tuple[Any, ...], found: list[int]) -> None:
    assert acme.ids("Priority", condition) == found


@each_of(
    ("entity", "condition", "found"),
    [
        ("Customer", ("WorkZone.Id", "Equal", "15"), [513]),
        ("Customer", ("WorkZone.DisplayAs", "Equal", "harbor mall"), [513]),
        ("Customer", ("WorkZone.Asset.TypeId", "Equal", "Community"), [512, 513]),
        ("Customer", ("Contacts.LastName", "Like", "march%"), [513]),
        ("Customer", ("Addresses.City", "Equal", "Portmouth"), [512]),
        ("Contact", ("ContactAddresses.Address", "NotNull"), [731]),
        ("WorkZone", ("BillingAccount.DisplayAs", "Null"), [14, 15]),
        ("WorkZone", ("BillingAccount.DisplayAs", "NotNull"), []),
        ("Location", ("TypeId", "Equal", 4), [20400, 20500]),
        ("Location", ("TypeId", "In", "floor", "4"), [20400, 20420, 20421, 20500]),
        ("Location", ("TypeId", "GreaterOrEqual", "Floor"), [20420, 20421, 20440, 20441, 20901]),
        ("AssetTree", ("ChildId", "Equal", 20420), [20400, 20410, 20420]),
        ("Space", ("StartDate", "GreaterThan", "2024-01-15"), [3002]),
        ("Space", ("StartDate", "Equal", "2024-01-01T00:00:00.0"), [3001]),
    ],
)
def test_paths(acme: Caller, entity: str, condition: tuple[Any, ...], found: list[int]) -> None:
    assert acme.ids(entity, condition) == found


def test_paths_of_a_work_order(acme: Caller, clock: Any) -> None:
    first = acme.order({"ExternalNumber": "key-1"})["Id"]
    clock.advance(60)
    second = acme.order({"ExternalNumber": "key-2"}, Customer={"Id": 513})["Id"]
    assert acme.ids("WorkOrder", ("LastAction.XNumber", "Equal", "key-2")) == [second]
    assert acme.ids("WorkOrder", ("LastAction.LastAction.TypeId", "Equal", "create")) == [first, second]
    assert acme.ids("WorkOrder", ("Items.Task.Id", "Equal", 14211), ("Customer.Id", "Equal", 512)) == [first]
    for suffix in ("", "Z"):
        moment = "2024-05-14T13:12:45" + suffix
        assert acme.ids("WorkOrder", ("LastActionDateUtc", "GreaterOrEqual", moment)) == [second]
    assert acme.ids("WorkOrder", ("ActionLogRecords.Actor.TypeId", "Equal", "CorrigoNet")) == [first, second]
    assert acme.ids("WoActionLog", ("Actor.DisplayAs", "Equal", "web services"))


def test_filters_nest(acme: Caller) -> None:
    def condition(name: str, value: object) -> dict[str, Any]:
        return {"PropertyName": name, "Operator": "Equal", "Values": [value]}

    either = {"FilterOperator": "OR", "Conditions": [condition("Id", 1), condition("Id", 4)]}
    both = {"FilterOperator": "And", "Filters": [either], "Conditions": [condition("IsEmergency", False)]}
    assert acme.ids("WoPriority", Criteria=both) == [4]


def test_orders_and_pages(acme: Caller) -> None:
    orders = [{"PropertyName": "WorkZone.DisplayAs"}, {"PropertyName": "Id", "OrderType": "Descending"}]
    assert acme.ids("Customer", Orders=orders) == [513, 512]
    down = [{"PropertyName": "DueInMinutes", "OrderType": "descending"}]
    assert acme.ids("WoPriority", Orders=down, Count=2) == [4, 3]
    assert acme.ids("WoPriority", Orders=down, Count=2, FirstResultIndex=2) == [2, 1]
    assert acme.ids("WoPriority", Count=0, Distinct=True) == [1, 2, 3, 4]


def test_no_match_and_request_id(acme: Caller) -> None:
    body = {"QueryExpression": {"Criteria": {}}, "RequestId": "q1"}
    assert acme.ok("POST", "query/WoNote", body) == {"Entities": [], "RequestId": "q1"}


@each_of(
    ("expression", "code"),
    [
        ({"PropertySet": {"Properties": ["Nope"]}}, "ERROR_CODE_1002"),
        ({"PropertySet": {"Properties": ["WorkZone"]}}, "ERROR_CODE_1003"),
        ({"PropertySet": ["*"]}, "INCORRECT_MODEL"),
        ({"Criteria": {"Conditions": [{"PropertyName": "Nope", "Operator": "Null"}]}}, "ERROR_CODE_1002"),
        ({"Criteria": {"Conditions": [{"PropertyName": "Name", "Operator": "Contains"}]}}, "INCORRECT_MODEL"),
        ({"Criteria": {"Conditions": [{"PropertyName": "Name", "Operator": "Equal"}]}}, "INCORRECT_MODEL"),
        ({"Criteria": {"Conditions": [{"Operator": "Null"}]}}, "INCORRECT_MODEL"),
        ({"Criteria": {"FilterOperator": "Xor"}}, "INCORRECT_MODEL"),
        ({"Orders": [{"PropertyName": "Contacts.Id"}]}, "INCORRECT_MODEL"),
        ({"Orders": [{"PropertyName": "Nope"}]}, "ERROR_CODE_1002"),
        ({"Count": -1}, "INCORRECT_MODEL"),
    ],
)
def test_refusals(acme: Caller, expression: dict[str, Any], code: str) -> None:
    assert acme.refused("POST", "query/Customer", {"QueryExpression": expression}) == code


def test_value_that_does_not_fit(acme: Caller) -> None:
    condition = {"PropertyName": "Id", "Operator": "Equal", "Values": ["x"]}
    body = {"QueryExpression": {"Criteria": {"Conditions": [condition]}}}
    assert acme.refused("POST", "query/Customer", body) == "INCORRECT_MODEL"


@each_of(
    ("name", "value", "said"),
    [
        ("StatusId", "Opne", "StatusId cannot be compared with 'Opne' (did you mean Open?)."),
        (
            "StatusId",
            "?",
            "StatusId cannot be compared with '?': use one of Unknown, Open, Paused, Cancelled, New, "
            "OnHold, InProgress, Completed.",
        ),
        (
            "CurrencyTypeId",
            [1],
            "CurrencyTypeId cannot be compared with [1]: use one of Unknown, VUV, FJD, PGK, TOP, CFP, "
            "SBD, WST, MUR, BMD, SAR, BGN, TWD, CZK, DKK, EUR, USD, ILS, HUF, JPY, ...",
        ),
        ("Id", "x", "Id cannot be compared with 'x'."),
    ],
)
def test_what_a_condition_could_be_compared_with(acme: Caller, name: str, value: Any, said: str) -> None:
    """An enum's nearest name; without one its first 20, and that there are more."""
    condition = {"PropertyName": name, "Operator": "Equal", "Values": [value]}
    body = {"QueryExpression": {"Criteria": {"Conditions": [condition]}}}
    error = acme.send("POST", "query/WorkOrder", body).json()
    assert (error["ErrorCode"], error["ErrorMessage"]) == ("INCORRECT_MODEL", said)


def test_paging_past_the_row_cap(acme: Caller, store: Store) -> None:
    with store.transaction():
        for key in range(1, 4502):
            store.insert(46, "WoNote", {"Id": key, "Body": str(key), "WorkOrderId": key % 7})
    order = [{"PropertyName": "Id"}]
    first = acme.ids("WoNote", Orders=order)
    assert first == list(range(1, 4001))  # facts 7
    assert acme.ids("WoNote", Count=9999) == first
    assert acme.ids("WoNote", ("Id", "GreaterThan", first[-1]), Orders=order) == list(range(4001, 4502))
    many = [str(key) for key in range(2, 4502, 2)]
    assert len(acme.ids("WoNote", ("Body", "In", *many))) == 2250
    assert len(acme.ids("WoNote", ("WorkOrderId", "Equal", 3))) == 643


def test_many_conditions(acme: Caller) -> None:
    conditions = [{"PropertyName": "Id", "Operator": "Equal", "Values": [key]} for key in range(3000)]
    assert acme.ids("WoPriority", Criteria={"FilterOperator": "Or", "Conditions": conditions}) == [1, 2, 3, 4]
