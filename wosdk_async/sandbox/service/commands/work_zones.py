"""Work zones and portfolios: made, taken out of service and removed by commands (facts 3.9, 5)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import reference_id
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.commands.templates import apply_template, plain_location, template_root
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read
from wosdk_async.sandbox.service.write import create, delete
from wosdk_async.sandbox.storage.store import Store

__all__ = ["create_work_zone", "delete_portfolio", "delete_work_zone", "go_offline", "go_online"]

# facts 5 names what the server filled in, and the four digits; the other values are assumed.
_FILLED = {
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
    "AccessOptionsMask": 15,
}


@command("WorkZoneCreateCommand")
def create_work_zone(context: RequestContext, arguments: Arguments) -> Record:
    """A work zone with an asset of its own, made from a template if one is named (facts 5)."""
    sent = arguments.get("WorkZone")
    if not isinstance(sent, dict):
        raise required("WorkZone")
    name = get_ignore_case(sent, "DisplayAs")
    if not isinstance(name, str) or not name.strip():
        raise required("WorkZone.DisplayAs")
    filled = _FILLED if arguments.get("SkipDefaultSettings", False) else _FILLED | _DEFAULT_SETTINGS
    # An asset that is sent counts as the zone's own (not shown; assumed)
    asset = reference_id(get_ignore_case(sent, "Asset")) or _asset(
        context, name, arguments.get("AssetTemplateId", 0)
    )
    members = {**_missing(filled, sent), **sent, "Asset": {"Id": asset}}
    zone = create(context, schemas()["WorkZone"], members)
    return _shown(context, zone)


@command("WorkZoneOfflineCommand")
def go_offline(context: RequestContext, arguments: Arguments) -> Record:
    """Take a zone out of service; ``DeactivateCustomers`` removes its customers softly (assumed)."""
    zone = _zone(context, arguments)
    _switch(context, zone, offline=True)
    if arguments.get("DeactivateCustomers", False):
        for customer in _customers(context.store, context.company.id, zone["Id"]):
            delete(context, schemas()["Customer"], customer)
    return _shown(context, zone)


@command("WorkZoneOnlineCommand")
def go_online(context: RequestContext, arguments: Arguments) -> Record:
    zone = _zone(context, arguments)
    _switch(context, zone, offline=False)
    return _shown(context, zone)


@command("WorkZoneDeleteCommand")
def delete_work_zone(context: RequestContext, arguments: Arguments) -> Record:
    """Remove a zone softly; its orders and customers stay (not shown; assumed)."""
    zone = _zone(context, arguments)
    delete(context, schemas()["WorkZone"], zone)
    return _shown(context, zone)


@command("PortfolioDeleteCommand")
def delete_portfolio(context: RequestContext, arguments: Arguments) -> Record:
    """Remove a portfolio softly; its result has no members by the schema (facts 5)."""
    key = arguments.get("PortfolioId", 0)
    if not key:
        raise required("PortfolioId")
    delete(context, schemas()["Portfolio"], needed(context.find("Portfolio", key), "PortfolioId", key))
    return {}


def _zone(context: RequestContext, arguments: Arguments) -> Record:
    key = arguments.get("WorkZoneId", 0)
    if not key:
        raise required("WorkZoneId")
    return needed(context.find("WorkZone", key), "WorkZoneId", key)


def _switch(context: RequestContext, zone: Record, *, offline: bool) -> None:
    if zone["IsOffline"] != offline:
        zone["IsOffline"] = offline
        context.replace(schemas()["WorkZone"], zone)


def _asset(context: RequestContext, name: str, template: int) -> int:
    if not template:
        return int(plain_location(context, name, 0, "Community")["Id"])
    row = needed(context.find("AssetTemplate", template), "AssetTemplateId", template)
    return int(apply_template(context, template_root(context, row), name, 0)["Id"])


def _missing(filled: Record, sent: Record) -> Record:
    return {name: value for name, value in filled.items() if get_ignore_case(sent, name) is None}


def _customers(store: Store, company: int, zone: int) -> list[Record]:
    text = (
        "SELECT body FROM Customer WHERE company = ? AND json_extract(body, '$.WorkZone.Id') = ? ORDER BY id"
    )
    return store.select(text, [company, zone])


def _shown(context: RequestContext, zone: Record) -> Record:
    return {"WorkZone": default_read(context, "WorkZone", zone)}
