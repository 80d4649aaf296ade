"""Constructors of the model that say what is near when a field does not exist.

A record is made often and misspelt rarely, so the check may cost the good case nothing: the constructor
takes unknown names as one more ``**`` argument, instead of a wrapper or metaclass around it. It is
written at the first call, as the readers of the codec are, because a program uses few of the classes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, NoReturn

import attrs

from wosdk_async.model.compiled import compile_function
from wosdk_async.model.lazy import raw_slot

__all__ = ["Signature", "say_what_is_near"]


def say_what_is_near(cls: type[Any]) -> None:
    """Replace the constructor that attrs wrote for a record, and only that, by one with better messages."""
    init = cls.__dict__.get("__init__")
    if init is None or not init.__code__.co_filename.startswith("<attrs generated"):
        return
    if not all(_is_plain(field) for field in attrs.fields(cls)):
        return

    def first(self: Any, *more: Any, **given: Any) -> None:
        _install(cls)
        cls.__init__(self, *more, **given)

    first.__qualname__ = init.__qualname__
    first.install = functools.partial(_install, cls)  # type: ignore[attr-defined]
    cls.__init__ = first


class Signature:
    """``__signature__`` of a class: what ``inspect`` and interactive help show of its constructor."""

    def __get__(self, _: object, cls: type[Any]) -> Any:
        import inspect

        getattr(cls.__init__, "install", lambda: None)()
        shown = inspect.signature(cls.__init__)
        fields = [p.replace(kind=p.KEYWORD_ONLY) for p in shown.parameters.values() if p.default is None]
        return shown.replace(parameters=fields)


def _is_plain(field: attrs.Attribute[Any]) -> bool:
    """Whether the field is a keyword that is stored as it comes: a program's own class may have others."""
    plain = field.converter is None and field.validator is None and field.on_setattr is None
    return plain and field.kw_only and field.init and field.default is None


def _install(cls: type[Any]) -> None:
    names = [field.name for field in attrs.fields(cls)]
    # The names could be keyword-only, but Python looks up each default of those in a dict: a record of 60
    # fields takes 1.9 us then, and 1.1 us like this. A value given by position lands in the first argument.
    source = (
        f"def __init__(self, __=NOTHING, {', '.join(f'{name}=None' for name in names)}, *_, **unknown):\n"
        f"    if __ is not NOTHING or unknown:\n        refuse(__, unknown)\n"
        + "".join(f"    self.{raw_slot(cls, name)} = {name}\n" for name in names)
    )
    names_used = {"refuse": functools.partial(_refuse, cls, names), "NOTHING": attrs.NOTHING}
    constructor = compile_function("__init__", source, f"constructor of {cls.__name__}", names_used)
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    constructor.__module__ = cls.__module__
    cls.__init__ = constructor


def _refuse(of: type[Any], names: Iterable[str], value: object, given: Iterable[str]) -> NoReturn:
    from wosdk_async.errors import UnknownFieldError
    from wosdk_async.suggestions import suggestion

    cls = of.__name__
    if value is not attrs.NOTHING:
        by_id = hasattr(of, "ref") and isinstance(value, int)
        other = f"; a reference by id is {cls}.ref({value})" if by_id else ""
        raise UnknownFieldError(f"{cls} takes its fields by name, {cls}(field=value){other}")
    wrong = "; ".join(f"{cls} has no field {name!r}{suggestion(name, names)}" for name in given)
    raise UnknownFieldError(wrong)
