"""``--where`` and ``--order``: the condition or order of a text, and the message about a wrong one."""

# ruff: noqa: E501 - tables of conditions

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of
from wosdk_async import InvalidCallError, WorkOrder
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.input.texts import condition, order
from wosdk_async.query.plan import Comparison, comparisons


def asked(text: str, entity: object = WorkOrder) -> tuple[str, str, tuple[str, ...]]:
    """Property, operator and values of a condition."""
    made = condition(entity, text)  # type: ignore[arg-type]
    assert isinstance(made, Comparison)
    return made.path, made.operator, made.values


@each_of(
    ("text", "expected"),
    [
        ("StatusId = New", ("StatusId", "Equal", ("New",))),
        ("StatusId==New", ("StatusId", "Equal", ("New",))),
        ("  StatusId   !=  New  ", ("StatusId", "NotEqual", ("New",))),
        ("Duration <> 30", ("Duration", "NotEqual", ("30",))),
        ("Duration>=30", ("Duration", "GreaterOrEqual", ("30",))),
        ("Duration > -30", ("Duration", "GreaterThan", ("-30",))),
        ("Duration <= 30", ("Duration", "LessOrEqual", ("30",))),
        ("Duration<30", ("Duration", "LessThan", ("30",))),
        ("PoNumber like %mall%", ("PoNumber", "Like", ("%mall%",))),
        ("PoNumber NOT  LIKE 'a b%'", ("PoNumber", "NotLike", ("a b%",))),
        ("PoNumber = in the west wing", ("PoNumber", "Equal", ("in the west wing",))),
        ("PoNumber = 'Joe''s \"mall\"'", ("PoNumber", "Equal", ("Joe's \"mall\"",))),
        ('PoNumber = "null"', ("PoNumber", "Equal", ("null",))),
        ("PoNumber = ''", ("PoNumber", "Equal", ("",))),
        ("StatusId in (New, Open)", ("StatusId", "In", ("New", "Open"))),
        ("PoNumber not in ('a, b', c d ,\"e\")", ("PoNumber", "NotIn", ("a, b", "c d", "e"))),
        ("Duration between 30 and 120", ("Duration", "Between", ("30", "120"))),
        ("PoNumber not between 'a and b' AND c", ("PoNumber", "NotBetween", ("a and b", "c"))),
        ("PoNumber is null", ("PoNumber", "Null", ())),
        ("PoNumber IS NOT NULL", ("PoNumber", "NotNull", ())),
        ("PoNumber = Smith and Sons or not", ("PoNumber", "Equal", ("Smith and Sons or not",))),
        ("PoNumber = 'x and Duration = 3'", ("PoNumber", "Equal", ("x and Duration = 3",))),
        ("PoNumber like %brand = x%", ("PoNumber", "Like", ("%brand = x%",))),
        ("Customer = 512", ("Customer.Id", "Equal", ("512",))),
        ("Customer in (512, 513)", ("Customer.Id", "In", ("512", "513"))),
        ("Customer is null", ("Customer.Id", "Null", ())),
        ("Customer.Name like A%", ("Customer.Name", "Like", ("A%",))),
        ("IsWarranty = TRUE", ("IsWarranty", "Equal", ("true",))),
        ("DtDue < 2026-03-01T08:00", ("DtDue", "LessThan", ("2026-03-01T08:00:00",))),
        ("DtDue < 2026-03-01", ("DtDue", "LessThan", ("2026-03-01T00:00:00",))),
        ("DueDateUtc < 2026-03-01T08:00+02:00", ("DueDateUtc", "LessThan", ("2026-03-01T06:00:00",))),
        ("VendorNte.Value > 12.50", ("VendorNte.Value", "GreaterThan", ("12.50",))),
    ],
)  # fmt: skip
def test_a_condition_asks_what_it_says(text: str, expected: tuple[str, str, tuple[str, ...]]) -> None:
    """Every operator of the service, and every kind of value."""
    assert asked(text) == expected


def test_of_an_unknown_entity_nothing_is_checked() -> None:
    """Names and values go as they are."""
    assert asked("Anything.At = all", "NewEntity") == ("Anything.At", "Equal", ("all",))


@each_of(
    ("text", "message"),
    [
        ("", "a condition is PROPERTY OPERATOR VALUE"),
        ("StatusId ~ New", "a condition is PROPERTY OPERATOR VALUE"),
        ("Statusid = New", "unknown property 'Statusid' of WorkOrder; did you mean 'StatusId'?"),
        ("Customer.Nme = a", "unknown property 'Nme' of Customer; did you mean 'Name'?"),
        ("StatusId = Nwe", "WorkOrderStatus has no value 'Nwe'; did you mean 'New'? --unchecked"),
        ("StatusId = 5x5", "wosdk describe WorkOrderStatus lists its values"),
        ("Duration = 1.5", "Duration takes a whole number, not '1.5'"),
        ("VendorNte.Value = 1_0", "takes a number such as 12.50, not '1_0'"),
        ("VendorNte.Value = NaN", "takes a number such as 12.50, not 'NaN'"),
        ("IsWarranty = yes", "takes true or false, not 'yes'"),
        ("DtDue < soon", "takes a time such as 2026-03-01T08:00, not 'soon'"),
        ("CreatedDateUtc >= yesterday", "takes a time such as 2026-03-01T08:00Z, not 'yesterday'"),
        ("DtDue < 2026-03-01T08:00Z", "is the site's local time; remove the zone"),
        ("DueDateUtc < 2026-03-01T08:00", "is UTC; add Z"),
        ("Customer = Acme", "takes a whole number, not 'Acme'"),
        ("Customer > 5", "compare ids with ="),
        ("Duration like 5%", "like needs a text property"),
        ("PoNumber = null", "use the operator 'is null' or 'is not null'"),
        ("PoNumber =", "a value is missing; write '' for an empty string"),
        ("PoNumber = 'a", "a quote is not closed"),
        ("PoNumber in a", "write in (A, B)"),
        ("PoNumber in ()", "write in (A, B)"),
        ("PoNumber in (a, )", "a value is missing"),
        ("PoNumber in ('a' b)", "a comma is missing"),
        ("Duration between 1", "write between LOW and HIGH"),
        ("PoNumber is null now", "'is null' takes no value"),
        ("PoNumber = x and Duration = 3", "each --where takes one condition, so give --where twice; quote values that contain"),
        ("PoNumber = x and DtDue is null", "give --where twice"),
        ("Duration between 1 and 2 and PoNumber = x", "give --where twice"),
        ("PoNumber = x or Duration = 3", "each --where takes one condition; 'or' is not supported; quote values"),
        ("Items is null", "the service has no operator for empty lists"),
    ],
)  # fmt: skip
def test_a_wrong_condition_names_the_remedy(text: str, message: str) -> None:
    """One line that says what to write."""
    with pytest.raises((CliError, InvalidCallError)) as caught:
        condition(WorkOrder, text)
    assert message in str(caught.value)


@given(st.text(min_size=1))
def test_any_quoted_text_arrives_as_it_is(text: str) -> None:
    """Quoting is doubling: whatever the text holds, the service is asked for it."""
    for quote in "'\"":
        quoted = quote + text.replace(quote, quote * 2) + quote
        assert asked(f"PoNumber = {quoted}")[2] == (text,)
        assert asked(f"PoNumber in ({quoted},{quoted})")[2] == (text, text)
        assert asked(f"PoNumber between {quoted} and {quoted}")[2] == (text, text)


@given(st.text())
def test_no_text_ends_in_a_traceback(text: str) -> None:
    """Either a condition, or one of the errors that become a line."""
    with contextlib.suppress(CliError, InvalidCallError):
        assert list(comparisons(condition(WorkOrder, text)))


@pytest.mark.parametrize(
    ("text", "expected"), [("DtDue", "DtDue"), ("DtDue desc", "-DtDue"), (" DtDue ASC ", "DtDue")]
)
def test_an_order(text: str, expected: str) -> None:
    """A property, and the way behind it."""
    assert order(text) == expected


@each_of("text", ["", "DtDue down", "DtDue desc desc", "DtDue , Id"])
def test_a_wrong_order(text: str) -> None:
    """The remedy shows one."""
    with pytest.raises(CliError, match="such as 'DtDue desc'"):
        order(text)
