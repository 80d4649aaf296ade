"""The function that makes an object of a twin, written as text and compiled.

All values of a twin are taken out in one step, and most of them go into their slots as they are: a line for
each field would take twice as long, but for twins of a few fields. Those are copied by statements in the
function of the twin that holds them: a call for each would cost more than all that is done in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from wosdk_async.model.base import Record

__all__ = ["HERE", "TIMES", "StructConverter", "deeper"]

HERE = "\0"
"""Ends each variable of the text: stands for which object of the function it is of. No name holds it."""

# What read_local and read_utc do with documented times, without the call. What is no time raises, and all
# times of the object are read by them.
TIMES = {
    "datetime-local": "{x} if {x} is None else v if (v := parse({x})).tzinfo is None else read_local({x})",
    "datetime-utc": "{x} if {x} is None else v if (v := parse({x})).tzinfo is UTC else read_utc({x})",
}
_FEW = 8  # fields that are sooner taken one by one


@attrs.define
class StructConverter:
    """What is copied of a twin, collected field by field."""

    cls: type[Record]
    new: str
    """The name of what makes an empty object."""
    fields: list[tuple[str, Any, Any]] = attrs.field(factory=list)
    """Name, type and default of each field of the Struct."""
    targets: list[str] = attrs.field(factory=list)
    """Where its value goes: into a slot, or a variable that is read by what follows."""
    lines: list[str] = attrs.field(factory=list)
    """What is done after the values were taken out."""
    quick: list[str] = attrs.field(factory=list)
    """The times, read by :data:`TIMES`."""
    slow: list[str] = attrs.field(factory=list)
    """The same, read as in ``_read.py``."""
    sure: bool = True
    """Whether nothing in it can fail."""

    @property
    def small(self) -> bool:
        """Whether it has a few fields only."""
        return len(self.fields) <= _FEW

    def compiled(self, names: dict[str, Any]) -> Callable[[Any], Any]:
        """The function; ``names`` are what its text refers to."""
        source = "\n".join(["def copy(x):", *deeper(self.body("")), "    return made"])
        exec(compile(source, f"<copier of {self.cls.__name__}>", "exec"), names)  # noqa: S102 - text made above
        copy: Callable[[Any], Any] = names["copy"]
        return copy

    def body(self, at: str) -> list[str]:
        """The statements that make ``made{at}`` of ``x{at}``, for the function of this class or another."""
        names = [name for name, _, _ in self.fields]
        if self.small:
            taken = [f"{target} = x{HERE}.{name}" for target, name in zip(self.targets, names, strict=True)]
        else:
            taken = [f"{', '.join(self.targets)} = astuple(x{HERE})"]
        lines = [f"made{HERE} = {self.new}()", *taken, *self.lines]
        if self.quick:
            lines += ["try:", *deeper(self.quick), "except (TypeError, ValueError):", *deeper(self.slow)]
        return [line.replace(HERE, at) for line in lines]


def deeper(lines: list[str]) -> list[str]:
    """``lines`` as a block of the line before them."""
    return [f"    {line}" for line in lines]
