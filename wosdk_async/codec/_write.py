"""Writers: for each class a function that makes a dict of an object, without what is None.

Refused, with a ``ValueError`` that names class, field and remedy, is what the service would silently
store as something else: bytes in a text, a time with a zone in a local field or without one in a
UTC field, a number that is not finite. Enum fields take members, texts and numbers; reference fields take
objects, :func:`~wosdk_async.model.Ref` and dicts; a value of another type goes out as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import cattrs

from wosdk_async.codec.values import write_enum, write_local, write_number, write_text, write_utc
from wosdk_async.model.base import Record
from wosdk_async.model.metadata import Wire

__all__ = ["make_writer", "write_ref"]

HEAD = """\
def write(record):
    made = {}
"""
FIELD = """\
    if (v := record.{name}) is not None:
        made[{wire!r}] = {expression}
"""
TAIL = """\
    if record.extra:
        for name, value in record.extra.items():
            made.setdefault(name, plain(value))
    return made
"""

# The other types are objects, for which ``plain`` asks the converter.
EXPRESSIONS = {
    "string": "v if v.__class__ is str else write_text(v, {where!r})",
    "integer": "v",
    "boolean": "v",
    "number": "write_number(v, {where!r})",
    "datetime-local": "write_local(v, {where!r})",
    "datetime-utc": "write_utc(v, {where!r})",
    "enum": "write_enum(v)",
}
ATOMS = frozenset({str, int, bool, Decimal, float, type(None)})


def make_writer(cls: type[Record], converter: cattrs.BaseConverter) -> Callable[[Any], dict[str, Any]]:
    """The unstructure hook of ``cls``."""
    plain = _plain(converter)
    names: dict[str, Any] = {
        "plain": plain,
        "plain_list": lambda items: (
            [plain(item) for item in items] if isinstance(items, list) else plain(items)
        ),
        "write_enum": write_enum,
        "write_local": write_local,
        "write_number": write_number,
        "write_text": write_text,
        "write_utc": write_utc,
    }
    lines = [
        FIELD.format(name=name, wire=meta["name"], expression=_expression(meta, f"{cls.__name__}.{name}"))
        for name, meta in cls.__wire__.items()
    ]
    source = f"{HEAD}{''.join(lines)}{TAIL}"
    exec(compile(source, f"<writer of {cls.__name__}>", "exec"), names)  # noqa: S102 - text made above
    names["write"].writes = cls  # tells this writer from a hook of the program's own
    return names["write"]  # type: ignore[no-any-return]


def _expression(meta: Wire, where: str) -> str:
    """The text that writes one field; lists need no more than a look at their elements."""
    if meta.get("many"):
        return "plain_list(v)"
    return EXPRESSIONS.get(meta["type"], "plain(v)").format(where=where)


def _plain(converter: cattrs.BaseConverter) -> Callable[[Any], Any]:
    """Unstructure whatever a user put into a field; numbers and texts need no look-up."""
    unstructure = converter.unstructure

    def plain(value: Any) -> Any:
        return value if value.__class__ in ATOMS else unstructure(value)

    return plain


def write_ref(ref: Any) -> dict[str, Any]:
    """``Ref(512)`` -> ``{"Id": 512}`` (spec 2.1)."""
    return {"Id": ref.id}
