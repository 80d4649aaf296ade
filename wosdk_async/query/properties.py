"""Properties in conditions: what ``fields(WorkOrder)`` and its attributes are; ``fields.pyi`` lists them."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, Never, NoReturn, TypeVar

from wosdk_async.errors import InvalidCallError, UnknownPropertyError
from wosdk_async.query.conditions import Comparison, Condition, Order
from wosdk_async.query.paths import ResolvedPath, find
from wosdk_async.query.values import identifier, text
from wosdk_async.suggestions import suggestion

__all__ = ["Nested", "Path", "Property", "TextProperty", "Unchecked", "at"]

T = TypeVar("T")


class Path:
    """A property path; ``_place`` says where it leads."""

    __slots__ = ("_place",)
    __hash__ = None  # type: ignore[assignment] # == makes a condition, so it is no key

    def __init__(self, place: ResolvedPath) -> None:
        self._place = place

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._where}>"

    @property
    def _where(self) -> str:
        """The path as messages show it: ``WorkOrder.Customer``."""
        place = self._place
        return f"{place.entity}{place.path and '.'}{place.path}"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self._where} is a property, not a value: compare it, == True too, or ask .is_null()"
        )

    if not TYPE_CHECKING:  # checkers find these faults themselves

        def _joined(self, _: Any) -> NoReturn:
            """``f.a == 1 & f.b == 2`` is ``f.a == (1 & f.b) == 2`` in Python."""
            raise InvalidCallError(
                f"{self._where} is no condition: & and | bind more than ==, so put each comparison in"
                " parentheses: (f.a == 1) & (f.b == 2)"
            )

        __and__ = __rand__ = __or__ = __ror__ = _joined

        def __invert__(self) -> NoReturn:
            raise InvalidCallError(f"{self._where} is no condition: compare it, == False too, before ~")

    def is_null(self) -> Condition:
        """Rows that have no value here."""
        return self._compare("Null")

    def not_null(self) -> Condition:
        """Rows that have a value here."""
        return self._compare("NotNull")

    def _compare(self, operator: str, *values: Any) -> Condition:
        place = self._place
        return Comparison(place.entity, place.path, operator, tuple(map(self._text, values)), place.in_list)

    def _text(self, value: Any) -> str:
        if isinstance(value, Path):
            raise InvalidCallError(
                f"{self._where} is compared with {value._where}; the service compares properties with"
                " values only"
            )
        return text(value, self._place)

    def _compare_many(self, operator: str, values: Iterable[Any], more: Iterable[Any]) -> Condition:
        if more:
            shown = f"{'in_' if operator == 'In' else 'not_in'}({reprlib.repr([values, *more])})"
            raise InvalidCallError(f"{self._where}: {operator} takes one list of values, {shown}")
        single = isinstance(values, str | bytes | Path) or not isinstance(values, Iterable)
        given = [] if single else list(values)
        if not given:
            shown = values._where if isinstance(values, Path) else reprlib.repr(values)
            raise InvalidCallError(
                f"{self._where}: {operator} takes a list of at least one value, not {shown}"
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

    def in_(self, values: Iterable[T], *more: Never) -> Condition:
        """Rows whose value is one of ``values``."""
        return self._compare_many("In", values, more)

    def not_in(self, values: Iterable[T], *more: Never) -> Condition:
        """Rows whose value is none of ``values``."""
        return self._compare_many("NotIn", values, more)

    def between(self, low: T, high: T) -> Condition:
        """Rows whose value is from ``low`` to ``high``, both included."""
        return self._compare("Between", low, high)

    def not_between(self, low: T, high: T) -> Condition:
        """Rows whose value is below ``low`` or above ``high``."""
        return self._compare("NotBetween", low, high)

    def asc(self) -> Order:
        """Lowest first."""
        return Order(self._place.entity, self._place.path)

    def desc(self) -> Order:
        """Highest first."""
        return Order(self._place.entity, self._place.path, descending=True)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_"):
                raise AttributeError(name)
            if name in ("like", "not_like"):
                wrong = f"{self._where} holds no text, so it has no {name}(); compare it, or use in_([...])"
            else:
                near = suggestion(name, [each for each in dir(type(self)) if not each.startswith("_")])
                wrong = f"{self._where} is a single value and has no {name!r}{near}"
            raise UnknownPropertyError(wrong)


class Matching(Property[T]):
    """A property that can be compared with a pattern."""

    __slots__ = ()

    def like(self, pattern: str) -> Condition:
        """Rows whose text fits ``pattern``, with the wildcards of SQL: ``%mall%``."""
        return self._compare("Like", pattern)

    def not_like(self, pattern: str) -> Condition:
        """Rows whose text does not fit ``pattern``."""
        return self._compare("NotLike", pattern)


class TextProperty(Matching[str]):
    """A property that holds text."""

    __slots__ = ()


class Unchecked(Matching[Any]):
    """A property that the catalogue does not know, spelt as the service does; nothing is checked."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Unchecked:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unchecked(self._place.by_python(name))

    def __getitem__(self, path: str) -> Unchecked:
        return Unchecked(find(self._place, path))


class Nested(Path):
    """An entity, a reference, a list or an object: its properties are its attributes.

    It is compared by id: with a Ref, a record, or the id itself. A list fits when one of its elements does.
    ``f["Customer.Name"]`` is the same as ``f.customer.name``, by the service's names.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # checkers read the names from fields.pyi, so that a wrong one is an error

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            return at(self._place.by_python(name))

    def __getitem__(self, path: str) -> Any:
        return at(find(self._place, path))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self._place.below.__wire__ if self._place.below else ())]

    def __eq__(self, value: Any) -> Condition:  # type: ignore[override]
        return self._compare("Equal", value)

    def __ne__(self, value: Any) -> Condition:  # type: ignore[override]
        return self._compare("NotEqual", value)

    def in_(self, values: Iterable[Any], *more: Never) -> Condition:
        """Rows that refer to one of ``values``."""
        return self._compare_many("In", values, more)

    def not_in(self, values: Iterable[Any], *more: Never) -> Condition:
        """Rows that refer to none of ``values``."""
        return self._compare_many("NotIn", values, more)

    def _compare(self, operator: str, *values: Any) -> Condition:
        """A comparison of the ``Id``: a reference is no last step of a path (facts 3.4)."""
        place, below = self._place, self._place.below
        if below is None or "id" not in below.__wire__:
            raise InvalidCallError(f"{self._where} has no Id to compare; compare one of its properties")
        if place.kind == "list" and operator in ("Null", "NotNull"):
            raise InvalidCallError(f"{self._where}: no operator of the service asks whether a list is empty")
        ids = tuple(self._text(value) for value in values)
        key = place.by_wire("Id")
        return Comparison(key.entity, key.path, operator, ids, key.in_list)

    def _text(self, value: Any) -> str:
        return identifier(value, self._where, self._place.below.__name__ if self._place.below else None)


def at(place: ResolvedPath) -> Path:
    """The property at ``place``."""
    if not place.checked:
        return Unchecked(place)
    if place.below is not None:
        return Nested(place)
    return TextProperty(place) if place.meta and place.meta["type"] == "string" else Property(place)
