"""Enums that the service may extend."""

from __future__ import annotations

import copy
import pickle
import weakref
from typing import Any

import pytest

from tests.support.laws import each_of
from wosdk_async.model import BillToTypeRule, OpenEnum, WorkOrderStatus, WOType


def test_members_are_texts() -> None:
    """A member equals, prints, formats and hashes as its wire text."""
    member = WorkOrderStatus.New
    assert member == "New"
    assert f"{member}|{member:>5}|{member!s}" == "New|  New|New"
    assert {"New": 1}[member] == 1
    assert str(BillToTypeRule.NONE) == "None"
    assert repr(BillToTypeRule.NONE) == "BillToTypeRule.NONE"


def test_known_numbers_are_members() -> None:
    """WOType 4 is Request (facts 9), and the member says its number."""
    assert WOType(4) is WOType.Request
    assert WOType.Request.number == 4
    assert WorkOrderStatus.New.number is None


@each_of("value", ["Parked", "", "new", "4", 99, -1, "\ud800"])
def test_unlisted_values_are_members_that_are_not_known(value: Any) -> None:
    """They keep the raw value, compare equal to each other and survive copy and pickle."""
    member = WOType(value)
    assert isinstance(member, WOType)
    assert not member.is_known
    assert (member.value, type(member.value)) == (value, type(value))
    assert str(member) == str(value)
    assert member == WOType(value)
    assert repr(member) == f"WOType({value!r})"
    for twin in (copy.copy(member), copy.deepcopy(member), pickle.loads(pickle.dumps(member))):  # noqa: S301
        assert (twin, twin.value, twin.is_known, type(twin)) == (member, value, False, WOType)


def test_unlisted_values_are_not_kept() -> None:
    """Values that somebody else sends cannot fill the memory."""
    before = list(WOType), dict(WOType.__members__)
    for value in ("Odd", 1000):
        member = weakref.ref(WOType(value))
        assert member() is None
        assert WOType(value) is not WOType(value)
    assert (list(WOType), dict(WOType.__members__)) == before


@each_of("value", [None, 1.5, True, [], b"New"])
def test_what_cannot_be_a_value_is_refused(value: Any) -> None:
    """Only texts and integers are values."""
    with pytest.raises(ValueError, match="is not a valid WOType"):
        WOType(value)


def test_known_members_are_known() -> None:
    """Every listed member says so, survives pickle as itself, and is one object."""
    for member in WOType:
        assert member.is_known
        assert pickle.loads(pickle.dumps(member)) is member  # noqa: S301
        assert WOType(str(member)) is member


def test_an_unlisted_member_is_not_one_of_the_same_name() -> None:
    """A text like the Python name of a member is not that member."""
    assert not BillToTypeRule("NONE").is_known
    assert issubclass(BillToTypeRule, OpenEnum)
