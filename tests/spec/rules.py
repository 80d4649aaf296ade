"""Rules of the specification and their tests: the marker ``spec``, and the list of rules that need it.

``@spec("4.9", 2)`` says that a test is a case of rule 2 of section 4.9 in docs/service.md, or of row 2 of its
table; a text names a part of the section that has no number. ``pytest -m spec`` runs these tests, and
``python -m tests.spec.report`` lists the rules that have none.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

Rule = int | str

HERE = Path(__file__).parent

RULES: dict[str, tuple[Rule, ...]] = {
    "2.1": ("Id, ConcurrencyId, IsNew, PerformDeletion", "IsRemoved", "Money", "datetimes", "reference"),
    "2.2": ("entity types",),
    "2.3": ("WorkOrder", "lists", "item", "custom field entry", "note"),
    "2.4": ("WorkOrderCost", "AP statuses"),
    "2.5": ("WorkZone",),
    "2.6": ("Employee",),
    "2.7": ("Space",),
    "2.8": ("Asset", "AssetAttribute"),
    "2.9": ("Document",),
    "2.10": ("Address",),
    "3": ("state-bearing fields", "Cancelled", 1, 2, 3, 4, 5),
    "4.1": ("discovery",),
    "4.2": ("command endpoint",),
    "4.3": ("WoCreateCommand",),
    "4.4": ("SpaceCreateCommand",),
    "4.5": ("ApStatusChangeCommand",),
    "4.6": ("SendWorkOrder",),
    "4.7": ("VerifyWorkCommand",),
    "4.8": ("WoCompleteCommand",),
    "4.9": ("create", "update", "delete", "retrieve", 1, 2, 3, 4, 5),
    "4.10": ("responses that are not shown",),
    "5": ("headers", 1, 2),
    "7": (
        "error body",
        "BUSINESS_LOGIC_ERROR: attribute outside its parent",
        "BUSINESS_LOGIC_ERROR: sending fails",
        "ERROR_CODE_1000",
        "EMPTY_INPUT_PARAMETER",
    ),
}
"""Section -> what in it has a test."""

NOT_SHOWN: dict[tuple[str, Rule], str] = {
    ("2.11", "gaps of fields"): "nothing to check; the query of AssetInfo is in tests/test_operations.py",
    ("5", 3): "token endpoint and lifetime are not shown; facts 1 is tested in tests/transport",
    ("5", 4): "no permission model is shown",
    ("6", "events"): "not shown; facts 8 is tested in tests/test_webhooks.py",
}
"""Rules that state a gap, and what is tested in their place."""


ONE_SIDED: dict[tuple[str, Rule, str], str] = {
    ("facts 8", "", "sandbox"): "it sends no events: neither signature nor header is known",
    ("facts 10", 25, "client"): "what an administrator does before there is a client",
    ("facts 10", 25, "sandbox"): "what an administrator does; a Company of the sandbox has its pair at once",
    ("facts 12", 13, "sandbox"): "it serves http or https, as it was started",
}
"""Section, rule and the side that has no case, with the reason; an empty rule is the whole section."""


def spec(section: str, *rules: Rule) -> pytest.MarkDecorator:
    """Mark a test as a case of some rules of a section."""
    return pytest.mark.spec(section, *rules)


def differs(row: str) -> pytest.MarkDecorator:
    """Mark a raw test that fails in the recorded dialect by a row of the table of docs/sandbox.md."""
    return pytest.mark.differs(row)


def tests() -> Iterator[tuple[str, pytest.Mark]]:
    """Yield the name of each test of this folder, with each of its marks."""
    for module in pkgutil.iter_modules([str(HERE)]):
        if module.name.startswith("test_"):
            for name, test in vars(import_module(f"tests.spec.{module.name}")).items():
                for mark in getattr(test, "pytestmark", ()) if name.startswith("test_") else ():
                    yield f"{module.name}::{name}", mark


def marks(name: str) -> Iterator[pytest.Mark]:
    """Yield the marks of this name."""
    return (mark for _, mark in tests() if mark.name == name)


def marked() -> Iterator[tuple[str, Rule, str]]:
    """Yield section, rule and name of the test for each mark in this folder."""
    for name, mark in tests():
        if mark.name == "spec":
            section, *rules = mark.args
            yield from ((section, rule, name) for rule in rules)
