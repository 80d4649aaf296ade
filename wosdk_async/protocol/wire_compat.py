"""Sends what works in both where the specification and the recordings of the service differ.

The list of such places is ``wire_rules`` in ``catalogue/differences.json``, each with its sources.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

__all__ = ["agreement"]


Content = dict[str, Any]
Rule = Callable[[Content], None]

# What is done to a place, as text. "o" is the object that it is in, found once for all rules; where there is
# none "o" is an empty mapping, and the place has no value.
_PARENT = """\
    {o} = {parent}.get({leaf!r})
    if {o}.__class__ is not dict: {o} = nothing
"""
_CHANGED = """\
    if (v := {o}.get({leaf!r})) is not None: {o}[{leaf!r}] = {value}
"""
_RENAMED = """\
    if (v := {o}.get({leaf!r})) is not None: {o}[{name!r}] = {o}.pop({leaf!r})
"""
_PAIRED = """\
    if (v := {o}.get({leaf!r})) is not (w := {other}.get({twin_leaf!r})):
        if v is None: put(content, {path}, w)
        elif w is None: put(content, {twin}, v)
"""


def agreement(command: str) -> Rule | None:
    """What changes the content of a command, in place, to the forms that both sources accept."""
    return _rules().get(command)


@functools.cache
def _rules() -> dict[str, Rule]:
    from importlib import resources

    text = resources.files("wosdk_async.catalogue").joinpath("differences.json").read_bytes()
    listed: dict[str, list[dict[str, Any]]] = json.loads(text)["wire_rules"]
    return {command: _Compiler().compiled(command, rules) for command, rules in listed.items()}


class _Compiler:
    """Makes one function of all rules of a command, because every create passes through it."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"put": _put, "nothing": MappingProxyType({})}
        self._objects: dict[tuple[str, ...], str] = {(): "content"}
        self._lines = ["def agree(content):\n"]

    def compiled(self, command: str, rules: Sequence[dict[str, Any]]) -> Rule:
        for rule in rules:
            self._add(rule)
        source = "".join(self._lines)
        exec(compile(source, f"<agreement on {command}>", "exec"), self._names)  # noqa: S102 - text made here
        return self._names["agree"]  # type: ignore[no-any-return]

    def _add(self, rule: dict[str, Any]) -> None:
        path = rule["path"].split(".")
        o, leaf = self._object(path[:-1]), path[-1]
        if "twin" in rule:
            twin = rule["twin"].split(".")
            other = self._object(twin[:-1])
            text = _PAIRED.format(o=o, leaf=leaf, other=other, twin_leaf=twin[-1], path=path, twin=twin)
        elif "rename" in rule:
            text = _RENAMED.format(o=o, leaf=leaf, name=rule["rename"])
        elif "numbers" in rule:
            numbers = f"numbers{len(self._names)}"
            self._names[numbers] = rule["numbers"]
            text = _CHANGED.format(o=o, leaf=leaf, value=f"{numbers}.get(v, v)")
        else:
            text = _CHANGED.format(o=o, leaf=leaf, value="str(v)")
        self._lines.append(text)

    def _object(self, path: Sequence[str]) -> str:
        """The variable that holds the object at ``path``; written when it is first asked for."""
        key = tuple(path)
        if key not in self._objects:
            parent = self._object(path[:-1])
            name = self._objects[key] = f"o{len(self._objects)}"
            self._lines.append(_PARENT.format(o=name, parent=parent, leaf=path[-1]))
        return self._objects[key]


def _put(content: Content, path: Sequence[str], value: Any) -> None:
    """Put ``value`` there; what is no object on the way is sent as it is."""
    *parents, leaf = path
    for name in parents:
        inner = content.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        content = inner
    content[leaf] = value
