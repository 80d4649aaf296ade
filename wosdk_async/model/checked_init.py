"""Record constructors that suggest a name for an unknown field.

Records are created often and fields rarely misspelt, so correct names must cost nothing: the constructor
collects unknown names in a ``**`` argument instead of being wrapped. It is generated on its first call, like
the codec's readers, because a program uses few of the classes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, NoReturn

import attrs

from wosdk_async.model.compiled import compile_function
from wosdk_async.model.lazy import raw_slot

__all__ = ["Signature", "install_checked_init"]


def install_checked_init(cls: type[Any]) -> None:
    """Replace a record's constructor if attrs generated it; keep one that a program wrote."""
    init = cls.__dict__.get("__init__")
    if init is None or not init.__code__.co_filename.startswith("<attrs generated"):
        return
    if not all(_is_plain(field) for field in attrs.fields(cls)):
        return

    def generate_and_call(self: Any, *more: Any, **given: Any) -> None:
        _generate_init(cls)  # GIL: perhaps in two threads at once; the constructor is set atomically
        cls.__init__(self, *more, **given)

    generate_and_call.__qualname__ = init.__qualname__
    generate_and_call.generate = functools.partial(_generate_init, cls)  # type: ignore[attr-defined]
    cls.__init__ = generate_and_call


class Signature:
    """Descriptor for ``__signature__``, which ``inspect`` and interactive help show."""

    def __get__(self, _: object, cls: type[Any]) -> Any:
        import inspect

        getattr(cls.__init__, "generate", lambda: None)()  # only before the first call
        shown = inspect.signature(cls.__init__)
        fields = [p.replace(kind=p.KEYWORD_ONLY) for p in shown.parameters.values() if p.default is None]
        return shown.replace(parameters=fields)


def _is_plain(field: attrs.Attribute[Any]) -> bool:
    """Return whether a field is keyword-only, defaults to None and is stored unchanged.

    A program's own classes may have other fields.
    """
    plain = field.converter is None and field.validator is None and field.on_setattr is None
    return plain and field.kw_only and field.init and field.default is None


def _generate_init(cls: type[Any]) -> None:
    names = [field.name for field in attrs.fields(cls)]
    # Keyword-only parameters would be slower: Python looks up each of their defaults in a dict. A record of
    # 60 fields would take 1.9 us, not 1.1 us. A value passed by position goes to ``__`` and is refused.
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
    from wosdk_async.text.suggestions import suggestion

    cls = of.__name__
    if value is not attrs.NOTHING:
        by_id = hasattr(of, "ref") and isinstance(value, int)
        other = f"; a reference by id is {cls}.ref({value})" if by_id else ""
        raise UnknownFieldError(f"{cls} takes its fields by name, {cls}(field=value){other}")
    wrong = (f"{cls} has no field {name!r}{suggestion(name, names) or _held(of, name)}" for name in given)
    raise UnknownFieldError("; ".join(wrong))


def _held(of: type[Any], name: str) -> str:
    """Suggest the command's nested record, such as its work order, that has the field; "" if none has."""
    from wosdk_async.model import registry
    from wosdk_async.model.base import Command

    for holder, meta in of.__wire__.items() if issubclass(of, Command) else ():
        if meta["type"] == "ref" and not meta.get("many") and name in registry.resolve(meta["of"]).__wire__:
            return f"; write {holder}={meta['of']}({name}=...)"
    return ""
