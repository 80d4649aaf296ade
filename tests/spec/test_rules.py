"""Every rule of the specification has a test that is marked with it."""

from __future__ import annotations

from tests.docs.pages import ROOT
from tests.spec.report import missing, rules_of_the_page
from tests.spec.rules import NOT_SHOWN, ONE_SIDED, RULES, marked, marks

SECTIONS = {*(f"2.{number}" for number in range(1, 12)), *(f"4.{number}" for number in range(1, 11))}


def test_every_rule_has_a_test_and_every_mark_a_rule() -> None:
    """No rule lost its last test, and no mark names a rule that is not listed."""
    listed = {(section, rule) for section, rules in RULES.items() for rule in rules}
    assert {(section, rule) for section, rule, _ in marked()} == listed
    assert listed & set(NOT_SHOWN) == set()


def test_every_section_is_there() -> None:
    """Sections 2 to 7 all have rules, or say why there is none."""
    named = {*RULES, *(section for section, _ in NOT_SHOWN)}
    assert named == SECTIONS | {"3", "5", "6", "7"}


def test_every_rule_has_a_case_on_both_sides() -> None:
    """Of the client and of the sandbox, or a reason why one of them has nothing to carry out."""
    assert [*missing()] == []


def test_no_reason_is_left_over() -> None:
    """A side that has a case needs none, and every reason is of a rule that the page has."""
    rules = {(f"spec {section}", rule) for section, all_of_them in RULES.items() for rule in all_of_them}
    for document, section, kind, number in rules_of_the_page():
        rules.add((f"{document} {section}", number if kind else ""))
    assert {key[:2] for key in ONE_SIDED} <= rules


def test_dialects_differ_by_the_table() -> None:
    """A raw test that fails in the recorded dialect names the row of docs/sandbox.md that says so."""
    page = (ROOT / "docs" / "sandbox.md").read_text("utf-8")
    table = page[page.index("## The dialect") : page.index("## Faults on command")]
    named = {mark.args[0] for mark in marks("differs")}
    assert len(named) > 5
    assert [row for row in named if f"\n| {row}" not in table] == []
