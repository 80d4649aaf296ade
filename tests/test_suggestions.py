"""What a misspelt name suggests: the name that is meant, or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.laws import each_of
from wosdk_async import InvalidCallError, UnknownFieldError, WoCancelCommand, WoCreateCommand, WorkOrder
from wosdk_async.calls.markers import field_of
from wosdk_async.model import index
from wosdk_async.text.suggestions import suggestion

ORDER = list(WorkOrder.__wire__)
ENTITIES = [*index.ENTITIES, *index.ALIASES]
COMMANDS = list(index.COMMANDS)
CREATE, CANCEL = list(WoCreateCommand.__wire__), list(WoCancelCommand.__wire__)
STATES = ["Unknown", "Open", "Paused", "Cancelled", "New", "OnHold", "InProgress", "Completed"]
OPTIONS = ["--profile", "--where", "--faults", "--dialect", "--deadline"]


@each_of(
    ("written", "names", "meant"),
    [
        # a few letters
        ("action_dat", CANCEL, "action_date"),
        ("coment", CANCEL, "comment"),
        ("itmes", ORDER, "items"),
        ("contact_adress", ORDER, "contact_address"),
        ("StatusId", ORDER, "status_id"),
        ("firstname", ["username", "first_name"], "first_name"),
        ("Costumer", ENTITIES, "Customer"),
        ("WoAsignCommand", COMMANDS, "WoAssignCommand"),
        ("Canceled", STATES, "Cancelled"),
        ("Nw", STATES, "New"),
        ("mira.okafr", ["Mira Okafor", "mira.okafor"], "mira.okafor"),
        ("--fault", OPTIONS, "--faults"),
        ("imprt", ["import", "export"], "import"),
        # words
        ("status", ORDER, "status_id"),
        ("customer_id", ORDER, "customer"),
        ("due_date", ORDER, "due_date_utc"),
        ("created_at", ORDER, "dt_created"),
        ("po_no", ORDER, "po_number"),
        ("po", ORDER, "po_number"),
        ("nte", ORDER, "vendor_nte"),
        ("assignee", ORDER, "assignments"),
        ("WO", ENTITIES, "WorkOrder"),
        ("WoHold", COMMANDS, "WoOnHoldCommand"),
        ("wocreatecomand", [*ENTITIES, *COMMANDS], "WoCreateCommand"),
        ("WorkOrderCreateCommand", COMMANDS, "WoCreateCommand"),
        ("Berlin", ["Europe/Berlin", "Europe/Dublin"], "Europe/Berlin"),
        # nothing is near
        ("coment", ORDER, None),
        ("state", ORDER, None),
        ("description", ORDER, None),
        ("surname", ["username", "first_name"], None),
        ("po_number", CREATE, None),
        ("id", ["status_id", "employee_id"], None),
        ("Building", ENTITIES, None),
        ("Patched", ["Adjusted", "Part replaced", "Repaired"], None),
        ("WoCloseCommand", COMMANDS, None),
        ("Done", STATES, None),
        ("--filtr", OPTIONS, None),
        ("", ORDER, None),
        ("?", ["", "!"], None),
    ],
)
def test_the_name_that_is_meant(written: str, names: list[str], meant: str | None) -> None:
    assert suggestion(written, names) == ("" if meant is None else f"; did you mean {meant!r}?")


def test_a_cutoff_wants_alike_letters_too() -> None:
    """A program may have names of its own that share a word with ours."""
    assert suggestion("status", ORDER, cutoff=0.9) == ""
    assert suggestion("statusid", ORDER, cutoff=0.9) == "; did you mean 'status_id'?"


@pytest.mark.parametrize("marker", ["po_number", "PoNumber"])
def test_a_marker_is_looked_for_in_the_record_of_the_command(marker: str) -> None:
    with pytest.raises(InvalidCallError, match=r"did you mean 'work_order\.po_number'\?$"):
        field_of(WoCreateCommand, marker)


def test_a_field_of_the_record_in_a_command() -> None:
    """The message says where it is written. Records name others by id, so they have no such hint."""
    create: Any = WoCreateCommand
    with pytest.raises(UnknownFieldError, match=r"write work_order=WorkOrder\(po_number=\.\.\.\)$"):
        create(po_number="1")
    order: Any = WorkOrder
    with pytest.raises(UnknownFieldError, match=r"WorkOrder has no field 'tenant_code'$"):
        order(tenant_code="1")
