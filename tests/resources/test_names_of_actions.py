"""Misspelt attributes of a Company and of its work orders, and actions without a reason."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import pytest

from tests.testing.orders import create_command
from wosdk_async import Company, UnknownFieldError
from wosdk_async.testing import Sandbox


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("workorders", "a Company has no attribute 'workorders'; did you mean 'work_orders'?"),
        ("qurey", "a Company has no attribute 'qurey'; did you mean 'query'?"),
        ("zzz", "a Company has no attribute 'zzz'"),
        ("work_orders.pickup", "company.work_orders has no attribute 'pickup'; did you mean 'pick_up'?"),
        (
            "work_orders.create",
            "company.work_orders has no attribute 'create'; a command creates a work order:"
            " company.run(WoCreateCommand(work_order=...))",
        ),
    ],
)
def test_an_attribute_that_is_not_there(wosdk_company: Company, names: str, message: str) -> None:
    found: Any = wosdk_company
    *before, last = names.split(".")
    for name in before:
        found = getattr(found, name)
    with pytest.raises(AttributeError) as caught:
        getattr(found, last)
    assert str(caught.value) == message
    assert not hasattr(found, last)


def test_copies_are_as_before(wosdk_company: Company) -> None:
    """Copying asks for attributes of an object that has none yet."""
    assert copy.copy(wosdk_company).name == wosdk_company.name
    assert copy.copy(wosdk_company.work_orders).by_number
    assert not hasattr(Company.__new__(Company), "__deepcopy__")
    assert not hasattr(Company.__new__(Company), "_sender")


@pytest.mark.parametrize(("verb", "reason"), [("hold", "Weather"), ("cancel", "Entered twice")])
async def test_an_action_without_its_reason(
    wosdk_company: Company, wosdk_sandbox: Sandbox, verb: str, reason: str
) -> None:
    """The reasons of the Company are listed, and no command is sent."""
    await wosdk_company.run(create_command())
    act: Any = getattr(wosdk_company.work_orders, verb)
    with pytest.raises(UnknownFieldError, match=f"{verb}.* needs a reason .*'{reason}'"):
        await act(1)
    with pytest.raises(UnknownFieldError, match="no keyword 'resaon'; did you mean 'reason'"):
        await act(1, resaon="x")
    assert (
        await wosdk_company.work_orders.by_number("RSC000001", properties=["StatusId"])
    ).status_id == "New"
    assert inspect.signature(act).parameters["reason"].default is inspect.Parameter.empty
    assert inspect.iscoroutinefunction(act)
