"""Places of a map: which field a column fills, and which columns fill a field that the service names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wosdk_async.jobs.mapping.nodes import ListNode, Node, ObjectNode, ReferenceNode, TextNode
from wosdk_async.jobs.mapping.references import ReferenceSpec

__all__ = ["columns_behind", "paths_with"]

# facts 6: "`X` is a required field"; X may be a path
_REQUIRED = re.compile(r"`?(?P<field>[A-Za-z]\w{0,99}(?:\.[A-Za-z]\w{0,99}){0,9})`? is a required field")


def paths_with(column: str, record: Node, specs: Iterable[ReferenceSpec]) -> list[str]:
    """Return the places of a map that read a column, as the map spells them."""
    found = [
        node.path for _, node in _leaves(record) if isinstance(node, TextNode) and column in node.columns
    ]
    for spec in specs:
        if spec.template is not None and column in spec.template.columns:
            found.append(f"reference.{spec.name}.from")
        if spec.create is not None:
            found += paths_with(column, spec.create, ())
    return found


def columns_behind(reason: str, record: Node, specs: Iterable[ReferenceSpec]) -> str | None:
    """Return where the value comes from that the service misses, for people; None when nobody can tell.

    Args:
        reason: the message of the service.
        record: what the map makes of a row.
        specs: the references of the map.
    """
    named = _REQUIRED.search(reason)
    if named is None:
        return None
    wanted = f".{named['field']}".casefold()
    found = [node for path, node in _leaves(record) if f".{path}".casefold().endswith(wanted)]
    if not found:
        return "the map does not fill it"
    if len(found) > 1:
        return None
    (node,) = found
    columns = node.columns
    if isinstance(node, ReferenceNode):
        columns = frozenset().union(*(spec.columns for spec in specs if spec.name == node.name))
    shown = ", ".join(map(repr, sorted(columns)))
    return f"column{'s' if len(columns) > 1 else ''} {shown}" if columns else None


def _leaves(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yield the nodes that have no fields of their own, each with the service's path of its field."""
    if isinstance(node, ObjectNode):
        table = node.make.__wire__  # type: ignore[attr-defined]  # a class of the model
        for name, inner in node.fields.items():
            yield from _leaves(inner, f"{path}.{table[name]['name']}" if path else table[name]["name"])
    elif isinstance(node, ListNode):
        for each in node.elements:
            yield from _leaves(each, path)
    else:
        yield (f"{path}.Id" if isinstance(node, ReferenceNode) and not node.as_id else path), node
