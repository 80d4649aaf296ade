"""The stub that type checkers read agrees with what happens at run time."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from tests.support.laws import case
from wosdk_async import catalogue, model
from wosdk_async.catalogue.generator.names import class_name
from wosdk_async.query import fields as module
from wosdk_async.query.fields import fields
from wosdk_async.query.properties import Nested, resolved

STUB = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
ENTITIES = sorted(
    class_name(entity.name) for entity in catalogue.load().entities.values() if entity.kind == "entity"
)


def stubbed(name: str) -> dict[str, str]:
    """Property -> what the stub says it is, bases included."""
    node = CLASSES.get(name)
    if node is None:
        return {}
    found: dict[str, str] = {}
    for base in node.bases:
        found |= stubbed(ast.unparse(base))
    own = (line for line in node.body if isinstance(line, ast.AnnAssign))
    return found | {ast.unparse(line.target): ast.unparse(line.annotation) for line in own}


def test_every_entity_is_in_the_stub() -> None:
    shown = {
        (ast.unparse(node.args.args[0].annotation or node), ast.unparse(node.returns or node))
        for node in STUB.body
        if isinstance(node, ast.FunctionDef)
    }
    expected = {(f"type[{name}]", f"{name}Fields") for name in ENTITIES}
    assert shown == {*expected, ("type[Record]", "Any"), ("str", "Unchecked")}


def test_every_property_is_what_the_stub_says() -> None:
    for name in ENTITIES:
        with case(name):
            entity: Any = getattr(model, name)
            f, shown = fields(entity), stubbed(f"{name}Fields")
            assert shown.keys() == entity.__wire__.keys()
            assert set(dir(f)) >= shown.keys()
            for python, meta in entity.__wire__.items():
                found = getattr(f, python)
                kind = type(found).__name__
                same = kind if not isinstance(found, Nested) else f"{meta['of']}Fields"
                assert shown[python].startswith(same), python
                assert resolved(f[meta["name"]]) == resolved(found)
