"""Public names as Markdown: signature and docstring of each, and of its public members."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import griffe

from docs.builder.api_pages import own_members_only
from docs.builder.roles import Roles
from docs.builder.signatures import Signatures
from docs.builder.stage import ROOT

__all__ = ["described"]


@cache
def _package() -> griffe.Object | griffe.Alias:
    extensions = griffe.load_extensions(Roles(), Signatures())
    return griffe.load("wosdk_async", search_paths=[ROOT], extensions=extensions)


def described(name: str) -> str:
    """Return what a name below ``wosdk_async`` is."""
    found = _package()[name.removeprefix("wosdk_async.")]
    if isinstance(found, griffe.Alias):
        found = found.final_target
    return "\n\n".join(_parts(found)) + "\n"


def _parts(found: griffe.Object | griffe.Alias) -> Iterator[str]:
    yield _signature(found)
    if found.docstring:
        yield found.docstring.value
    if found.is_class:
        members = found.members if own_members_only(found.name) else found.all_members
        for member in members.values():
            if member.docstring and not member.name.startswith("_"):
                yield f"### {member.name}"
                yield _signature(member)
                yield member.docstring.value


def _signature(found: griffe.Object | griffe.Alias) -> str:
    if found.is_function:
        text = found.signature()
    elif found.is_class:
        text = f"class {found.signature()}"
    else:
        kind = f": {found.annotation}" if getattr(found, "annotation", None) else ""
        value = f" = {found.value}" if getattr(found, "value", None) else ""
        text = f"{found.name}{kind}{value}"
    return f"```python\n{text}\n```"
