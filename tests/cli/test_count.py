"""``wosdk query --count``: one number, read by ids in ranges at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Wosdk
from tests.support.service import Answer, Request, Service


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("entity", ["Location", "Asset", "AssetTree", "GLAccount", "Contract"])
def test_the_count_is_the_number_of_all_rows(wosdk: Wosdk, entity: str) -> None:
    """Also of entities whose Id is not unique, and by the other name of one."""
    rows = wosdk("query", entity, "--all", "--json").stdout.splitlines()
    result = wosdk("query", entity, "--count")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{len(rows)}\n", "")


@pytest.mark.usefixtures("seeded")
def test_conditions_hold_and_json_names_the_entity(wosdk: Wosdk, tmp_path: Path) -> None:
    """The number is also written to a file; no row is 0."""
    result = wosdk("query", "Asset", "--count", "--where", "TypeId = Unit", "--json")
    assert json.loads(result.stdout) == {"entity": "Location", "count": 4}
    wosdk("query", "Location", "--count", "--where", "Name = nowhere", "-o", tmp_path / "n")
    assert (tmp_path / "n").read_text(encoding="utf-8") == "0\n"


@pytest.mark.parametrize(
    "option",
    [("-p", "Id"), ("--order", "Id"), ("--limit", "5"), ("--all",), ("--csv",), ("--expression", "-")],
)
def test_what_a_count_cannot_take_is_refused(wosdk: Wosdk, option: tuple[str, ...]) -> None:
    """With what it takes."""
    result = wosdk("query", "Location", "--count", *option)
    assert result.exit_code == 2
    assert "--count can be combined only with" in result.stderr


def test_only_ids_are_read_in_ranges(wosdk: Wosdk, scripted: Service) -> None:
    """40,000 rows: the highest id first, then four ranges, each in pages of the service's cap."""
    asked: list[Any] = []

    def handler(request: Request) -> Answer:
        expression = request.json["QueryExpression"]
        asked.append(expression["PropertySet"]["Properties"])
        if expression["Orders"][0]["OrderType"] == "Descending":
            return Answer(body={"Entities": [{"Data": {"Id": 40_000}}]})
        bounds = {each["Operator"]: int(each["Values"][0]) for each in expression["Criteria"]["Conditions"]}
        first = bounds.get("GreaterThan", 0) + 1
        ids = range(first, min(first + expression["Count"], bounds.get("LessOrEqual", 40_000) + 1))
        return Answer(body={"Entities": [{"Data": {"Id": each}} for each in ids]})

    scripted.handler = handler
    assert wosdk("query", "WorkOrder", "--count").stdout == "40000\n"
    assert asked == [["Id"]] * len(asked)
    assert 12 <= len(asked) <= 20
