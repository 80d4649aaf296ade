"""SpaceCreateCommand (spec 4.4, facts 5)."""

from __future__ import annotations

from wosdk_async import catalogue
from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import relation_of
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.commands.templates import (
    apply_template,
    below,
    find_template,
    plain_location,
)
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import create_response
from wosdk_async.sandbox.service.write import create, point

__all__ = ["create_space"]


@command("SpaceCreateCommand")
def create_space(context: RequestContext, arguments: Arguments) -> Record:
    """A Space for a customer, in a unit that exists or in one made from an asset template."""
    key = arguments.get("CustomerId", 0)
    if not key:
        raise required("CustomerId")
    customer = needed(context.find("Customer", key), "CustomerId", key)
    specifier = arguments.get("NewUnitSpecifier")
    if arguments.get("UnitId", 0):
        unit = needed(context.find("Location", arguments["UnitId"]), "UnitId", arguments["UnitId"])
    elif isinstance(specifier, dict):
        unit = _unit(context, customer, specifier, arguments.get("IfUnitAlreadyExists", "Unknown"))
    else:
        raise required("NewUnitSpecifier")  # facts 5: either UnitId or NewUnitSpecifier
    space = _space(context, customer, unit, arguments)
    if isinstance(specifier, dict) and isinstance(get_ignore_case(specifier, "StreetAddress"), dict):
        _address(context, space, get_ignore_case(specifier, "StreetAddress"))
    return {"NewSpace": create_response(context, "Space", space)}


def _space(context: RequestContext, customer: Record, unit: Record, arguments: Arguments) -> Record:
    shape = schemas()["Space"]
    times = ("StartDate", "EndDate", "MoveInDate", "MoveOutDate")
    known = {name: arguments[name] for name in times if name in arguments}
    zone = {"WorkZone": customer["WorkZone"]} if "WorkZone" in customer else {}
    instructions = read_value(
        shape.by_name["instructions"], arguments.get("Instructions", "")
    )  # facts 7: its length
    row = {**shape.blank, **known, **zone, "CustomerId": customer["Id"], "Asset": {"Id": unit["Id"]}}
    return context.insert(shape, row | {"StatusId": "Current", "Instructions": instructions})  # spec 3


def _unit(context: RequestContext, customer: Record, specifier: Record, if_exists: str) -> Record:
    """The unit a specifier names, below the customer's property."""
    name = _text(specifier, "UnitName")
    if not name:
        raise required("NewUnitSpecifier.UnitName")
    parent = _parent(context, customer, specifier)
    same = [unit for unit in below(context, parent) if unit["TypeId"] == "Unit" and unit["Name"] == name]
    if same and if_exists == "Reuse":
        return same[0]
    if same and if_exists != "Ignore":  # Fail, and Unknown like it (assumed); Ignore makes another
        raise broken_rule(f"Unit '{name}' exists already.")
    unit = _new_location(context, parent, name, _text(specifier, "UnitFloorPlan"), "Unit")
    info = get_ignore_case(specifier, "UnitInfo")
    if isinstance(info, dict):  # it replaces the template's (assumed)
        point(context, schemas()["Location"], unit, schemas()["Location"].by_name["info"], info)
        context.replace_uncounted(schemas()["Location"], unit)
    return unit


def _parent(context: RequestContext, customer: Record, specifier: Record) -> int:
    """Where the unit goes: the zone's asset, or the building and floor named below it (assumed)."""
    zone = context.find("WorkZone", customer["WorkZone"]["Id"]) if "WorkZone" in customer else None
    parent = zone["Asset"]["Id"] if zone and "Asset" in zone else 0
    for part in ("Building", "Floor"):
        name = _text(specifier, f"{part}Name")
        if name:
            known = [row for row in below(context, parent) if row["TypeId"] == part and row["Name"] == name]
            plan = _text(specifier, f"{part}FloorPlan")
            parent = (known[0] if known else _new_location(context, parent, name, plan, part))["Id"]
    return int(parent)


def _new_location(context: RequestContext, parent: int, name: str, plan: str, kind: str) -> Record:
    if not plan:
        return plain_location(context, name, parent, kind)
    return apply_template(context, find_template(context, plan, kind), name, parent)


def _address(context: RequestContext, space: Record, address: Record) -> None:
    owned = relation_of("Space", schemas()["Space"].by_name["addresses"])
    create(context, schemas()["Address2"], address, owned.fields(space["Id"]) if owned else None)


def _text(specifier: Record, name: str) -> str:
    fields = catalogue.load().entities["NewUnitSpecifier"].fields
    field = next(field for field in fields if field.name == name)
    known = read_value(field, get_ignore_case(specifier, name))
    return "" if known is UNREADABLE else str(known)
