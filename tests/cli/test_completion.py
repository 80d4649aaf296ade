"""Completion: the scripts, and what they are answered."""

from __future__ import annotations

import os
import subprocess
from itertools import chain

import pytest

from tests.cli.conftest import COMMAND, ROOT, Wosdk
from wosdk_async.catalogue import load
from wosdk_async.cli.app import SECTIONS


@pytest.mark.parametrize(
    ("shell", "sign"),
    [("bash", "complete -o nosort"), ("zsh", "#compdef wosdk"), ("fish", "complete --no-files")],
)
def test_a_script_for_each_shell(wosdk: Wosdk, shell: str, sign: str) -> None:
    """It calls the program back."""
    result = wosdk("completion", shell)
    assert result.exit_code == 0
    assert sign in result.stdout
    assert f"_WOSDK_COMPLETE={shell}_complete" in result.stdout


def test_a_shell_that_is_not_known(wosdk: Wosdk) -> None:
    """The known ones are named."""
    result = wosdk("completion", "cmd")
    assert result.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in result.stderr


def asked(line: str) -> dict[str, str]:
    """Return the variables with which a shell asks for the last word of a line."""
    before, _, last = line.rpartition(" ")
    return {"_WOSDK_COMPLETE": "fish_complete", "COMP_WORDS": before, "COMP_CWORD": last}


def offers(stdout: str) -> list[str]:
    return [offer.partition(",")[2].partition("\t")[0] for offer in stdout.splitlines() if offer]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "wosdk ",
            sorted(chain(*SECTIONS.values())),
        ),
        ("wosdk get workorderc", ["WorkOrderCost"]),
        ("wosdk query Prio", ["Priority"]),
        ("wosdk run WoOnH", ["WoOnHoldCommand"]),
        ("wosdk describe WorkOrderSta", ["WorkOrderStatus"]),
        ("wosdk query WorkOrder -p PoN", ["PoNumber"]),
        ("wosdk query WorkOrder -p Customer.WorkZone.DisplayA", ["Customer.WorkZone.DisplayAs"]),
        ("wosdk query WorkOrder --order DtD", ["DtDue"]),
        ("wosdk get NoSuchThing 1 -p A", []),
        ("wosdk query WorkOrder -p StatusId.A", []),
        ("wosdk run WoOnHoldCommand WorkO", ["WorkOrderId="]),
        ("wosdk create Customer TenantC", ["TenantCode="]),
        ("wosdk update WorkOrder RSC000005 PoN", ["PoNumber="]),
        ("wosdk delete WorkOrderCos", ["WorkOrderCost"]),
        ("wosdk run WoOnHoldCommand StatusId=Ne", ["StatusId=New"]),
        ("wosdk run WoOnHoldCommand WorkOrderId=", []),
    ],
)
def test_names_of_the_catalogue_are_completed(wosdk: Wosdk, line: str, expected: list[str]) -> None:
    """Commands, entities, properties through references, fields and enum members."""
    result = wosdk(env=asked(line))
    assert (result.stderr, offers(result.stdout)) == ("", expected)


def test_a_shell_asks_the_program() -> None:
    environ = os.environ | asked("wosdk query Prio")
    done = subprocess.run(COMMAND, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert (done.stderr, offers(done.stdout)) == ("", ["Priority"])


def test_every_name_that_describe_knows_is_completed() -> None:
    from wosdk_async.cli.options import names

    catalogue = load()
    entities = [row.name for row in catalogue.entities.values() if row.kind == "entity"]
    offered = set(names(None, None, ""))  # type: ignore[arg-type]
    assert offered >= {*entities, *catalogue.commands, *catalogue.enums}
