"""What a query selects, and what groups of conditions mean."""

from __future__ import annotations

import functools
import operator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.query.table import query, unsent
from wosdk_async import AssetTree, Condition, Query, WorkOrder, fields
from wosdk_async.query.plan import Comparison, comparisons, criteria

f = fields(WorkOrder)


def test_what_is_selected_and_ordered() -> None:
    made = (
        query()
        .select("*", "Items.*", f.customer.name, f.last_action, f.vendor_nte)
        .order_by(f.number, f.duration.desc(), "-PoNumber", "Customer.Name")
    )
    assert made.expression["PropertySet"] == {
        "Properties": ["*", "Items.*", "Customer.Name", "LastAction.*", "VendorNte"]
    }
    orders = [(order["PropertyName"], order["OrderType"]) for order in made.expression["Orders"]]
    up, down = "Ascending", "Descending"
    assert orders == [
        ("Number", up), ("Duration", down), ("PoNumber", down), ("Customer.Name", up), ("Id", up),
    ]  # fmt: skip
    assert query().select("Number").expression["PropertySet"] == {"Properties": ["Number", "Id"]}
    assert query().select(f).expression["PropertySet"] == {"Properties": ["*"]}
    assert Query(AssetTree, unsent).select("Distance").expression["PropertySet"] == {
        "Properties": ["Distance"]
    }


def test_a_query_is_never_changed() -> None:
    """Every method gives a new one."""
    base = query()
    before = base.expression
    base.where(f.id == 1).select("Number").order_by(f.number).distinct().limit(5).isolation("Snapshot")
    assert base.expression == before == {
        "PropertySet": {"Properties": ["*"]},
        "Orders": [{"PropertyName": "Id", "OrderType": "Ascending"}],
    }  # fmt: skip
    assert base.distinct().limit(5).expression == {**before, "Distinct": True, "Count": 5}
    assert "StatusId" in repr(base.where(f.status_id == "New"))


# --- laws -----------------------------------------------------------------------------------

leaves = st.sampled_from([f.id > 1, f.id > 2, f.id.in_([1, 3]), f.id.between(2, 3), f.id != 2])
groups = st.recursive(
    leaves,
    lambda inner: (
        st.builds(operator.and_, inner, inner)
        | st.builds(operator.or_, inner, inner)
        | st.builds(operator.invert, inner)
    ),
    max_leaves=8,
)


def holds(expression: dict[str, Any], id: int) -> bool:
    """A FilterExpression read as facts 4 describe it."""
    parts = [fits(condition, id) for condition in expression["Conditions"]]
    parts += [holds(inner, id) for inner in expression.get("Filters", [])]
    return all(parts) if expression["FilterOperator"] == "And" else any(parts)


def fits(condition: dict[str, Any], id: int) -> bool:
    first, *rest = map(int, condition["Values"])
    return {
        "GreaterThan": id > first,
        "LessOrEqual": id <= first,
        "Equal": id == first,
        "NotEqual": id != first,
        "In": id in (first, *rest),
        "NotIn": id not in (first, *rest),
        "Between": bool(rest) and first <= id <= rest[0],
        "NotBetween": bool(rest) and not first <= id <= rest[0],
    }[condition["Operator"]]


@given(groups, groups, st.integers(0, 5))
def test_groups_mean_what_they_say(one: Condition, other: Condition, id: int) -> None:
    """&, | and ~ of conditions are what Python's and, or, not are of their answers."""
    first, second = holds(criteria([one]), id), holds(criteria([other]), id)
    assert holds(criteria([one & other]), id) == (first and second)
    assert holds(criteria([one | other]), id) == (first or second)
    assert holds(criteria([~one]), id) == (not first)
    assert holds(criteria([one, other]), id) == (first and second)
    assert ~~one == one


def test_many_conditions_stay_flat() -> None:
    """One group, however many are joined."""
    joined = functools.reduce(operator.or_, [f.id == number for number in range(2000)])
    assert len(criteria([joined])["Conditions"]) == 2000
    assert all(isinstance(part, Comparison) for part in comparisons(joined))
