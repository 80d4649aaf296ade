"""Base classes of the model: records, references, commands and their results.

Everything else in this package is written by ``wosdk_async.catalogue.generate``.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar, cast

import attrs
from attrs import define, field

from wosdk_async.model.checked_init import Signature, install_checked_init
from wosdk_async.model.lazy import make_lazy
from wosdk_async.model.metadata import Wire, WireTable, wire
from wosdk_async.model.open_enum import OpenEnum
from wosdk_async.pydantic_hook import PydanticHook
from wosdk_async.text.safe_text import one_line

if TYPE_CHECKING:
    from wosdk_async.model.values import ErrorInfo

__all__ = [
    "Command",
    "CommandResult",
    "OpenEnum",
    "R",
    "Record",
    "Ref",
    "Referable",
]


@define(kw_only=True, eq=False, repr=False)
class Record:
    """Root of every class of the model: all fields are optional, and ``None`` means not sent or null.

    Two records are equal when they are of one class and all their fields are. Records can be changed,
    so they cannot be hashed.
    """

    wire_name: ClassVar[str] = "Record"
    """The service's name of the class."""
    __wire__: ClassVar[dict[str, Wire]] = WireTable()  # type: ignore[assignment]
    """Python name -> what the catalogue says about the field, inherited fields first."""
    __signature__: ClassVar[Any] = Signature()

    extra: dict[str, Any] | None = field(default=None, kw_only=True)
    """What the service sent beyond the documented fields, by wire name; sent back as it came."""
    origin: str | None = field(default=None, kw_only=True)
    """The Company that the record was read from, which alone accepts it; None for one that the program made.
    It is copied and pickled, but neither compared nor shown nor sent."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__wire__ = WireTable()  # type: ignore[assignment]
        if "wire_name" not in cls.__dict__:
            cls.wire_name = cls.__name__
        # Annotations name classes that only type checkers import: attrs and cattrs must not resolve them.
        cls.__attrs_types_resolved__ = cls  # type: ignore[attr-defined]
        make_lazy(cls)
        install_checked_init(cls)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return PydanticHook.record_schema(cls)

    def _values(self) -> Iterator[Any]:
        yield self.extra
        for name in self.__wire__:
            yield getattr(self, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or other.__class__ is not self.__class__:
            return NotImplemented
        pairs = zip(self._values(), other._values(), strict=True)
        return all(mine is their or mine == their for mine, their in pairs)

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        # Most fields are None; attrs would write the names of all of them.
        names = [each.name for each in attrs.fields(type(self))]
        return _empty, (type(self),), {name: v for name in names if (v := getattr(self, name)) is not None}

    def __repr__(self) -> str:
        shown = [
            f"{name}={value!r}"
            for name, meta in self.__wire__.items()
            if (value := getattr(self, name)) is not None and not meta.get("secret")
        ]
        if self.extra:
            # Values of unknown fields are not shown: each may be a secret.
            shown.append(one_line(f"extra=<{', '.join(self.extra)}>"))
        return f"{type(self).__name__}({', '.join(shown)})"


def _empty(cls: type[Record]) -> Record:
    """Return a record without values, to be filled by ``copy`` and ``pickle``."""
    made = object.__new__(cls)
    for each in attrs.fields(cls):
        object.__setattr__(made, each.name, None)  # a program's class may check what is set
    return made


class Referable(Record):
    """Mixin of the entities: what other objects refer to by id."""

    __slots__ = ()

    @classmethod
    def ref(cls, id: int) -> Self:
        """Return a reference to the entity ``id``: an object that carries nothing else.

        Raises InvalidCallError for an id that is not a whole number.
        """
        if id.__class__ is not int:
            require_whole_number(f"{cls.__name__}.ref", id)
        make: Callable[..., Self] = cls
        return make(id=id)


if TYPE_CHECKING:

    def Ref(id: int) -> Any:
        """Refer to an entity by id, accepted by every reference field."""
        # spec 2.1

else:

    @attrs.frozen
    class Ref:
        """A reference to an entity by id, accepted by every reference field."""

        # spec 2.1

        id: int

        def __attrs_post_init__(self) -> None:
            if self.id.__class__ is not int:
                require_whole_number("Ref", self.id)


def require_whole_number(verb: str, id: object) -> None:
    """Raise InvalidCallError, which says what to pass to ``verb``, for an id that is not a whole number."""
    if isinstance(id, int) and not isinstance(id, bool):
        return
    from wosdk_async.errors import InvalidCallError

    held = getattr(id, "id", None)
    if isinstance(id, str) and id.isascii() and id.isdecimal() and len(id) < 20:
        held = int(id)
    remedy = f"pass {verb}({held})" if isinstance(held, int) else "pass the id of the record"
    plain = id is None or isinstance(id, str | float | bool)
    shown = reprlib.repr(id) if plain else f"an object of {type(id).__name__}"
    raise InvalidCallError(f"{verb}() takes a whole number, not {shown}; {remedy}")


@define(kw_only=True, eq=False, repr=False)
class CommandResult(Record):
    """Result of a command; base of all results, and the result of commands whose own is not known."""

    error_info: ErrorInfo | None = field(default=None, metadata=wire("ErrorInfo", "object", "ErrorInfo"))
    """Present when the command fails inside a batch or composite; single calls fail with an HTTP error."""


R = TypeVar("R", bound=CommandResult)
"""The result of a command."""


@define(kw_only=True, eq=False, repr=False)
class Command(Record, Generic[R]):
    """A workflow command; ``R`` is the class of its result."""

    path: ClassVar[str] = ""
    """Path below ``api/v1/cmd/``; empty for a shape that commands share."""
    # spec 4.2
    other_paths: ClassVar[tuple[str, ...]] = ()
    """Other spellings of the path that sources show."""
    host: ClassVar[str | None] = None
    """``locator`` for the command that goes to the regional locator instead of the Company host."""
    repeat: ClassVar[Literal["safe", "unsafe"]] = "unsafe"
    """Whether it is safe to repeat."""
    result_name: ClassVar[str] = "CommandResult"
    """Name of the result's class."""

    @classmethod
    def result_class(cls) -> type[R]:
        """Return the class of the result."""
        from wosdk_async.model import registry

        return cast("type[R]", registry.resolve(cls.result_name))
