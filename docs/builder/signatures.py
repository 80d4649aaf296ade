"""Extension of griffe for mkdocstrings: signatures and defaults as those who call see them.

The source of ``Client`` says ``__init__(self, arguments: ClientArguments)``, and that of an option
``number(32, low=1)``; a caller writes ``Client(region=..., in_flight=32)``. So parameters come from the
running package, and types and meanings from the attributes that griffe has read.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import attrs
import griffe

from docs.builder.api_pages import names
from docs.builder.markup import shown

__all__ = ["Signatures"]

KINDS = {kind: griffe.ParameterKind(kind.description) for kind in type(inspect.Parameter.KEYWORD_ONLY)}
LABELS = {"class-attribute", "instance-attribute", "module-attribute"}
"""Labels that say how the source is written; callers need nothing of it."""
INTERNAL = (
    "WosdkError.add",
    "WosdkError.hide",
    *(f"Trace.{name}" for name in ("begin", "copy_from", "append", "start_phase", "add_attempt")),
    "jobs.ImportMap.columns_behind",
    *(f"sandbox.Faults.{name}" for name in ("note_response", "earlier_id", "match")),
    *(f"testing.SkippingClock.{name}" for name in ("call_later", "doing", "waiting", "check")),
)
"""What the library calls by itself and a program does not: without its text it is not shown."""


class Signatures(griffe.Extension):
    """Give classes of attrs and methods of ``takes_options`` the arguments that they take."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Change what is public when griffe has read the whole package."""
        for path in INTERNAL:
            _target(pkg[path]).docstring = None
        for name in names():
            found = pkg[name.removeprefix("wosdk_async.")]
            for each in _with_members(_target(found)):
                each.labels -= LABELS
                if isinstance(each, griffe.Class) and any(_of_attrs(one) for one in each.decorators):
                    _show_fields(each)
                if isinstance(each, griffe.Function):
                    _drop_unknown(each)
                    _show_values(each)
                    for decorator in each.decorators:
                        if decorator.callable_path.endswith(".takes_options"):
                            _show_arguments(each, decorator)


def _target(found: griffe.Object | griffe.Alias) -> griffe.Object:
    return found.final_target if isinstance(found, griffe.Alias) else found


def _with_members(whole: griffe.Object) -> Iterator[griffe.Object]:
    """Give a public name, its bases in this package, and their members."""
    bases = whole.mro() if isinstance(whole, griffe.Class) else ()
    for each in (whole, *bases):
        yield each
        yield from (one for one in list(each.members.values()) if isinstance(one, griffe.Object))


def _of_attrs(decorator: griffe.Decorator) -> bool:
    return decorator.callable_path.startswith("attrs.")


def _running(cls: griffe.Class) -> Any:
    found: Any = import_module(cls.module.path)
    for name in cls.path.removeprefix(f"{cls.module.path}.").split("."):
        found = getattr(found, name)
    return found


def _drop_unknown(function: griffe.Function) -> None:
    """Leave out what is there to refuse misspelt names: ``**_unknown``, and what has the type ``Never``."""
    function.parameters = griffe.Parameters(
        *(
            each
            for each in function.parameters
            if not each.name.startswith("_") and str(each.annotation) != "Never"
        )
    )


def _show_values(function: griffe.Function) -> None:
    """Show a default by its value where the source has a constant of its module, such as ``_PAGE``."""
    for each in function.parameters:
        constant, _, attribute = str(each.default).partition(".")
        if constant in function.module.members:  # only then: a module may need an extra to be imported
            value = getattr(import_module(function.module.path), constant)
            value = getattr(value, attribute) if attribute else value
            if type(value) in (str, int, float):
                each.default = repr(value)


def _show_fields(cls: griffe.Class) -> None:
    """Give a class of attrs its constructor, and its attributes their defaults."""
    running = _running(cls)
    for each in attrs.fields(running):
        attribute = cls.members.get(each.name)
        if isinstance(attribute, griffe.Attribute):
            attribute.value = _default(each.default)
    if "__init__" not in cls.members:
        parameters = griffe.Parameters(griffe.Parameter("self"), *_parameters(cls, running))
        cls.set_member("__init__", griffe.Function("__init__", parameters=parameters))


def _show_arguments(function: griffe.Function, decorator: griffe.Decorator) -> None:
    """Put the options that a method takes into its signature, and describe those that its class does not."""
    cls = function.parent
    options = cls.modules_collection[cls.resolve(str(decorator.value.arguments[0]))]
    if isinstance(options, griffe.Alias):
        options = options.final_target
    owner = next(iter(function.parameters))
    parameters = _parameters(options, _running(options))
    function.parameters = griffe.Parameters(owner, *parameters)
    whole = function.name == "__init__"
    constructor = set() if whole else {each.name for each in cls.parameters}
    lines = [
        f"    {each.name}: {' '.join(each.docstring.value.split())}"
        for each in parameters
        if each.docstring and each.name not in constructor
    ]
    docstring = cls.docstring if whole else function.docstring
    if docstring:
        text, raises, errors = docstring.value.partition("Raises:\n")
        docstring.value = "\n".join([text.rstrip(), "\nArgs:", *lines, "", raises + errors]).rstrip()


def _parameters(cls: griffe.Class, running: Any) -> list[griffe.Parameter]:
    """Return the parameters of a class of attrs: of those by name its own first, then those of its bases."""
    classes = [cls, *(each for each in cls.mro() if isinstance(each, griffe.Class))]
    attributes = {name: each for kind in reversed(classes) for name, each in kind.members.items()}
    order = list(dict.fromkeys(name for kind in classes for name in kind.members))
    defaults = {each.alias: each.default for each in attrs.fields(running)}
    by_name = inspect.Parameter.KEYWORD_ONLY
    found = [each for each in inspect.signature(running).parameters.values() if each.name in attributes]
    found.sort(key=lambda each: order.index(each.name) if each.kind is by_name else -1)
    return [
        griffe.Parameter(
            each.name,
            annotation=attributes[each.name].annotation,
            kind=KINDS[each.kind],
            default=_default(defaults[each.name]),
            docstring=attributes[each.name].docstring,
        )
        for each in found
    ]


def _default(given: Any) -> str | None:
    return None if given is attrs.NOTHING else shown(given)
