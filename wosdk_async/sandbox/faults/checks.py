"""Checks of the settings of a fault script: each error names the value and what fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

__all__ = ["flag", "is_span", "number", "one_of", "positive", "share", "whole"]

_MOST = 10**6  # seconds: all that is counted in numbers here

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def _check(fits: Callable[[Any], bool], wanted: str) -> Validator:
    def check(_: object, field: attrs.Attribute[Any], value: object) -> None:
        if not fits(value):
            raise ValueError(f"{field.name} is {value!r}; it must be {wanted}")

    return check


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST


def is_span(value: object) -> bool:
    """Whether it is two numbers, the lower one first."""
    return (
        isinstance(value, Sequence)
        and len(value) == 2
        and all(map(_is_number, value))
        and value[0] <= value[1]
    )


def whole(low: int, high: int) -> Validator:
    def fits(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return _check(fits, f"a whole number from {low} to {high}")


def one_of(*words: str) -> Validator:
    return _check(words.__contains__, f"one of {', '.join(words)}")


number = _check(_is_number, f"a number from 0 to {_MOST}")
share = _check(lambda value: _is_number(value) and value <= 1, "a number from 0 to 1")
positive = whole(1, 10**9)
flag = _check(lambda value: isinstance(value, bool), "true or false")
