"""Sends what works in both where the specification and the recordings of the service differ.

The list of such places is ``wire_rules`` in ``catalogue/differences.json``, each with its sources.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import attrs

__all__ = ["agreed"]


Content = dict[str, Any]
Rule = Callable[[Content], None]


def agreed(command: str, content: Content) -> Content:
    """``content`` of a command, changed in place to the forms that both sources accept."""
    for rule in _rules().get(command, ()):
        rule(content)
    return content


@functools.cache
def _rules() -> dict[str, list[Rule]]:
    """What is done to which command."""
    from importlib import resources

    text = resources.files("wosdk_async.catalogue").joinpath("differences.json").read_bytes()
    return {command: [_rule(**rule) for rule in rules] for command, rules in _listed(text).items()}


def _listed(text: bytes) -> dict[str, list[dict[str, Any]]]:
    listed: dict[str, list[dict[str, Any]]] = json.loads(text)["wire_rules"]
    return listed


def _rule(path: str, **kind: Any) -> Rule:
    place = Place.of(path)
    if "twin" in kind:
        return _paired(place, Place.of(kind["twin"]))
    if "rename" in kind:
        return _renamed(place, kind["rename"])
    numbers = kind.get("numbers")
    return _changed(place, str if numbers is None else lambda value: numbers.get(value, value))


def _paired(place: Place, twin: Place) -> Rule:
    """Let each of two places have the value of the other where it has none."""

    def rule(content: Content) -> None:
        value, other = place.get(content), twin.get(content)
        if value is None and other is not None:
            place.set(content, other)
        elif other is None and value is not None:
            twin.set(content, value)

    return rule


def _renamed(place: Place, name: str) -> Rule:
    def rule(content: Content) -> None:
        if place.get(content) is not None:
            content[name] = content.pop(place.leaf)

    return rule


def _changed(place: Place, change: Callable[[Any], Any]) -> Rule:
    def rule(content: Content) -> None:
        if (value := place.get(content)) is not None:
            place.set(content, change(value))

    return rule


@attrs.frozen
class Place:
    """Where a value is: names of objects, the outermost first, and the name in the last."""

    parents: tuple[str, ...]
    leaf: str

    @classmethod
    def of(cls, path: str) -> Place:
        """Read ``WorkOrder.RequestorContact.Id``."""
        *parents, leaf = path.split(".")
        return cls(tuple(parents), leaf)

    def get(self, content: Any) -> Any:
        """The value there; None when there is none."""
        for name in self.parents:
            if content.__class__ is not dict or (content := content.get(name)) is None:
                return None
        return content.get(self.leaf) if content.__class__ is dict else None

    def set(self, content: Content, value: Any) -> None:
        """Put ``value`` there; what is no object on the way is sent as it is."""
        for name in self.parents:
            inner = content.setdefault(name, {})
            if not isinstance(inner, dict):
                return
            content = inner
        content[self.leaf] = value
