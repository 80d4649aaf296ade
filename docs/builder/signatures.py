"""Griffe extension for mkdocstrings: signatures and docstrings as callers see them.

The source of ``Client`` says ``__init__(self, arguments: ClientArguments)``, and that of an option
``number(32, low=1)``; a caller writes ``Client(region=..., in_flight=32)``. So the parameters come from the
running package, and types and meanings from the attributes that griffe has read.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import attrs
import griffe

PAGES = Path(__file__).parents[1] / "api"
KINDS = {kind: griffe.ParameterKind(kind.description) for kind in type(inspect.Parameter.KEYWORD_ONLY)}
# Labels of the source: callers need nothing of them
LABELS = {"class-attribute", "instance-attribute", "module-attribute"}
_NAME = re.compile(r"^::: wosdk_async\.(\S+)", re.MULTILINE)
_ROLE = re.compile(r":[a-z]+:`(?:~[\w.]+\.)?([^`<]+?)(?: <[^`>]+>)?`")
_PAGE = re.compile(r"``docs/([\w-]+)\.md``")
_EXAMPLE = re.compile(r"^(?P<indent> *)(?P<text>.*)::\n\n(?P<code>(?:(?P=indent) +.*\n?|\n)+)", re.MULTILINE)


def names() -> list[str]:
    """Return the names in ``wosdk_async`` that the API pages show."""
    return [name for page in sorted(PAGES.glob("*.md")) for name in _NAME.findall(page.read_text("utf-8"))]


def markdown(docstring: str) -> str:
    """Return a docstring as Markdown, with examples as Python blocks instead of Sphinx roles."""
    text = _ROLE.sub(lambda role: f"`{role[1]}`", docstring)
    return _EXAMPLE.sub(_fenced, _PAGE.sub(r"[\1](../\1.md)", text))


def _fenced(example: re.Match[str]) -> str:
    before = f"{example['indent']}{example['text']}:\n\n" if example["text"] else ""
    code = indent(f"```python\n{dedent(example['code']).strip()}\n```", example["indent"])
    return f"{before}{code}\n\n"


class Signatures(griffe.Extension):
    """Show attrs classes, and methods that take options, with their real arguments."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object as Markdown."""
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Rewrite the shown signatures after griffe has loaded the package."""
        for each in dict.fromkeys(part for name in names() for part in _parts(_target(pkg[name]))):
            each.labels -= LABELS
            if isinstance(each, griffe.Function):
                _show_call(each)
            elif any(one.callable_path.startswith("attrs.") for one in getattr(each, "decorators", ())):
                _show_constructor(each)


def _target(found: griffe.Object | griffe.Alias) -> Any:
    return found.final_target if isinstance(found, griffe.Alias) else found


def _parts(whole: griffe.Object) -> Iterator[griffe.Object]:
    """Yield an object, the bases of a class, and the members of both."""
    for each in (whole, *(whole.mro() if isinstance(whole, griffe.Class) else ())):
        yield each
        yield from (one for one in each.members.values() if isinstance(one, griffe.Object))


def _show_constructor(cls: griffe.Class) -> None:
    parameters = _parameters(cls)
    for each in parameters:
        if isinstance(attribute := cls.members.get(each.name), griffe.Attribute):
            attribute.value = each.default
    if "__init__" not in cls.members:
        whole = griffe.Parameters(griffe.Parameter("self"), *parameters)
        cls.set_member("__init__", griffe.Function("__init__", parameters=whole))


def _show_call(function: griffe.Function) -> None:
    for decorator in function.decorators:
        if decorator.callable_path.endswith(".takes_options"):
            options = function.resolve(str(decorator.value.arguments[0]))
            _show_options(function, _parameters(_target(function.modules_collection[options])))
            return
    for each in list(function.parameters):
        if each.name.startswith("_") or str(each.annotation) == "Never":
            del function.parameters[each.name]  # it only refuses misspelt names
        each.default = _value(function.module, str(each.default)) or each.default


def _value(module: griffe.Module, default: str) -> str | None:
    """Return the value of a private module constant such as ``_PAGE``."""
    if default.partition(".")[0] not in module.members:
        return None
    value = attrgetter(default)(import_module(module.path))  # only now: it may need an extra
    return repr(value) if type(value) in (str, int, float) else None


def _show_options(function: griffe.Function, options: list[griffe.Parameter]) -> None:
    """Add a method's options to its signature, and their meanings to its docstring."""
    cls, owner = function.parent, next(iter(function.parameters))
    known = set() if function.name == "__init__" else {each.name for each in cls.parameters}
    function.parameters = griffe.Parameters(owner, *options)
    docstring = (cls if function.name == "__init__" else function).docstring
    lines = [
        f"    {each.name}: {' '.join(each.docstring.value.split())}"
        for each in options
        if each.docstring and each.name not in known
    ]
    text, raises, errors = docstring.value.partition("Raises:\n")
    docstring.value = "\n".join([text.rstrip(), "\nArgs:", *lines, "", raises + errors]).rstrip()


def _parameters(cls: griffe.Class) -> list[griffe.Parameter]:
    """Return the parameters of an attrs class: keyword-only ones of the class before those of its bases."""
    classes = [cls, *(each for each in cls.mro() if isinstance(each, griffe.Class))]
    attributes = {name: each for kind in reversed(classes) for name, each in kind.members.items()}
    order = list(dict.fromkeys(name for kind in classes for name in kind.members))
    running = getattr(import_module(cls.module.path), cls.name)
    defaults = {each.alias: each.default for each in attrs.fields(running)}
    found = [each for each in inspect.signature(running).parameters.values() if each.name in attributes]
    found.sort(key=lambda each: order.index(each.name) if each.kind is each.KEYWORD_ONLY else -1)
    return [
        griffe.Parameter(
            each.name,
            annotation=attributes[each.name].annotation,
            kind=KINDS[each.kind],
            default=_shown(defaults[each.name]),
            docstring=attributes[each.name].docstring,
        )
        for each in found
    ]


def _shown(default: Any) -> str | None:
    """Return the source form of a default."""
    if default is attrs.NOTHING:
        return None
    made = default.factory if isinstance(default, attrs.Factory) else type(default)  # type: ignore[arg-type]
    if isinstance(default, attrs.Factory) or attrs.has(made):  # type: ignore[arg-type]
        return f"{made.__name__}()"
    return default.__name__ if inspect.isroutine(default) or inspect.isclass(default) else repr(default)
