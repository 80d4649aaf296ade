"""Every command of the catalogue is modelled, or refused by name, as the docs list it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.sandbox.company import Caller
from wosdk_async import catalogue
from wosdk_async.sandbox.service.commands.registry import HANDLERS, NOT_MODELLED

DOCS = Path(__file__).parents[2] / "docs" / "sandbox.md"
COMMANDS = catalogue.load().commands
BY_THE_ROUTER = {"GetCompanyWsdkUrlCommand"}  # discovery needs the address of the request


def section(title: str) -> str:
    text = DOCS.read_text(encoding="utf-8")
    return text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_every_command_is_done_or_refused() -> None:
    """The two tables of registry.py share no name and make up the catalogue."""
    both = HANDLERS.keys() & NOT_MODELLED.keys()
    assert not both, "in HANDLERS and in NOT_MODELLED of registry.py: take each out of one"
    known = HANDLERS.keys() | NOT_MODELLED.keys() | BY_THE_ROUTER
    missing, unknown = set(COMMANDS) - known, known - set(COMMANDS)
    assert not missing, f"{missing}: add each to HANDLERS, to ACTIONS of workflow.py, or to NOT_MODELLED"
    assert not unknown, f"{unknown}: registry.py names commands that commands.json does not have"


def test_the_docs_list_the_same() -> None:
    """docs/sandbox.md names the refused commands, each with the same reason."""
    records = re.findall(r"^\| `(\w+)` \| (.+) \|$", section("Commands"), re.MULTILINE)
    assert dict(records) == NOT_MODELLED, "docs/sandbox.md, 'Commands', is not NOT_MODELLED"


def test_a_refused_command_says_so(acme: Caller) -> None:
    """The text names the command and why it is not modelled."""
    for name, why in NOT_MODELLED.items():
        response = acme.send("POST", f"cmd/{name}", {"Command": {}})
        assert (response.status_code, response.json()["ErrorCode"]) == (400, "BUSINESS_LOGIC_ERROR")
        assert response.json()["ErrorMessage"] == f"The local sandbox does not model {name}: {why}."
