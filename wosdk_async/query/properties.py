"""Classes of the objects that ``fields(WorkOrder)`` and its attributes return, and their operators."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from wosdk_async.errors import InvalidCallError, UnknownPropertyError
from wosdk_async.query.paths import ResolvedPath, find, identifier, text
from wosdk_async.query.plan import Comparison, Condition, Order

__all__ = [
    "FOR_REFERENCES",
    "Nested",
    "Path",
    "PatternProperty",
    "Property",
    "TextProperty",
    "Unchecked",
    "compared",
    "property_at",
    "resolved",
]

T = TypeVar("T")


class Path:
    """A property path, as a program writes it."""

    __slots__ = ("_path",)
    __hash__ = None  # type: ignore[assignment] # == makes a condition, so it cannot be a key

    def __init__(self, path: ResolvedPath) -> None:
        self._path = path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path}>"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self._path} is a property, not a value: compare it (booleans with == True), or use .is_null()"
        )

    if not TYPE_CHECKING:  # checkers find these faults themselves

        def _refuse_and_or(self, _: Any) -> NoReturn:
            """Raise the error for ``f.a == 1 & f.b == 2``, since Python reads ``f.a == (1 & f.b) == 2``."""
            raise InvalidCallError(
                f"{self._path} is not a condition: & and | bind tighter than ==, so put each comparison in"
                " parentheses: (f.a == 1) & (f.b == 2)"
            )

        __and__ = __rand__ = __or__ = __ror__ = _refuse_and_or

        def __invert__(self) -> NoReturn:
            raise InvalidCallError(
                f"{self._path} is not a condition: compare it (booleans with == True) before ~"
            )

    def is_null(self) -> Condition:
        """Match records in which this property has no value."""
        return self._compare("Null")

    def not_null(self) -> Condition:
        """Match records in which this property has a value."""
        return self._compare("NotNull")

    def _compare(self, operator: str, *values: Any) -> Condition:
        path = self._path
        return Comparison(path.entity, path.path, operator, tuple(map(self._text, values)), path.in_list)

    def _text(self, value: Any) -> str:
        if isinstance(value, Path):
            raise InvalidCallError(
                f"{self._path} is compared with {value._path}; the service compares properties with"
                " values only"
            )
        return text(value, self._path)

    def _compare_many(self, operator: str, values: Iterable[Any]) -> Condition:
        single = isinstance(values, str | bytes | Path) or not isinstance(values, Iterable)
        given = [] if single else list(values)
        if not given:
            shown = str(values._path) if isinstance(values, Path) else reprlib.repr(values)
            raise InvalidCallError(
                f"{self._path}: {operator} takes a list of at least one value, not {shown}"
            )
        return self._compare(operator, *given)


class Property(Path, Generic[T]):
    """A property with a single value, which can be compared with values of type ``T``."""

    __slots__ = ()

    def __eq__(self, value: T) -> Condition:  # type: ignore[override]
        return self._compare("Equal", value)

    def __ne__(self, value: T) -> Condition:  # type: ignore[override]
        return self._compare("NotEqual", value)

    def __gt__(self, value: T) -> Condition:
        return self._compare("GreaterThan", value)

    def __ge__(self, value: T) -> Condition:
        return self._compare("GreaterOrEqual", value)

    def __lt__(self, value: T) -> Condition:
        return self._compare("LessThan", value)

    def __le__(self, value: T) -> Condition:
        return self._compare("LessOrEqual", value)

    def in_(self, values: Iterable[T]) -> Condition:
        """Match records whose value is one of ``values``."""
        return self._compare_many("In", values)

    def not_in(self, values: Iterable[T]) -> Condition:
        """Match records whose value is none of ``values``."""
        return self._compare_many("NotIn", values)

    def between(self, low: T, high: T) -> Condition:
        """Match records whose value is from ``low`` to ``high``, both included."""
        return self._compare("Between", low, high)

    def not_between(self, low: T, high: T) -> Condition:
        """Match records whose value is below ``low`` or above ``high``."""
        return self._compare("NotBetween", low, high)

    def asc(self) -> Order:
        """Order by this property, lowest first."""
        return Order(self._path.entity, self._path.path)

    def desc(self) -> Order:
        """Order by this property, highest first."""
        return Order(self._path.entity, self._path.path, descending=True)


class PatternProperty(Property[T]):
    """A property that can be compared with a pattern."""

    __slots__ = ()

    def like(self, pattern: str) -> Condition:
        """Match records whose text fits ``pattern``, with the wildcards of SQL: ``%mall%``."""
        return self._compare("Like", pattern)

    def not_like(self, pattern: str) -> Condition:
        """Match records whose text does not fit ``pattern``."""
        return self._compare("NotLike", pattern)


class TextProperty(PatternProperty[str]):
    """A property that holds text."""

    __slots__ = ()


class Unchecked(PatternProperty[Any]):
    """A property that the catalogue does not know; its name is sent as it is written, without a check."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Unchecked:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unchecked(self._path.by_python(name))

    def __getitem__(self, path: str) -> Unchecked:
        return Unchecked(find(self._path, path))


class Nested(Path):
    """An entity, a reference, a list or an object, with its properties as attributes.

    It is compared by id: with a Ref, a record, or the id itself. A list matches if one of its elements does.
    ``f["Customer.Name"]`` is ``f.customer.name`` with the names that the service uses.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # for checkers every name would be right; they read fields.pyi

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            return property_at(self._path.by_python(name))

    def __getitem__(self, path: str) -> Any:
        return property_at(find(self._path, path))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self._path.below.__wire__ if self._path.below else ())]

    def __eq__(self, value: Any) -> Condition:  # type: ignore[override]
        return self._compare("Equal", value)

    def __ne__(self, value: Any) -> Condition:  # type: ignore[override]
        return self._compare("NotEqual", value)

    def in_(self, values: Iterable[Any]) -> Condition:
        """Match records that refer to one of ``values``."""
        return self._compare_many("In", values)

    def not_in(self, values: Iterable[Any]) -> Condition:
        """Match records that refer to none of ``values``."""
        return self._compare_many("NotIn", values)

    def _compare(self, operator: str, *values: Any) -> Condition:
        """Compare the ``Id``: a path cannot end in a reference (facts 3.4)."""
        path, below = self._path, self._path.below
        if below is None or "id" not in below.__wire__:
            raise InvalidCallError(f"{self._path} has no Id to compare; compare one of its properties")
        if path.kind == "list" and operator in ("Null", "NotNull"):
            raise InvalidCallError(f"{self._path}: the service has no operator for empty lists")
        ids = tuple(self._text(value) for value in values)
        key = path.by_wire("Id")
        return Comparison(key.entity, key.path, operator, ids, key.in_list)

    def _text(self, value: Any) -> str:
        return identifier(value, str(self._path), self._path.below.__name__ if self._path.below else None)


def property_at(path: ResolvedPath) -> Path:
    """Return the property at the end of ``path``, as an object of the class that fits its type."""
    if not path.checked:
        return Unchecked(path)
    if path.below is not None:
        return Nested(path)
    return TextProperty(path) if path.meta and path.meta["type"] == "string" else Property(path)


def resolved(property: Path) -> ResolvedPath:
    """Return the path of a property.

    It is a function because the name of a method could hide a field of the model.
    """
    return property._path


# --- operators, as people and agents spell them: one table for the command line and MCP ---------------

_METHODS: dict[str, str] = {
    "=": "__eq__",
    "!=": "__ne__",
    ">": "__gt__",
    ">=": "__ge__",
    "<": "__lt__",
    "<=": "__le__",
    "like": "like",
    "not like": "not_like",
    "in": "in_",
    "not in": "not_in",
    "between": "between",
    "not between": "not_between",
    "is null": "is_null",
    "is not null": "not_null",
}
"""Operator -> method of a property that makes the condition."""

FOR_REFERENCES = ("=", "!=", "in", "not in", "is null", "is not null")
"""Those that compare a reference, which has an id and no order."""


def compared(field: Path, operator: str, values: Sequence[Any]) -> Condition:
    """Return the condition that compares a property with values: one, two of a range, or those of a list.

    Raises UnknownPropertyError for a pattern where the property holds no text.
    """
    if "like" in operator and not isinstance(field, PatternProperty):
        path = resolved(field)
        raise UnknownPropertyError(f"{path} holds no text, so it has no {operator}; compare it, or use in")
    compare: Callable[..., Condition] = getattr(field, _METHODS[operator])
    return compare(values) if operator in ("in", "not in") else compare(*values)
