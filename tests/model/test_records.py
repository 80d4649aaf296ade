"""What every class of the model can do."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import attrs
import pytest

from tests.support.laws import each_of
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import (
    Contact,
    Customer,
    Employee,
    Location,
    Money,
    Ref,
    WorkOrder,
)


def test_repr_shows_what_is_set() -> None:
    """Fields that are None are not shown."""
    assert repr(WorkOrder(number="7", items=[])) == "WorkOrder(number='7', items=[])"
    assert repr(WorkOrder(customer=Customer.ref(1))) == "WorkOrder(customer=Customer(id=1))"


def test_repr_shows_no_secret() -> None:
    """A password is not shown, nor are values of unknown fields, which may be secret."""
    shown = repr(Employee(password="hunter2", first_name="Mira", extra={"ApiPassword": "hunter2"}))
    assert shown == "Employee(first_name='Mira', extra=<ApiPassword>)"


def test_repr_is_one_line() -> None:
    """Names that the service made up are shown escaped, as values are."""
    odd = "A\nB\x1b[2J\x9b\u202e\ud83d"
    shown = repr(WorkOrder(number=odd, status_id=odd, extra={odd: 1}))  # type: ignore[arg-type]
    assert shown.isprintable()
    assert shown.endswith(r"extra=<A\nB\x1b[2J\x9b\u202e\ud83d>)")


def test_equality_is_of_all_fields() -> None:
    """Class, every field and extra count."""
    assert WorkOrder(number="7", extra={"A": 1}) == WorkOrder(number="7", extra={"A": 1})
    assert WorkOrder(number="7") != WorkOrder(number="8")
    assert WorkOrder(number="7") != WorkOrder(number="7", extra={"A": 1})
    assert Customer.ref(1) != Contact.ref(1)
    assert Customer.ref(1) != {"Id": 1}


def test_records_are_not_hashable() -> None:
    """What can change has no hash."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(WorkOrder())


NEAR = [
    ("statusid", "WorkOrder has no field 'statusid'; did you mean 'status_id'?"),
    ("StatusId", "WorkOrder has no field 'StatusId'; did you mean 'status_id'?"),
    ("nunber", "WorkOrder has no field 'nunber'; did you mean 'number'?"),
    ("zzz", "WorkOrder has no field 'zzz'"),
]


@each_of(("name", "words"), NEAR)
def test_an_unknown_name_is_refused(name: str, words: str) -> None:
    """A typo would be silent data loss in the service (facts 3.3): the class and what is near are named."""
    given: dict[str, Any] = {name: 1}
    with pytest.raises(TypeError) as caught:
        WorkOrder(**given)
    assert isinstance(caught.value, InvalidCallError)
    assert str(caught.value) == words


def test_constructors_show_their_fields() -> None:
    """Interactive help knows the names, and positions are not accepted."""
    assert str(inspect.signature(Money)) == "(*, extra=None, origin=None, currency_type_id=None, value=None)"
    with pytest.raises(TypeError, match=r"Money takes its fields by name, Money\(field=value\)"):
        Money(1)  # type: ignore[misc]


def test_classes_of_a_program_keep_their_constructors() -> None:
    """A class derived with attrs may have defaults of its own, one without keeps the fields of its base."""

    @attrs.define(kw_only=True, eq=False, repr=False)
    class Tagged(WorkOrder):
        tag: str = "none"

    class Named(WorkOrder):
        def __init__(self, number: str) -> None:
            super().__init__(number=number)

    assert (Tagged(number="7").tag, Named("8").number, WorkOrder(number="9").number) == ("none", "8", "9")


def test_fields_cannot_be_invented_later() -> None:
    """There is no __dict__ to take a misspelt attribute."""
    with pytest.raises(AttributeError):
        WorkOrder().nunber = 1  # type: ignore[attr-defined]


def test_references() -> None:
    """A reference is an object with an id; Ref fits every reference field and can be a key."""
    assert Location.ref(5) == Location(id=5)
    assert (repr(Ref(5)), Ref(5), len({Ref(5), Ref(5)})) == ("Ref(id=5)", Ref(5), 1)


def test_attrs_functions_work() -> None:
    """evolve, asdict, has and fields see an ordinary attrs class."""
    order = WorkOrder(number="7", customer=Customer.ref(1), extra={"A": 1})
    assert attrs.has(type(order))
    assert attrs.evolve(order, number="8") == WorkOrder(number="8", customer=Customer.ref(1), extra={"A": 1})
    assert attrs.fields(WorkOrder).contact_name.metadata["max_length"] == 256
    assert attrs.fields(WorkOrder).number.type == "str | None"
    assert attrs.fields(WorkOrder) is not attrs.fields(Customer)


LAZY = """
import sys
import wosdk_async.codec
loaded = lambda: {name for name in sys.modules if name.startswith("wosdk_async.model.")}
by_hand = ("base", "compiled", "index", "lazy", "metadata", "open_enum", "registry")
assert loaded() <= {f"wosdk_async.model.{name}" for name in by_hand}, loaded()
from wosdk_async.model import WorkOrder
families = loaded()
assert {"wosdk_async.model.customers", "wosdk_async.model.enums"} <= families
assert not any("commands" in name for name in families), families
from wosdk_async import codec
codec.structure({"Customer": {"Id": 1}, "StatusId": "New", "WorkOrderCost": {"ApStateId": "None"}}, WorkOrder)
assert loaded() == families
"""


def test_only_what_is_named_is_loaded() -> None:
    """The codec loads no class; naming an entity loads what its records may hold, and no command."""
    subprocess.run([sys.executable, "-c", LAZY], check=True)
