"""Commands on assets, their templates (spec 4.4), spaces, work zones and portfolios."""

from __future__ import annotations

from wosdk_async import catalogue
from wosdk_async.sandbox.errors import Refusal, broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import enumeration, schemas
from wosdk_async.sandbox.schema.relations import relation_of
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value, reference_id
from wosdk_async.sandbox.service.context import Arguments, RequestContext, named_record, required_record
from wosdk_async.sandbox.service.crud import create_response
from wosdk_async.sandbox.service.query.selection import show_default
from wosdk_async.sandbox.service.rules import ancestors
from wosdk_async.sandbox.service.write import create, create_owned_object, delete

_OWNED = {"Info": "AssetInfo", "Address": "Address2"}


def customer_of_asset(context: RequestContext, arguments: Arguments) -> Record:
    """Return the customer of the nearest space or, if requested, work zone; 0 if there is none.

    Not shown; assumed: the result 0, and the order of the search.
    """
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
    """Return a tree's assets whose model has the task ``TaskCode``. Not shown; assumed."""
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
    """Return the root location, of type ``level``, of the template with this name (spec 4.4).

    Refuse if there is none, or more than one.
    """
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
    """Copy a template below ``parent``, with attributes, infos and addresses. Return the root's copy."""
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


# --- spaces, work zones and portfolios (facts 3.9, 5) ----------------------------------------------

# facts 5: the service fills in time zone, language, windows, and 4 digits. Not shown; assumed: the rest.
_ZONE_DEFAULTS = {
    "TimeZone": 20,
    "LanguageId": 1033,
    "WoNumberDigits": 4,
    "CurrencyTypeId": "USD",
    "DefaultAccess": "NotApplicable",
    "BackupRoutingId": "Unassigned",
}
_DEFAULT_SETTINGS = {
    "SchedulingWindow": 14,
    "AdvanceNotice": 4,
    "RoundApptTimeTo": 15,
}


def create_space(context: RequestContext, arguments: Arguments) -> Record:
    """Create a Space for a customer (spec 4.4), in an existing or a new unit."""
    customer = named_record(context, arguments, "CustomerId", "Customer")
    specifier = arguments.get("NewUnitSpecifier")
    if arguments.get("UnitId", 0):
        unit = required_record(context, "Location", arguments["UnitId"], "UnitId")
    elif isinstance(specifier, dict):
        if_exists = arguments.get("IfUnitAlreadyExists", "Ignore")  # commands.json: default Ignore
        unit = _find_or_make_unit(context, customer, specifier, if_exists)
    else:
        raise required("NewUnitSpecifier")  # facts 5: UnitId or NewUnitSpecifier is required
    space = _insert_space(context, customer, unit, arguments)
    address = get_ignore_case(specifier, "StreetAddress") if isinstance(specifier, dict) else None
    if isinstance(address, dict):
        relation = relation_of("Space", schemas()["Space"].by_name["addresses"])
        create(context, schemas()["Address2"], address, relation.fields(space["Id"]) if relation else None)
    return {"NewSpace": create_response(context, "Space", space, "Addresses.*")}


def _insert_space(context: RequestContext, customer: Record, unit: Record, arguments: Arguments) -> Record:
    schema = schemas()["Space"]
    times = ("StartDate", "EndDate", "MoveInDate", "MoveOutDate")
    dates = {name: arguments[name] for name in times if name in arguments}
    zone = {"WorkZone": customer["WorkZone"]} if "WorkZone" in customer else {}
    sent = arguments.get("Instructions", "")
    instructions = read_value(schema.by_name["instructions"], sent)  # limits the length (facts 7)
    space = {**schema.blank, **dates, **zone, "CustomerId": customer["Id"], "Asset": {"Id": unit["Id"]}}
    return context.insert(schema, space | {"StatusId": "Current", "Instructions": instructions})  # spec 3


def _find_or_make_unit(
    context: RequestContext, customer: Record, specifier: Record, if_exists: str
) -> Record:
    name = _specifier_text(specifier, "UnitName")
    if not name:
        raise required("NewUnitSpecifier.UnitName")
    parent = _find_or_make_parent(context, customer, specifier)
    existing = _named_children(context, parent, "Unit", name)
    if existing and if_exists == "Reuse":
        return existing[0]
    if existing and if_exists != "Ignore":  # not shown; assumed: Unknown acts as Fail
        raise broken_rule(f"Unit '{name}' exists already.")
    unit = _make_location(context, parent, name, _specifier_text(specifier, "UnitFloorPlan"), "Unit")
    info = get_ignore_case(specifier, "UnitInfo")
    if isinstance(info, dict):  # not shown; assumed: UnitInfo replaces the template's Info
        schema = schemas()["Location"]
        create_owned_object(context, schema, unit, schema.by_name["info"], info)
        context.replace_uncounted(schema, unit)
    return unit


def _find_or_make_parent(context: RequestContext, customer: Record, specifier: Record) -> int:
    """Return the id of the named floor or building, or of the zone's asset. Not shown; assumed."""
    zone = context.find("WorkZone", customer["WorkZone"]["Id"]) if "WorkZone" in customer else None
    parent = zone["Asset"]["Id"] if zone and "Asset" in zone else 0
    for part in ("Building", "Floor"):
        name = _specifier_text(specifier, f"{part}Name")
        if name:
            existing = _named_children(context, parent, part, name)
            plan = _specifier_text(specifier, f"{part}FloorPlan")
            parent = (existing[0] if existing else _make_location(context, parent, name, plan, part))["Id"]
    return int(parent)


def _named_children(context: RequestContext, parent: int, kind: str, name: str) -> list[Record]:
    named = context.named("Location", "Name", name)
    return [each for each in named if (each["TypeId"], each.get("ParentId", 0)) == (kind, parent)]


def _make_location(context: RequestContext, parent: int, name: str, plan: str, kind: str) -> Record:
    if not plan:
        return create_location(context, name, parent, kind)
    return apply_template(context, find_template(context, plan, kind), name, parent)


def _specifier_text(specifier: Record, name: str) -> str:
    fields = catalogue.load().entities["NewUnitSpecifier"].fields
    field = next(field for field in fields if field.name == name)
    parsed = read_value(field, get_ignore_case(specifier, name))
    return "" if parsed is UNREADABLE else str(parsed)


def create_work_zone(context: RequestContext, arguments: Arguments) -> Record:
    """Create a work zone and its asset, which may be a copy of a template (facts 5)."""
    sent = arguments.get("WorkZone")
    if not isinstance(sent, dict):
        raise required("WorkZone")
    name = get_ignore_case(sent, "DisplayAs")
    if not isinstance(name, str) or not name.strip():
        raise required("WorkZone.DisplayAs")
    skips = arguments.get("SkipDefaultSettings", False)
    defaults = _ZONE_DEFAULTS if skips else _ZONE_DEFAULTS | _DEFAULT_SETTINGS
    missing = {key: value for key, value in defaults.items() if get_ignore_case(sent, key) is None}
    # Not shown; assumed: an asset in the request becomes the zone's asset
    asset = reference_id(get_ignore_case(sent, "Asset"))
    if asset is None and (template := arguments.get("AssetTemplateId", 0)):
        found = required_record(context, "AssetTemplate", template, "AssetTemplateId")
        asset = apply_template(context, template_root(context, found), name, 0)["Id"]
    elif asset is None:
        asset = create_location(context, name, 0, "Community")["Id"]
    zone = create(context, schemas()["WorkZone"], {**missing, **sent, "Asset": {"Id": asset}})
    return _zone_result(context, zone)


def set_offline(offline: bool, context: RequestContext, arguments: Arguments) -> Record:
    """Set a zone offline or online. Not shown; assumed: ``DeactivateCustomers`` removes its customers."""
    zone = _find_zone(context, arguments)
    if zone["IsOffline"] != offline:
        zone["IsOffline"] = offline
        context.replace(schemas()["WorkZone"], zone)
    if offline and arguments.get("DeactivateCustomers", False):
        for customer in context.pointing("Customer", "WorkZone.Id", zone["Id"]):
            delete(context, schemas()["Customer"], customer)
    return _zone_result(context, zone)


def delete_work_zone(context: RequestContext, arguments: Arguments) -> Record:
    """Mark a zone as removed. Not shown; assumed: its orders and customers stay."""
    zone = _find_zone(context, arguments)
    delete(context, schemas()["WorkZone"], zone)
    return _zone_result(context, zone)


def delete_portfolio(context: RequestContext, arguments: Arguments) -> Record:
    """Mark a portfolio as removed; the result has no members (facts 5)."""
    portfolio = named_record(context, arguments, "PortfolioId", "Portfolio", removed_ok=True)
    delete(context, schemas()["Portfolio"], portfolio)
    return {}


def _find_zone(context: RequestContext, arguments: Arguments) -> Record:
    return named_record(context, arguments, "WorkZoneId", "WorkZone", removed_ok=True)


def _zone_result(context: RequestContext, zone: Record) -> Record:
    return {"WorkZone": show_default(context, "WorkZone", zone)}
