"""Forms of commands that work where the specification and the recordings of the service differ.

The list of such places is ``wire_rules`` in ``catalogue/differences.json``, each with its sources.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

__all__ = ["adapter"]

Content = dict[str, Any]
Rule = Callable[[Content], None]

# Source of the change of one place. "o" is the object that the place is in, found once for all rules. If the
# object is missing, "o" is an empty mapping, so the place has no value.
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


def adapter(command: str) -> Rule | None:
    """Return the function that changes the content of a command, in place, to forms that both sources accept.

    None when the sources agree on the command.
    """
    return _rules().get(command)


@functools.cache
def _rules() -> dict[str, Rule]:
    from importlib import resources

    text = resources.files("wosdk_async.catalogue").joinpath("differences.json").read_bytes()
    listed: dict[str, list[dict[str, Any]]] = json.loads(text)["wire_rules"]
    return {command: _Compiler().compiled(command, rules) for command, rules in listed.items()}


class _Compiler:
    """Compiler of all rules of a command into one function: every create passes through it."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"put": _put, "nothing": MappingProxyType({})}
        self._objects: dict[tuple[str, ...], str] = {(): "content"}
        self._lines = ["def adapt(content):\n"]

    def compiled(self, command: str, rules: Sequence[dict[str, Any]]) -> Rule:
        for rule in rules:
            self._add(rule)
        source = "".join(self._lines)
        exec(compile(source, f"<wire rules of {command}>", "exec"), self._names)  # noqa: S102 - text made here
        return self._names["adapt"]  # type: ignore[no-any-return]

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
        """Return the variable that holds the object at ``path``, and write its line when it is new."""
        key = tuple(path)
        if key not in self._objects:
            parent = self._object(path[:-1])
            name = self._objects[key] = f"o{len(self._objects)}"
            self._lines.append(_PARENT.format(o=name, parent=parent, leaf=path[-1]))
        return self._objects[key]


def _put(content: Content, path: Sequence[str], value: Any) -> None:
    """Put ``value`` at ``path``; if a value on the way is not an object, nothing is changed."""
    *parents, leaf = path
    for name in parents:
        inner = content.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        content = inner
    content[leaf] = value
