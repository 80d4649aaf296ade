"""Plain writers: what ``unstructure`` gives, in one pass, for objects that hold nothing odd.

For each class one function looks at every field that is set and writes it only if its value is of the very
type that the catalogue gives, short enough and finite. Anything else (a text in an enum field, a dict for an
object, unknown fields) is odd, and such an object is checked and written the slow way, which is the
definition. So a program pays for the search for mistakes only where there may be one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import cattrs

from wosdk_async.model import registry
from wosdk_async.model.base import Command, Record, Ref
from wosdk_async.model.lazy import slot_of

__all__ = ["FastWriters"]

Writer = Callable[[Any], dict[str, Any]]

# Type of the catalogue -> what a value v must fulfil, and what is written for it.
RULES = {
    "string": ("{v}.__class__ is str", "{v}"),
    "integer": ("{v}.__class__ is int and -0x80000000 <= {v} <= 0x7fffffff", "{v}"),
    "boolean": ("{v}.__class__ is bool", "{v}"),
    "number": ("{v}.__class__ is Decimal and {v}.is_finite()", "{v}"),
    "datetime-local": ("{v}.__class__ is datetime and {v}.tzinfo is None", "{v}.isoformat()"),
    "datetime-utc": (
        "{v}.__class__ is datetime and {v}.tzinfo is UTC",
        "{v}.replace(tzinfo=None).isoformat() + 'Z'",
    ),
    "enum": ("{v}.__class__ is {of}", "{v}._value_"),
}
OBJECT = ("{v}.__class__ is {of}", "writers[{of}]({v})")

HEAD = """\
def write(record):
    if record.extra: raise Unsupported
    made = {}
"""
# Most fields of a record are None: looked at twice, the others cost less than all would in a variable.
REQUIRED = """\
    if record.{slot} is None: raise Unsupported
"""
FIELD = """\
    if record.{slot} is not None:
        v = record.{slot}
{looked}        if {fits}: made[{wire!r}] = {value}
        else: raise Unsupported
"""
REFERENCE = """\
    if record.{slot} is not None:
        v = record.{slot}
{looked}        if {fits}: made[{wire!r}] = {value}
        elif v.__class__ is Ref and v.id.__class__ is int: made[{wire!r}] = {{'Id': v.id}}
        else: raise Unsupported
"""
LIST = """\
    if record.{slot} is not None:
        v = record.{slot}
{looked}        if v.__class__ is not list: raise Unsupported
        made[{wire!r}] = made_{name} = []
        for i in v:
            if {fits}: made_{name}.append({value})
            else: raise Unsupported
"""
# What was read and not looked at since may still have to be made.
LOOKED = "        if v.__class__ is not {wanted}: v = record.{name}\n"


class Unsupported(Exception):
    """Something that only the slow way can judge."""


class FastWriters(dict[type[Any], Writer]):
    """Class -> its writer, made when the class is first written."""

    def __init__(self, converter: cattrs.BaseConverter) -> None:
        super().__init__()
        self._converter = converter

    def write(self, record: Record) -> dict[str, Any] | None:
        """The JSON object of ``record``; None when something in it is odd."""
        try:
            return self[record.__class__](record)
        except (Unsupported, RecursionError):
            return None

    def __missing__(self, cls: type[Any]) -> Writer:
        ours = getattr(self._converter.get_unstructure_hook(cls), "writes", None) is cls
        self[cls] = self._make(cls) if ours else _odd  # a program's own hook decides what is written
        return self[cls]

    def _make(self, cls: type[Record]) -> Writer:
        names: dict[str, Any] = {
            "writers": self,
            "Unsupported": Unsupported,
            "Ref": type(Ref(0)),
            "UTC": UTC,
            "datetime": datetime,
            "Decimal": Decimal,
        }
        lines = [self._field(cls, name, names) for name in cls.__wire__]
        if issubclass(cls, Command):  # of a command nothing may be left out that is required
            required = [name for name, meta in cls.__wire__.items() if meta.get("required")]
            lines = [REQUIRED.format(slot=slot_of(cls, name)) for name in required] + lines
        source = f"{HEAD}{''.join(lines)}    return made\n"
        exec(compile(source, f"<plain writer of {cls.__name__}>", "exec"), names)  # noqa: S102 - text made above
        return names["write"]  # type: ignore[no-any-return]

    def _field(self, cls: type[Record], name: str, names: dict[str, Any]) -> str:
        meta = cls.__wire__[name]
        kind, of, many = meta["type"], meta.get("of"), meta.get("many")
        fits, value = RULES.get(kind, OBJECT)
        if kind not in RULES or kind == "enum":
            if of is None:
                fits, value = "False", "v"
            else:
                names[of] = registry.resolve(of)
        if limit := meta.get("max_length"):
            fits += f" and len({{v}}) <= {limit}"
        slot = slot_of(cls, name)
        template = LIST if many else REFERENCE if kind == "ref" else FIELD
        v = "i" if many else "v"
        return template.format(
            slot=slot,
            name=name,
            looked=LOOKED.format(wanted="list" if many else of, name=name) if slot != name else "",
            wire=meta["name"],
            fits=fits.format(v=v, of=of),
            value=value.format(v=v, of=of),
        )


def _odd(_: Any) -> dict[str, Any]:
    raise Unsupported
