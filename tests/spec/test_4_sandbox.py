"""Spec 4 against the sandbox: commands, envelopes and the base operations, over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spec.local import (
    CUSTOMER,
    EMPLOYEE,
    Local,
    refused,
    space_request,
    succeeded,
)
from tests.spec.rules import spec
from tests.spec.table import Json
from wosdk_async import Company, Contact

FLAG_REASON, DESCRIPTOR, PICTURE = 1901, 45, 3


@pytest.fixture
def contact(local: Local) -> int:
    entity = {"FirstName": "Ines", "LastName": "Marchetti", "CustomerId": CUSTOMER}
    made = succeeded(local.send("POST", "base/Contact", {"Entity": entity}))["EntitySpecifier"]
    assert made["EntityType"] == "Contact"
    new: int = made["Id"]
    return new


# --- 4.1 to 4.8 -------------------------------------------------------------------------------


@spec("4.1", "discovery")
def test_discovery(local: Local) -> None:
    """Spec 4.1: the five fields of CommandResult, and a Url under which the Company answers."""
    found = succeeded(local.discover())["CommandResult"]
    assert {name: type(value) for name, value in found.items()} == {
        "Url": str,
        "CompanyName": str,
        "Protocol": str,
        "CompanyVersion": str,
        "CompanyId": int,
    }
    assert (found["CompanyName"], found["Protocol"]) == (local.variables["WOSDK_COMPANY"], "HTTPS")
    assert all(part.isdigit() for part in found["CompanyVersion"].split("."))
    assert "." in found["CompanyVersion"]
    succeeded(local.send("GET", "base/Customer?ID=512"))


@spec("4.1", "discovery")
def test_discovery_of_an_unknown_company(local: Local) -> None:
    """Spec 4.1: CompanyName is the name of a Company; another name has no host."""
    refused(local.discover("No Such Company"))


@spec("4.4", "SpaceCreateCommand")
@pytest.mark.parametrize("customer", [CUSTOMER, str(CUSTOMER)], ids=["integer", "text"])
def test_customer_id_as_text_or_integer(local: Local, customer: Any) -> None:
    """Spec 4.4: CustomerId is a string or an integer."""
    made = local.run("SpaceCreateCommand", space_request(f"By {customer!r}", CustomerId=customer))
    assert made["NewSpace"]["CustomerId"] == CUSTOMER


@spec("4.4", "SpaceCreateCommand")
def test_customer_id_is_required(local: Local) -> None:
    """Spec 4.4: CustomerId is required."""
    command = space_request("Nobody's")
    del command["CustomerId"]
    refused(local.command("SpaceCreateCommand", command))


@spec("4.4", "SpaceCreateCommand")
def test_a_unit_that_exists_is_reused(local: Local) -> None:
    """Spec 4.4: with IfUnitAlreadyExists Reuse a unit of that name is used again."""
    first, second = (local.run("SpaceCreateCommand", space_request("Twice"))["NewSpace"] for _ in range(2))
    assert first["Id"] != second["Id"]
    assert first["Asset"]["Id"] == second["Asset"]["Id"]


@spec("4.4", "SpaceCreateCommand")
def test_an_unknown_template(local: Local) -> None:
    """Spec 4.4: UnitFloorPlan is the name of an asset template defined in the Company."""
    command = space_request("Unplanned")
    command["NewUnitSpecifier"]["UnitFloorPlan"] = "No such plan"
    assert "No such plan" in refused(local.command("SpaceCreateCommand", command))


@spec("4.8", "WoCompleteCommand")
@pytest.mark.parametrize(
    "more", [{}, {"Region": "Americas", "type": "WoCompleteCommand"}], ids=["", "Region-type"]
)
def test_complete(local: Local, more: Json) -> None:
    """Spec 4.8, facts 12 row 8: WorkOrderId and Comment complete an order, as do two further fields."""
    order = local.new_order(EmployeeId=EMPLOYEE)
    for name in ("WoPickUpCommand", "WoStartCommand"):
        local.run(name, {"WorkOrderId": order})
    local.run("WoCompleteCommand", {"WorkOrderId": order, "Comment": "Belt replaced.", **more})
    assert local.read("WorkOrder", order)["StatusId"] == "Completed"


# --- 4.9, the operations ----------------------------------------------------------------------


@spec("4.9", "create", "retrieve")
def test_create_and_retrieve(local: Local, contact: int) -> None:
    """Spec 4.9: POST {Entity} creates a record, and it is read as {Entities: [{Data}]}."""
    data = local.read("Contact", contact)
    assert (data["Id"], data["FirstName"], data["CustomerId"]) == (contact, "Ines", CUSTOMER)


@spec("2.1", "Id, ConcurrencyId, IsNew, PerformDeletion")
@spec("4.9", "update")
def test_update(local: Local, contact: int) -> None:
    """Spec 4.9, 2.1: PUT writes the Properties it lists and nothing else, and ConcurrencyId counts it."""
    before = local.read("Contact", contact)["ConcurrencyId"]
    reply = local.put("Contact", ["LanguageId"], {"Id": contact, "LanguageId": 1036, "FirstName": "Eva"})
    made = succeeded(reply)["EntitySpecifier"]
    assert (made["EntityType"], made["Id"]) == ("Contact", contact)
    data = local.read("Contact", contact)
    assert (data["LanguageId"], data["FirstName"], data["ConcurrencyId"]) == (1036, "Ines", before + 1)


@spec("2.1", "IsRemoved")
@spec("4.9", "delete")
def test_delete(local: Local, contact: int) -> None:
    """Spec 4.9 and 2.1: DELETE ?ID= without a body; a removable record has IsRemoved afterwards."""
    succeeded(local.send("DELETE", f"base/Contact?ID={contact}"))
    assert local.read("Contact", contact)["IsRemoved"] is True


@spec("4.9", "create")
async def test_the_client_does_the_same(company: Company) -> None:
    """Spec 4.9: create, retrieve, update and delete through the client."""
    made = await company.create(Contact(first_name="Ines", last_name="Marchetti", customer_id=CUSTOMER))
    found = await company.get(Contact, made.id)
    assert (made.entity_type, found.first_name, found.customer_id) == ("Contact", "Ines", CUSTOMER)
    await company.update(found, language_id=1036)
    assert (await company.get(Contact, made.id)).language_id == 1036
    await company.delete(Contact, made.id)
    assert (await company.get(Contact, made.id)).is_removed is True
