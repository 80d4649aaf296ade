"""Every rule of the specification has a test that is marked with it."""

from __future__ import annotations

from tests.spec.report import without_a_test
from tests.spec.rules import NOT_SHOWN, RULES, marked

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


def test_the_page_has_no_rule_of_the_specification_without_a_test() -> None:
    """A rule that is added to docs/service.md needs a test; facts are cited by theirs."""
    missing = [key for key, _ in without_a_test() if key[0] == "spec" and key[1] not in ("1", "2", "4")]
    assert missing == []
