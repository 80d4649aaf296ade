"""Docstrings of public names, messages and pages do not cite documents that readers lack."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.docs.citations import PAGES
from tests.docs.pages import ROOT, Page, pages
from tests.support.laws import each_of

CHAPTER = re.compile(r"\b(?:facts?|spec)\s+(?:\d|Appendix)", re.IGNORECASE)
CITES = re.compile(
    rf"{CHAPTER.pattern}|\bSources?: (?:spec|doc|wsdl|peer)|\bwsdl\b|\bpeer (?:client|shop)", re.IGNORECASE
)
PUBLIC = (
    "wosdk_async",
    "wosdk_async.protocol.validation",
    "wosdk_async.codec",
    "wosdk_async.errors",
    "wosdk_async.jobs",
    "wosdk_async.model",
    "wosdk_async.sandbox",
    "wosdk_async.settings.environment",
    "wosdk_async.testing",
    "wosdk_async.web.validation",
)


def public(module: ModuleType) -> Iterator[tuple[str, object]]:
    """The exports of a module, and the package's base classes of its classes."""
    yield module.__name__, module
    for name in module.__all__:
        found = getattr(module, name)
        kinds = inspect.getmro(found) if inspect.isclass(found) else (found,)
        for kind in kinds:
            if (getattr(kind, "__module__", None) or "").startswith("wosdk_async"):
                yield f"{kind.__module__}.{getattr(kind, '__qualname__', name)}", kind


def texts(thing: object) -> Iterator[str]:
    """The docstrings of a module, a function, or a class with its public members and attributes."""
    if isinstance(thing, ModuleType):
        yield thing.__doc__ or ""
    elif inspect.isclass(thing) or inspect.isfunction(thing):
        node = _top_level(thing.__module__).get(thing.__qualname__)
        if node is not None:  # what attrs and functools make has no text of its own
            yield from _strings(node)


@cache
def _top_level(module: str) -> dict[str, ast.stmt]:
    """The classes and functions of a module."""
    tree = ast.parse(Path(inspect.getfile(import_module(module))).read_text(encoding="utf-8"))
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return {node.name: node for node in tree.body if isinstance(node, kinds)}


def _strings(node: ast.stmt) -> Iterator[str]:
    """The docstrings in the body of a class, and those of its public functions."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if not node.name.startswith("_") or node.name == "__init__":
            yield ast.get_docstring(node) or ""
    elif isinstance(node, ast.ClassDef):
        for part in node.body:
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                yield str(part.value.value)
            else:
                yield from _strings(part)


def test_no_docstring_points_outside() -> None:
    """Of a public name; comments may."""
    seen = {name: thing for module in PUBLIC for name, thing in public(import_module(module))}
    assert len(seen) > 400
    wrong = [
        f"{name}: {cite[0]}"
        for name, thing in seen.items()
        for text in texts(thing)
        if (cite := CITES.search(text))
    ]
    assert wrong == []


def test_no_message_points_outside() -> None:
    """A text that is not a docstring may be printed."""
    wrong = []
    for path in sorted((ROOT / "wosdk_async").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text if CHAPTER.search(text) else "")
        strings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in strings:
                wrong += [f"{path}:{node.lineno}"] if CHAPTER.search(node.value) else []
    assert wrong == []


@each_of("page", pages(), ids=lambda page: page.path.name)
def test_no_page_points_outside(page: Page) -> None:
    """Pages for developers may: they have what the code cites."""
    if "catalogue" not in page.path.parts and page.path not in (ROOT / "CONTRIBUTING.md", *PAGES):
        assert CITES.findall(page.path.read_text(encoding="utf-8")) == []


class Cites:
    """A thing (facts 3.4)."""

    x = 5
    """Five (spec 2.1)."""

    def y(self) -> None:
        """Do (facts Appendix A)."""

    def _z(self) -> None:
        """Not public (facts 1)."""


def test_a_citation_is_found() -> None:
    """In a class, an attribute and a method."""
    assert [bool(CITES.search(text)) for text in texts(Cites)] == [True, True, True]
