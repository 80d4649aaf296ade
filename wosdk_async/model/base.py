"""Base classes of the generated model: records, references, commands and their results."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NoReturn, Self, TypeVar, cast

import attrs
from attrs import define, field

from wosdk_async.model.compiled import compile_function
from wosdk_async.model.lazy import make_lazy, raw_slot
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


class _Signature:
    """Descriptor for ``__signature__``, which ``inspect`` and interactive help show."""

    def __get__(self, _: object, cls: type[Any]) -> Any:
        import inspect

        getattr(cls.__init__, "generate", lambda: None)()  # only before the first call
        shown = inspect.signature(cls.__init__)
        fields = [p.replace(kind=p.KEYWORD_ONLY) for p in shown.parameters.values() if p.default is None]
        return shown.replace(parameters=fields)


@define(kw_only=True, eq=False, repr=False)
class Record:
    """Base class of all model classes. All fields are optional; ``None`` means missing or null.

    Records are equal if their classes, fields and ``extra`` are equal. They are mutable, so they are not
    hashable.
    """

    wire_name: ClassVar[str] = "Record"
    """The service's name for the class."""
    __wire__: ClassVar[dict[str, Wire]] = WireTable()  # type: ignore[assignment]
    """Python name -> field metadata from the catalogue, inherited fields first."""
    __signature__: ClassVar[Any] = _Signature()

    extra: dict[str, Any] | None = field(default=None, kw_only=True)
    """Undocumented fields that the service sent, by wire name; sent back unchanged."""
    origin: str | None = field(default=None, kw_only=True)
    """Company that the record was read from; the record may be sent only to this Company. None for a record
    created by the program. Copied and pickled, but not compared, shown or sent."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__wire__ = WireTable()  # type: ignore[assignment]
        if "wire_name" not in cls.__dict__:
            cls.wire_name = cls.__name__
        # Annotations name classes that only type checkers import: attrs and cattrs must not resolve them.
        cls.__attrs_types_resolved__ = cls  # type: ignore[attr-defined]
        make_lazy(cls)
        _install_checked_init(cls)

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
        # attrs would write the names of all fields, but most are None.
        names = [each.name for each in attrs.fields(type(self))]
        return _empty, (type(self),), {name: v for name in names if (v := getattr(self, name)) is not None}

    def __repr__(self) -> str:
        shown = [
            f"{name}={value!r}"
            for name, meta in self.__wire__.items()
            # None if the constructor failed: a traceback may show this object
            if (value := getattr(self, name, None)) is not None and not meta.get("secret")
        ]
        if extra := getattr(self, "extra", None):
            # Show only the names of unknown fields: any value may be a secret.
            shown.append(one_line(f"extra=<{', '.join(extra)}>"))
        return f"{type(self).__name__}({', '.join(shown)})"


def _empty(cls: type[Record]) -> Record:
    """Return an empty record, which ``copy`` or ``pickle`` then fills."""
    made = object.__new__(cls)
    for each in attrs.fields(cls):
        object.__setattr__(made, each.name, None)  # a program's subclass may validate assignments
    return made


# --- constructors that suggest a name for an unknown field ------------------------------------------

# Records are created often and fields rarely misspelt, so correct names must cost nothing: the constructor
# collects unknown names in a ``**`` argument instead of being wrapped. It is generated on its first call,
# like the codec's readers, because a program uses few of the classes.


def _install_checked_init(cls: type[Any]) -> None:
    """Replace a record's constructor if attrs generated it; keep a handwritten one."""
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
    """Suggest the command's nested record that has the field; "" if there is none."""
    from wosdk_async.model import registry

    for holder, meta in of.__wire__.items() if issubclass(of, Command) else ():
        if meta["type"] == "ref" and not meta.get("many") and name in registry.resolve(meta["of"]).__wire__:
            return f"; write {holder}={meta['of']}({name}=...)"
    return ""


# --- entities, commands and results ----------------------------------------------------------------


class Referable(Record):
    """Base class of entities, to which other objects can refer by id."""

    __slots__ = ()

    @classmethod
    def ref(cls, id: int) -> Self:
        """Return a reference to an entity: an object with only the ``id``.

        Raises InvalidCallError if ``id`` is not an integer.
        """
        if id.__class__ is not int:
            require_whole_number(f"{cls.__name__}.ref", id)
        make: Callable[..., Self] = cls
        return make(id=id)


if TYPE_CHECKING:

    def Ref(id: int) -> Any:
        """Return a reference to an entity by id, accepted by every reference field."""
        # spec 2.1

else:

    @attrs.frozen
    class Ref:
        """Reference to an entity by id, accepted by every reference field."""

        # spec 2.1

        id: int

        def __attrs_post_init__(self) -> None:
            if self.id.__class__ is not int:
                require_whole_number("Ref", self.id)


def require_whole_number(verb: str, id: object) -> None:
    """Raise InvalidCallError if ``id`` is not an integer, and say what to pass to the function ``verb``."""
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
    """Base class of command results, and the result of commands without a known result class."""

    error_info: ErrorInfo | None = field(default=None, metadata=wire("ErrorInfo", "object", "ErrorInfo"))
    """Present when the command fails inside a batch or composite; single calls fail with an HTTP error."""


R = TypeVar("R", bound=CommandResult)
"""Result class of a command."""


@define(kw_only=True, eq=False, repr=False)
class Command(Record, Generic[R]):
    """Workflow command; ``R`` is its result class."""

    path: ClassVar[str] = ""
    """Path below ``api/v1/cmd/``; empty for a shared base class."""
    # spec 4.2
    other_paths: ClassVar[tuple[str, ...]] = ()
    """Other paths that the sources give for the command."""
    host: ClassVar[str | None] = None
    """``locator`` if the command goes to the regional locator; None if it goes to the Company host."""
    repeat: ClassVar[Literal["safe", "unsafe"]] = "unsafe"
    """Whether the command is safe to repeat."""
    result_name: ClassVar[str] = "CommandResult"
    """Name of the result class."""

    @classmethod
    def result_class(cls) -> type[R]:
        """Return the result class."""
        from wosdk_async.model import registry

        return cast("type[R]", registry.resolve(cls.result_name))
