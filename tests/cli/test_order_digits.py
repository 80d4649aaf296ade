"""Digits on the command line that are the id of one work order and the number of another."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.orders import FIELDS, OPTIONS, orders, state
from tests.support.laws import case
from wosdk_async.cli.app import SECTIONS

OTHER_ZONE = ("Customer=513", *FIELDS[1:])
HOLD = ("--reason", "Weather")


@pytest.fixture
def digits(wosdk: Wosdk, served: dict[str, str]) -> None:
    """Order 1 has the number RSC000001, order 2 the number 1, order 3 the number 2, order 4 the number 91."""
    orders(wosdk, 1)
    zone = json.loads(wosdk("get", "Customer", "513", "--json", "-p", "WorkZone.Id").stdout)["WorkZone"]["Id"]
    for prefix in ("", "", "9"):
        change = wosdk(
            "update", "WorkZone", str(zone), f"WoNumberPrefix:={json.dumps(prefix)}", "WoNumberDigits=1"
        )
        assert change.exit_code == 0, change.output
        assert wosdk("create", "WorkOrder", *OTHER_ZONE).exit_code == 0


@pytest.mark.usefixtures("digits")
def test_digits_of_two_orders_are_refused(wosdk: Wosdk) -> None:
    """Both are named, with what to write, and neither is changed."""
    verbs = [(verb, "1", *OPTIONS.get(verb, ())) for verb in SECTIONS["Work orders"]]
    for command in (*verbs, ("update", "WorkOrder", "1", "PoNumber=A")):
        with case(command[0]):
            result = wosdk(*command, "--yes")
            assert (result.exit_code, result.stdout) == (3, "")
            said = "1 is the number of WorkOrder 2, and the id of RSC000001; write number:1 or id:1"
            assert said in result.stderr
    assert (state(wosdk, "id:1"), state(wosdk, "id:2")) == ("New", "New")
    assert wosdk("update", "WorkOrder", "number:1", "PoNumber=A").stdout.startswith("WorkOrder 2 ")


@pytest.mark.usefixtures("digits")
def test_both_forms_say_which_order(wosdk: Wosdk) -> None:
    """Beside each other, too, and an order that is named twice is changed once."""
    result = wosdk("hold", "number:1", "id:1", "id:2", "number: rsc000001", *HOLD, "--json")
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [2, 1]
    assert "wosdk: id:2 and number:1 are the same work order; it is changed once" in result.stderr
    for text, id in (("number:1", 2), ("id:1", 1), ("1", 1)):
        assert json.loads(wosdk("get", "WorkOrder", text, "--json").stdout)["Id"] == id


@pytest.mark.usefixtures("digits")
def test_digits_of_one_order_are_taken(wosdk: Wosdk) -> None:
    """As a number, or as an id; several at once."""
    result = wosdk("hold", "91", "3", *HOLD, "--json")
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [4, 3]
    assert wosdk("hold", "777777", *HOLD).exit_code == 4
    assert wosdk("hold", "9" * 30, *HOLD).exit_code == 2


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("id:RSC000001", 2, "'id:RSC000001' is not an id; write id:2903"),
        ("id:", 2, "'id:' is not an id"),
        ("number: ", 2, "'number: ' is not a work order; write a number"),
        ("number:777", 4, "no WorkOrder has the Number '777'"),
        ("id:777", 4, "WorkOrder entity with id 777 is not found"),
    ],
)
@pytest.mark.usefixtures("kept")
def test_a_form_that_names_no_order_is_refused(wosdk: Wosdk, text: str, status: int, message: str) -> None:
    result = wosdk("hold", text, *HOLD)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr


def test_the_help_of_each_command_has_the_rule(wosdk: Wosdk) -> None:
    for name in SECTIONS["Work orders"]:
        text = " ".join(wosdk(name, "--help").stdout.split())
        assert "ORDER is a number such as RSC000005, or an id. Use id:2903 or number:2903" in text, name
