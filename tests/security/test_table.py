"""SECURITY.md and the switches name each other, and what both name is there."""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.security.switches import ROOT, Switch, load
from tests.support.laws import each_of

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py::test_\w+)`")
HEAD = "threat | what protects | tests\n---|---|---\n"
RISKS_HEAD = "risk | a test that shows it\n---|---\n"
ROWS, RISKS = (TEXT.partition(head)[2].partition("\n\n")[0].splitlines() for head in (HEAD, RISKS_HEAD))
SWITCHES = load()


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(f"{path}::{each.name}" for each in functions)


def test_the_table_and_the_switches_name_the_same_tests() -> None:
    switched = {test for each in SWITCHES for test in each.tests}
    assert set(TEST.findall("".join(ROWS))) == switched


def test_a_row_names_tests_and_nothing_but_rows_does() -> None:
    """A test that is spelled in another way, or stands elsewhere, would have no switch."""
    found = [TEST.findall(row) for row in (*ROWS, *RISKS)]
    assert all(found)
    assert sum(map(len, found)) == len({test for tests in found for test in tests}) == TEXT.count("tests/")


def test_every_row_has_its_cells() -> None:
    assert [row for row in ROWS if row.count(" | ") != 2] == []
    assert [row for row in RISKS if row.count(" | ") != 1] == []


def test_a_risk_has_one_test_and_nothing_stands_below_the_table() -> None:
    tests = [TEST.findall(row) for row in RISKS]
    assert [test for (test,) in tests if test not in names_in(test.partition("::")[0])] == []
    assert TEXT.rstrip("\n").endswith(RISKS[-1])


def test_the_page_has_at_most_1200_words() -> None:
    assert len(TEXT.split()) <= 1200


@each_of("switch", SWITCHES, ids=lambda each: each.id)
def test_a_switch_can_be_thrown(switch: Switch) -> None:
    source = (ROOT / switch.file).read_text(encoding="utf-8")
    edited = switch.switched_off(source)
    if switch.file.endswith(".py"):
        ast.parse(edited)
    assert switch.old != switch.new
    assert [test for test in switch.tests if test not in names_in(test.partition("::")[0])] == []
