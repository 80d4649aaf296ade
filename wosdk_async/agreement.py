"""Sends what works in both where the specification and the recordings of the service differ.

The list of such places is ``wire_rules`` in ``catalogue/differences.json``, each with its sources.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["agreed"]


Content = dict[str, Any]
Rule = Callable[[Content], None]

# What is done to a place, as text: "{get}" finds the value there and leaves the object that it is in in "o".
_CHANGED = """\
    if (v := {get}) is not None: o[{leaf!r}] = {value}
"""
_RENAMED = """\
    if (v := {get}) is not None: o[{name!r}] = o.pop({leaf!r})
"""
_PAIRED = """\
    if (v := {get}) is not (w := {other}):
        if v is None: put(content, {path}, w)
        elif w is None: put(content, {twin}, v)
"""


def agreed(command: str, content: Content) -> Content:
    """``content`` of a command, changed in place to the forms that both sources accept."""
    rule = _rules().get(command)
    if rule is not None:
        rule(content)
    return content


@functools.cache
def _rules() -> dict[str, Rule]:
    """What is done to which command: one function, because every create passes through it."""
    from importlib import resources

    text = resources.files("wosdk_async.catalogue").joinpath("differences.json").read_bytes()
    listed: dict[str, list[dict[str, Any]]] = json.loads(text)["wire_rules"]
    return {command: _compiled(command, rules) for command, rules in listed.items()}


def _compiled(command: str, rules: Sequence[dict[str, Any]]) -> Rule:
    names: dict[str, Any] = {"put": _put}
    source = "".join(["def agree(content):\n", *(_lines(rule, names) for rule in rules)])
    exec(compile(source, f"<agreement on {command}>", "exec"), names)  # noqa: S102 - text made above
    return names["agree"]  # type: ignore[no-any-return]


def _lines(rule: dict[str, Any], names: dict[str, Any]) -> str:
    """The text of one rule; what it refers to is added to ``names``."""
    path = rule["path"].split(".")
    get, leaf = _get(path), path[-1]
    if "twin" in rule:
        twin = rule["twin"].split(".")
        return _PAIRED.format(get=get, other=_get(twin), path=path, twin=twin)
    if "rename" in rule:
        return _RENAMED.format(get=get, leaf=leaf, name=rule["rename"])
    if "numbers" not in rule:
        return _CHANGED.format(get=get, leaf=leaf, value="str(v)")
    numbers = f"numbers{len(names)}"
    names[numbers] = rule["numbers"]
    return _CHANGED.format(get=get, leaf=leaf, value=f"{numbers}.get(v, v)")


def _get(path: Sequence[str]) -> str:
    """The text that reads ``WorkOrder.RequestorContact.Id``; None where there is none."""
    text = "content"
    for name in path:
        text = f"(o.get({name!r}) if (o := {text}).__class__ is dict else None)"
    return text


def _put(content: Content, path: Sequence[str], value: Any) -> None:
    """Put ``value`` there; what is no object on the way is sent as it is."""
    *parents, leaf = path
    for name in parents:
        inner = content.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        content = inner
    content[leaf] = value
