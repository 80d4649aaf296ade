"""Asset commands: location trees, templates (spec 4.4) and searches."""

from __future__ import annotations

from wosdk_async.sandbox.errors import Refusal, broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import enumeration, schemas
from wosdk_async.sandbox.service.context import Arguments, RequestContext, named_record
from wosdk_async.sandbox.service.query.selection import show_default
from wosdk_async.sandbox.service.rules import ancestors
from wosdk_async.sandbox.service.write import create

_OWNED = {"Info": "AssetInfo", "Address": "Address2"}


def customer_of_asset(context: RequestContext, arguments: Arguments) -> Record:
    """Return the customer of the nearest space (or zone, if asked), or 0 (facts 5). Not shown; assumed."""
    asset = named_record(context, arguments, "AssetId", "Location")
    locations = [asset, *ancestors(context, asset)]
    space = _first_at(context, "Space", locations)
    if space is not None:
        return {"CustomerId": space["CustomerId"]}
    if arguments.get("SearchCustomerInWorkZone", False):
        zone = _first_at(context, "WorkZone", locations)
        customer = context.referrer("Customer", "WorkZone.Id", zone["Id"]) if zone else None
        if customer is not None:
            return {"CustomerId": customer["Id"]}
    return {"CustomerId": 0}


def _first_at(context: RequestContext, entity: str, locations: list[Record]) -> Record | None:
    found = (context.referrer(entity, "Asset.Id", location["Id"]) for location in locations)
    return next(filter(None, found), None)


def match_assets(context: RequestContext, arguments: Arguments) -> Record:
    """Return assets of a tree for whose model the task ``TaskCode`` exists (facts 5). Not shown; assumed."""
    parent = named_record(context, arguments, "ParentAssetId", "Location")
    code = arguments.get("TaskCode", "")
    if not code:
        raise required("TaskCode")
    tasks = context.named("Task", "Number", code)
    models = {task["ModelId"] for task in tasks}
    categories = arguments.get("AssetCategories")
    sent = categories if isinstance(categories, list) else []
    kinds = [enumeration("AssetType").name_of(kind) for kind in sent]
    found = [location for location, _ in _tree(context, parent) if location["ModelId"] in models]
    fitting = [location for location in found if not kinds or location["TypeId"] in kinds]
    count = arguments.get("RecordCount", 0)
    shown = fitting[: count if count > 0 else None]
    return {"Locations": [show_default(context, "Location", location) for location in shown]}


def find_template(context: RequestContext, name: str, level: str) -> Record:
    """Return the root of the only template with this name whose root has the type ``level`` (spec 4.4)."""
    named = context.named("AssetTemplate", "DisplayAs", name)
    roots = [context.find("Location", template["RootAssetId"]) for template in named]
    fitting = [root for root in roots if root is not None and root["TypeId"] == level]
    if len(fitting) != 1:
        raise _unknown_template(name)
    return fitting[0]


def template_root(context: RequestContext, template: Record) -> Record:
    """Return a template's root location."""
    root = context.find("Location", template["RootAssetId"])
    if root is None:
        raise _unknown_template(template["DisplayAs"])
    return root


def apply_template(context: RequestContext, root: Record, name: str, parent: int) -> Record:
    """Copy a template below ``parent``, with attributes, infos and addresses; return the copy of its root."""
    copies = {root["Id"]: parent}
    created: list[Record] = []
    for source, above in _tree(context, root):
        own_name = name if source is root else source["Name"]
        copy = _copy(context, source, copies.get(above, parent), own_name)
        copies[source["Id"]] = copy["Id"]
        created.append(copy)
    return created[0]


def create_location(context: RequestContext, name: str, parent: int, kind: str) -> Record:
    """Create a location without a template."""
    return create(context, schemas()["Location"], {"Name": name, "ParentId": parent, "TypeId": kind})


def children_of(context: RequestContext, parent: int) -> list[Record]:
    """Return the locations directly below a parent; none for 0."""
    return context.pointing("Location", "ParentId", parent) if parent else []


def _tree(context: RequestContext, root: Record) -> list[tuple[Record, int]]:
    """Return all locations of a tree with their parents' ids, parents first."""
    found = [(root, 0)]
    known = {root["Id"]}
    for source, _ in found:
        for child in children_of(context, source["Id"]):
            if child["Id"] not in known:  # ends at a cycle, which an older store may have
                known.add(child["Id"])
                found.append((child, source["Id"]))
    return found


def _copy(context: RequestContext, source: Record, parent: int, name: str) -> Record:
    members = {key: value for key, value in source.items() if key not in ("Id", "RootId", *_OWNED)}
    owned = {key: context.find(_OWNED[key], source[key]["Id"]) for key in _OWNED if key in source}
    changes = {"Name": name, "ParentId": parent, "IsTemplate": False}
    created = create(context, schemas()["Location"], members | owned | changes)
    for attribute in context.pointing("AssetAttribute", "AssetId", source["Id"]):
        create(context, schemas()["AssetAttribute"], attribute, {"AssetId": created["Id"]})
    return created


def _unknown_template(name: str) -> Refusal:
    return broken_rule(f"Template '{name}' cannot be found; or ambiguous template name")  # facts 6
