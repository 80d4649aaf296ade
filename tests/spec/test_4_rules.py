"""Spec 4.9 against the sandbox: its five rules, over the wire and with the client."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spec.local import (
    Local,
    refused,
    succeeded,
)
from tests.spec.rules import spec
from tests.spec.table import Json
from tests.spec.tables_records import DOCUMENT
from wosdk_async import (
    AssetAttribute,
    Blob,
    BusinessRuleError,
    Company,
    Document,
    DocumentType,
    InvalidCallError,
    Location,
    UnsupportedError,
    WoFlag,
    WorkOrder,
)

FLAG_REASON, DESCRIPTOR, PICTURE = 1901, 45, 3


@pytest.fixture
def asset(local: Local) -> int:
    """A new asset with one attribute."""
    attribute = {"Descriptor": {"Id": DESCRIPTOR}, "Value": "+1 207 555 0134"}
    entity = {"Name": "Pump", "ModelId": 1187, "ParentId": 20421, "Attributes": [attribute]}
    made: int = succeeded(local.send("POST", "base/Location", {"Entity": entity}))["EntitySpecifier"]["Id"]
    return made


def attribute_of(local: Local, asset: int) -> Json:
    (only,) = local.read("Location", asset, "Attributes.*")["Attributes"]
    found: Json = only
    return found


@spec("4.9", 1)
@spec("7", "ERROR_CODE_1000")
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "base/WoFlag", {"Entity": {"WoId": 1, "FlagId": FLAG_REASON}}),
        ("DELETE", "base/WoFlag?ID=1", None),
        ("PUT", "base/WoFlag", {"Properties": ["Comment"], "Entity": {"Id": 1, "Comment": "x"}}),
    ],
    ids=["create", "delete", "update"],
)
def test_flags_are_read_only(local: Local, method: str, path: str, body: Any) -> None:
    """Spec 4.9 rule 1: an operation that WoFlag does not support is ERROR_CODE_1000; it can only be read."""
    order = local.new_order()
    local.run("WoSetFlagsCommand", {"WorkOrderId": order, "FlagsToSet": [FLAG_REASON]})  # facts 5
    (flag,) = local.read("WorkOrder", order, "Flags.*")["Flags"]
    if isinstance(body, dict):
        body["Entity"]["Id"] = flag["Id"]
    reply = local.send(method, path.replace("ID=1", f"ID={flag['Id']}"), body)
    assert "operation is not supported" in refused(reply, "ERROR_CODE_1000")
    assert local.read("WoFlag", flag["Id"])["FlagId"] == FLAG_REASON


@spec("4.9", 1)
@spec("7", "ERROR_CODE_1000")
@pytest.mark.parametrize("operation", ["create", "delete"])
async def test_the_client_on_flags(company: Company, operation: str) -> None:
    """Spec 4.9 rule 1: the client raises UnsupportedError with the code, asked or not."""
    creates = operation == "create"
    for check, status in ((True, 0), (False, 400)):
        flag = WoFlag(wo_id=1, flag_id=FLAG_REASON)
        call = company.create(flag, check=check) if creates else company.delete(WoFlag, 1, check=check)
        with pytest.raises(UnsupportedError) as caught:
            await call
        assert (caught.value.code, caught.value.status) == ("ERROR_CODE_1000", status)


@spec("4.9", 2)
@spec("7", "BUSINESS_LOGIC_ERROR: attribute outside its parent")
def test_attributes_are_not_deleted_on_their_own(local: Local, asset: int) -> None:
    """Spec 4.9 rule 2: the refusal names the parent, and the attribute stays."""
    attribute = attribute_of(local, asset)
    message = refused(
        local.send("DELETE", f"base/AssetAttribute?ID={attribute['Id']}"), "BUSINESS_LOGIC_ERROR"
    )
    assert str(asset) in message
    assert "parent" in message.lower()
    assert attribute_of(local, asset) == attribute


@spec("4.9", 2)
def test_attributes_are_changed_with_their_parent(local: Local, asset: int) -> None:
    """Spec 4.9 rule 2: in the context of the parent asset an attribute can be changed."""
    changed = {"Id": attribute_of(local, asset)["Id"], "Value": "+1 207 555 0199"}
    succeeded(local.put("Location", ["Attributes.*"], {"Id": asset, "Attributes": [changed]}))
    assert attribute_of(local, asset)["Value"] == "+1 207 555 0199"


@spec("4.9", 2)
@spec("7", "BUSINESS_LOGIC_ERROR: attribute outside its parent")
async def test_the_client_on_attributes(company: Company, local: Local, asset: int) -> None:
    """Spec 4.9 rule 2: BusinessRuleError on its own, success with the parent."""
    attribute = attribute_of(local, asset)["Id"]
    with pytest.raises(BusinessRuleError, match=str(asset)) as caught:
        await company.delete(AssetAttribute, attribute, check=False)
    assert caught.value.code == "BUSINESS_LOGIC_ERROR"
    assert caught.value.time_stamp
    await company.update(Location(id=asset), attributes=[AssetAttribute(id=attribute, value="7")])
    assert attribute_of(local, asset)["Value"] == "7"


@spec("4.9", 3)
def test_an_empty_list_removes_nothing(local: Local, asset: int) -> None:
    """Spec 4.9 rule 3: success, and the attribute is unchanged when read back."""
    before = attribute_of(local, asset)
    made = succeeded(local.put("Location", ["Attributes.*"], {"Id": asset, "Attributes": []}))
    assert made["EntitySpecifier"] == {"EntityType": "Location", "Id": asset}
    assert attribute_of(local, asset) == before


@spec("4.9", 3)
async def test_the_client_does_not_send_an_empty_list(company: Company, local: Local, asset: int) -> None:
    """Spec 4.9 rule 3: the client refuses what the service would ignore in silence."""
    before = attribute_of(local, asset)
    with pytest.raises(InvalidCallError, match="attributes"):
        await company.update(Location(id=asset), attributes=[])
    assert attribute_of(local, asset) == before


@spec("4.9", 5)
def test_documents_are_not_in_the_activity_log(local: Local) -> None:
    """Spec 4.9 rule 5: a Cloud document with a Blob is the order's, and the log does not know it."""
    order = local.new_order()
    before = local.read("WorkOrder", order, "ActionLogRecords.*")["ActionLogRecords"]
    sent = DOCUMENT.payload | {"ActorId": order, "DocType": {"Id": PICTURE, "DisplayAs": "Picture"}}
    made = succeeded(local.send("POST", "base/Document", {"Entity": sent}))["EntitySpecifier"]
    (kept,) = local.read("WorkOrder", order, "Documents.*")["Documents"]
    assert (kept["Id"], kept["StorageTypeId"]) == (made["Id"], "Cloud")
    assert local.read("WorkOrder", order, "ActionLogRecords.*")["ActionLogRecords"] == before


@spec("4.9", 5)
async def test_the_client_attaches_a_document(company: Company, local: Local) -> None:
    """Spec 4.9 rule 5: the same through the client."""
    order = local.new_order()
    before = (await company.get(WorkOrder, order, properties=["ActionLogRecords.*"])).action_log_records
    document = Document(
        actor_id=order,
        actor_type_id="WO",
        storage_type_id="Cloud",
        doc_type=DocumentType(id=PICTURE),
        blob=Blob(body="R0lGODlhAQABAAAAADs=", file_name="a.gif"),
    )
    made = await company.create(document)
    found = await company.get(WorkOrder, order, properties=["Documents.*", "ActionLogRecords.*"])
    assert ([kept.id for kept in found.documents], found.action_log_records) == ([made.id], before)
