"""Sends what works in both where the specification and the recordings of the service differ.

The list of such places is ``wire_rules`` in ``catalogue/differences.json``, each with its sources.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["agreed"]


@functools.cache
def _rules() -> Mapping[str, Iterable[Mapping[str, Any]]]:
    from importlib import resources

    text = resources.files("wosdk_async.catalogue").joinpath("differences.json").read_bytes()
    rules: Mapping[str, Iterable[Mapping[str, Any]]] = json.loads(text)["wire_rules"]
    return rules


def agreed(command: str, content: dict[str, Any]) -> dict[str, Any]:
    """``content`` of a command, changed in place to the forms that both sources accept."""
    for rule in _rules().get(command, ()):
        path, value = rule["path"], _get(content, rule["path"])
        if "twin" in rule:
            _pair(content, path, rule["twin"])
        elif "rename" in rule and value is not None:
            content[rule["rename"]] = content.pop(path)
        elif value is not None:
            _set(content, path, rule["numbers"].get(value, value) if "numbers" in rule else str(value))
    return content


def _pair(content: dict[str, Any], path: str, twin: str) -> None:
    """Let each of two places have the value of the other where it has none."""
    value, other = _get(content, path), _get(content, twin)
    if value is None and other is not None:
        _set(content, path, other)
    elif other is None and value is not None:
        _set(content, twin, value)


def _get(content: Any, path: str) -> Any:
    for name in path.split("."):
        content = content.get(name) if isinstance(content, dict) else None
    return content


def _set(content: dict[str, Any], path: str, value: Any) -> None:
    *parents, leaf = path.split(".")
    for name in parents:
        inner = content.setdefault(name, {})
        if not isinstance(inner, dict):
            return  # not the documented shape: sent as it is
        content = inner
    content[leaf] = value
