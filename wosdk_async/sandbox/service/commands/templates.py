"""Asset templates: trees of locations that are copied into the inventory (spec 4.4)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import Refusal, broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import Relation, relation_of
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.write import create

__all__ = ["apply_template", "below", "find_template", "plain_location", "template_root", "tree"]

_NOT_COPIED = ("Id", "RootId", "Info", "Address")


def find_template(context: RequestContext, name: str, level: str) -> Record:
    """The root of the one template with this name whose root is of this level (spec 4.4: Unit-level).

    Raises:
        Refusal: there is none, or more than one.
    """
    text = "SELECT body FROM AssetTemplate WHERE company = ? AND json_extract(body, '$.DisplayAs') = ?"
    named = context.store.select(text, [context.company.id, name])
    roots = [context.find("Location", template["RootAssetId"]) for template in named]
    fitting = [root for root in roots if root is not None and root["TypeId"] == level]
    if len(fitting) != 1:
        raise _unknown(name)
    return fitting[0]


def template_root(context: RequestContext, template: Record) -> Record:
    """The location that a template begins with.

    Raises:
        Refusal: it is gone.
    """
    root = context.find("Location", template["RootAssetId"])
    if root is None:
        raise _unknown(template["DisplayAs"])
    return root


def apply_template(context: RequestContext, root: Record, name: str, parent: int) -> Record:
    """A copy of the whole template below ``parent``, with attributes and infos; the copy of its root.

    The work grows with the template: each of its assets becomes one of the inventory.
    """
    copies = {root["Id"]: parent}
    made: list[Record] = []
    for source, above in tree(context, root):
        row = _copy(context, source, copies.get(above, parent), name if source is root else source["Name"])
        copies[source["Id"]] = row["Id"]
        made.append(row)
    return made[0]


def plain_location(context: RequestContext, name: str, parent: int, kind: str) -> Record:
    """A location without a template."""
    return create(context, schemas()["Location"], {"Name": name, "ParentId": parent, "TypeId": kind})


def below(context: RequestContext, parent: int) -> list[Record]:
    return context.children(Relation(schemas()["Location"], "ParentId"), parent) if parent else []


def tree(context: RequestContext, root: Record) -> list[tuple[Record, int]]:
    """Every location of a tree and the one above it, parents first; read whole before any is copied."""
    found = [(root, 0)]
    known = {root["Id"]}
    for source, _ in found:
        for child in below(context, source["Id"]):
            if child["Id"] not in known:  # a circle of parents ends here
                known.add(child["Id"])
                found.append((child, source["Id"]))
    return found


def _copy(context: RequestContext, source: Record, parent: int, name: str) -> Record:
    shape = schemas()["Location"]
    members = {key: value for key, value in source.items() if key not in _NOT_COPIED}
    members |= {name: _owned_row(context, name, source) for name in ("Info", "Address") if name in source}
    made = create(context, shape, members | {"Name": name, "ParentId": parent, "IsTemplate": False})
    attributes = relation_of("Location", shape.by_name["attributes"])
    for row in context.children(attributes, source["Id"]) if attributes else ():
        create(context, schemas()["AssetAttribute"], row, {"AssetId": made["Id"]})
    return made


def _owned_row(context: RequestContext, name: str, source: Record) -> Record | None:
    return context.find({"Info": "AssetInfo", "Address": "Address2"}[name], source[name]["Id"])


def _unknown(name: str) -> Refusal:
    return broken_rule(f"Template '{name}' cannot be found; or ambiguous template name")  # facts 6
