"""Every command of the catalogue is modelled, or refused by name, as the docs list it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox.company import ORDER, Caller
from tests.support.laws import examples
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


@pytest.mark.parametrize("name", sorted(NOT_MODELLED))
def test_a_refused_command_says_so(acme: Caller, name: str) -> None:
    """The text names the command and why it is not modelled."""
    response = acme.send("POST", f"cmd/{name}", {"Command": {}})
    assert (response.status_code, response.json()["ErrorCode"]) == (400, "BUSINESS_LOGIC_ERROR")
    reason = f"The local sandbox does not model {name}: {NOT_MODELLED[name]}."
    assert response.json()["ErrorMessage"] == reason


scalars = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8) | st.just("208")
odd = st.recursive(
    scalars | st.sampled_from([1, 14, 208, 512, 5001, 20400, 20440, "2024-05-13T00:00:00", {"Id": 1}]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["Id", "Items", "Asset", "DisplayAs", "Properties", "UnitName", "Value"]), inner
        )
    ),
    max_leaves=6,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(COMMANDS)))
    members: dict[str, Any] = {}
    for field in COMMANDS[name].request:
        kinds = st.sampled_from([ORDER, [1], 1]) | odd
        if draw(st.booleans()):
            members[field.name] = draw(kinds)
    return name, members


@examples(100)
@given(calls())
def test_odd_arguments_get_a_response(acme: Caller, call: tuple[str, dict[str, Any]]) -> None:
    """Whatever the arguments of a command are, the response has a result or an error body, never a 5xx."""
    name, members = call
    acme.order()
    response = acme.send("POST", f"cmd/{name}", {"Command": members})  # below 500, checked by the caller
    known = response.json().keys()
    assert "CommandResult" in known if response.status_code == 200 else {"ErrorCode", "ErrorMessage"} <= known
