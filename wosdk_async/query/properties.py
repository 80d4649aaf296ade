"""Classes of ``fields(WorkOrder)`` and its attributes, with their operators."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from wosdk_async.errors import InvalidCallError, UnknownPropertyError
from wosdk_async.query.paths import ResolvedPath, find, identifier, text
from wosdk_async.query.plan import Comparison, Condition, Order

T = TypeVar("T")


class Path:
    """Property path in a Python expression."""

    __slots__ = ("_path",)
    __hash__ = None  # type: ignore[assignment] # == makes a condition, so a Path cannot be a key

    def __init__(self, path: ResolvedPath) -> None:
        self._path = path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path}>"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self._path} is a property, not a value: compare it (booleans with == True), or use .is_null()"
        )

    if not TYPE_CHECKING:  # without these methods, type checkers report the mistakes

        def _refuse_and_or(self, _: Any) -> NoReturn:
            """Refuse ``f.a == 1 & f.b == 2``, which Python parses as ``f.a == (1 & f.b) == 2``."""
            raise InvalidCallError(
                f"{self._path} is not a condition: & and | bind tighter than ==, so put each comparison in"
                " parentheses: (f.a == 1) & (f.b == 2)"
            )

        __and__ = __rand__ = __or__ = __ror__ = _refuse_and_or

        def __invert__(self) -> NoReturn:
            raise InvalidCallError(
                f"{self._path} is not a condition: compare it (booleans with == True) before negating it"
            )

    def is_null(self) -> Condition:
        """Match records without a value for this property."""
        return self._compare("Null")

    def not_null(self) -> Condition:
        """Match records with a value for this property."""
        return self._compare("NotNull")

    def _compare(self, operator: str, *values: Any) -> Condition:
        path = self._path
        return Comparison(path.entity, path.path, operator, tuple(map(self._text, values)), path.in_list)

    def _text(self, value: Any) -> str:
        if isinstance(value, Path):
            raise InvalidCallError(
                f"{self._path} is compared with {value._path}; the service compares properties only with"
                f" values"
            )
        return text(value, self._path)

    def _compare_many(self, operator: str, values: Iterable[Any]) -> Condition:
        is_single = isinstance(values, str | bytes | Path) or not isinstance(values, Iterable)
        given = [] if is_single else list(values)
        if not given:
            shown = str(values._path) if isinstance(values, Path) else reprlib.repr(values)
            raise InvalidCallError(
                f"{self._path}: {operator} takes a list of at least one value, not {shown}"
            )
        return self._compare(operator, *given)


class Comparable(Path, Generic[T]):
    """Property or reference that can be tested for equality with values of type ``T``."""

    __slots__ = ()

    def __eq__(self, value: T) -> Condition:  # type: ignore[override]
        return self._compare("Equal", value)

    def __ne__(self, value: T) -> Condition:  # type: ignore[override]
        return self._compare("NotEqual", value)

    def in_(self, values: Iterable[T]) -> Condition:
        """Match records whose value, or reference, is one of ``values``."""
        return self._compare_many("In", values)

    def not_in(self, values: Iterable[T]) -> Condition:
        """Match records whose value, or reference, is none of ``values``."""
        return self._compare_many("NotIn", values)


class Property(Comparable[T]):
    """Property with a single value, comparable with values of type ``T``."""

    __slots__ = ()

    def __gt__(self, value: T) -> Condition:
        return self._compare("GreaterThan", value)

    def __ge__(self, value: T) -> Condition:
        return self._compare("GreaterOrEqual", value)

    def __lt__(self, value: T) -> Condition:
        return self._compare("LessThan", value)

    def __le__(self, value: T) -> Condition:
        return self._compare("LessOrEqual", value)

    def between(self, low: T, high: T) -> Condition:
        """Match records with a value between ``low`` and ``high``, inclusive."""
        return self._compare("Between", low, high)

    def not_between(self, low: T, high: T) -> Condition:
        """Match records with a value below ``low`` or above ``high``."""
        return self._compare("NotBetween", low, high)

    def asc(self) -> Order:
        """Order by this property, lowest first."""
        return Order(self._path.entity, self._path.path)

    def desc(self) -> Order:
        """Order by this property, highest first."""
        return Order(self._path.entity, self._path.path, descending=True)


class PatternProperty(Property[T]):
    """Property that can be matched against a pattern."""

    __slots__ = ()

    def like(self, pattern: str) -> Condition:
        """Match records whose text matches ``pattern``, with SQL wildcards: ``%mall%``."""
        return self._compare("Like", pattern)

    def not_like(self, pattern: str) -> Condition:
        """Match records whose text does not match ``pattern``."""
        return self._compare("NotLike", pattern)


class TextProperty(PatternProperty[str]):
    """Text property."""

    __slots__ = ()


class Unchecked(PatternProperty[Any]):
    """Property that the catalogue lacks; its name is sent unchecked and unchanged."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Unchecked:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unchecked(self._path.by_python(name))

    def __getitem__(self, path: str) -> Unchecked:
        return Unchecked(find(self._path, path))


class Nested(Comparable[Any]):
    """Entity, reference, list or object, with its properties as attributes.

    Comparisons use the id, given as a Ref, a record or the id itself. A list matches if any of its elements
    does. ``f["Customer.Name"]`` is ``f.customer.name`` in the service's spelling.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers read fields.pyi; with this method, they would accept every name

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            return property_at(self._path.by_python(name))

    def __getitem__(self, path: str) -> Any:
        return property_at(find(self._path, path))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self._path.below.__wire__ if self._path.below else ())]

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
        below = self._path.below
        return str(identifier(value, str(self._path), below.__name__ if below else None))


def property_at(path: ResolvedPath) -> Path:
    """Return the property at the end of ``path``, as an instance of the class for its type."""
    if not path.checked:
        return Unchecked(path)
    if path.below is not None:
        return Nested(path)
    return TextProperty(path) if path.meta and path.meta["type"] == "string" else Property(path)


def resolved(property: Path) -> ResolvedPath:
    """Return a property's path.

    This is not a method, because a method's name could shadow a field of the model.
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
"""Operator -> property method that builds the condition."""

FOR_REFERENCES = ("=", "!=", "in", "not in", "is null", "is not null")
"""Operators for references, which have an id but no order."""


def compared(field: Path, operator: str, values: Sequence[Any]) -> Condition:
    """Return a property's comparison. Raises UnknownPropertyError for a pattern on anything but text."""
    if "like" in operator and not isinstance(field, PatternProperty):
        path = resolved(field)
        raise UnknownPropertyError(
            f"{path} is not text and does not support {operator}; use a comparison or 'in'"
        )
    compare: Callable[..., Condition] = getattr(field, _METHODS[operator])
    return compare(values) if operator in ("in", "not in") else compare(*values)
