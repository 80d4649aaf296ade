"""``wosdk describe``: the catalogue for people and for programs, without a Company."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Wosdk
from tests.support.laws import some
from wosdk_async.catalogue import load

CATALOGUE = load()


def test_without_a_name_everything_is_listed(wosdk: Wosdk) -> None:
    """Every entity, command and enum, grouped."""
    result = wosdk("describe")
    assert result.exit_code == 0
    listed = {line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")}
    entities = {row.name for row in CATALOGUE.entities.values() if row.kind == "entity"}
    assert listed == {*entities, *CATALOGUE.commands, *CATALOGUE.enums}
    found = json.loads(wosdk("describe", "--json").stdout)
    assert {name for family in found["entities"].values() for name in family} == entities
    assert found["entities"]["work_orders"] == sorted(found["entities"]["work_orders"])
    assert set(found["commands"]) == set(CATALOGUE.commands)


def test_every_name_is_described(wosdk: Wosdk) -> None:
    """Whatever the letter case; each field or member is there, for people and for programs."""
    names = (*CATALOGUE.entities, *CATALOGUE.commands, *CATALOGUE.enums, *CATALOGUE.command_bases)
    for name in some(names, 5):
        lines = wosdk("describe", name.lower()).stdout.splitlines()
        row = json.loads(wosdk("describe", name, "--json").stdout)
        assert lines[0].startswith(f"{name}: ")
        assert row["name"] == name
        message = {each["name"] for key in ("fields", "request", "values") for each in row.get(key, ())}
        assert message <= {line.split()[0] for line in lines if line.startswith("  ")}


def test_an_entity_says_what_it_supports_and_what_to_use_instead(wosdk: Wosdk) -> None:
    """Operations, types, lengths, required fields first, meaning and sources."""
    lines = wosdk("describe", "WorkOrder").stdout.splitlines()
    assert lines[:2] == ["WorkOrder: entity", "A request for work."]
    assert "  create    no: run WoCreateCommand" in lines
    assert "  retrieve  yes" in lines
    assert any(line.split()[:3] == ["TypeCategory", "WOType", "required"] for line in lines)
    assert any("list of WoItem" in line for line in lines)
    assert "source: the specification" in "\n".join(lines)


def test_a_command_says_path_repetition_and_result(wosdk: Wosdk) -> None:
    """What is needed to run it by hand."""
    text = wosdk("describe", "WoCreateCommand").stdout
    assert "path: api/v1/cmd/WoCreateCommand (also WorkOrder/Create)" in text
    assert "repeat: not safe; check whether it took effect before you repeat it" in text
    assert "result, a WoActionResponse" in text
    assert "repeat: safe\n" in wosdk("describe", "WoLastModificationCommand").stdout
    assert "path: the locator's api/v1/cmd/" in wosdk("describe", "GetCompanyWsdkUrlCommand").stdout


def test_aliases_and_compound_keys(wosdk: Wosdk) -> None:
    """The specification's names find the wire's."""
    assert wosdk("describe", "priority").stdout.startswith("WoPriority: entity\n")
    key = CATALOGUE.entities["AssetTree"].composite_key
    assert (f"composite key: {', '.join(key)}" in wosdk("describe", "AssetTree").stdout) == bool(key)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("WorkOrdr", "no entity, command or enum 'WorkOrdr'; did you mean 'WorkOrder'?"),
        ("wocreatecomand", "did you mean 'WoCreateCommand'?"),
        ("xyzzyxyzzy", "'xyzzyxyzzy'; wosdk describe lists all names"),
        ("\x1b[31m", r"'\\x1b[31m'"),
    ],
)
def test_a_wrong_name_gets_a_suggestion(wosdk: Wosdk, name: str, message: str) -> None:
    """Status 2, and one line without control characters."""
    result = wosdk("describe", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr.replace("'\\x1b", "'\\\\x1b")
    assert "\x1b" not in result.stderr
