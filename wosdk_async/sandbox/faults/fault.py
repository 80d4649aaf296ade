"""Interface of a fault, and validators for its settings whose messages name the value and what fits."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, ClassVar, Protocol

import attrs
from attrs.validators import and_, deep_iterable, ge, in_, instance_of, le, max_len, min_len, not_

from wosdk_async.sandbox.faults.exchange import FaultExchange

__all__ = ["Fault", "flag", "number", "one_of", "positive", "share", "span", "whole"]

_MOST = 10**6  # seconds: the only unit of numbers here

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


class Fault(attrs.AttrsInstance, Protocol):
    """One kind of fault, with its settings."""

    not_for_tokens: ClassVar[str] = ""
    """Why a rule for token requests alone would do nothing; empty if it does something."""

    async def apply(self, exchange: FaultExchange, rng: Random) -> bool:
        """Do it to a request, and return whether the request is finished; if not, it goes on."""


def _setting(wanted: str, *validators: Validator) -> Validator:
    check_all = and_(*validators)

    def check(instance: object, field: attrs.Attribute[Any], value: object) -> None:
        try:
            check_all(instance, field, value)
        except (ValueError, TypeError):
            raise ValueError(f"{field.name} is {value!r}; it must be {wanted}") from None

    return check


def whole(low: int, high: int) -> Validator:
    """Return a validator of whole numbers in a range; a bool is not one."""
    wanted = f"a whole number from {low} to {high}"
    return _setting(wanted, instance_of(int), not_(instance_of(bool)), ge(low), le(high))


def one_of(*words: str) -> Validator:
    """Return a validator of a text that is one of these."""
    return _setting(f"one of {', '.join(words)}", in_(words))


def _up_to(high: float) -> list[Validator]:
    return [instance_of((int, float)), not_(instance_of(bool)), ge(0), le(high)]


def _ascending(_instance: object, _field: attrs.Attribute[Any], value: Any) -> None:
    if value[0] > value[1]:
        raise ValueError


number = _setting(f"a number from 0 to {_MOST}", *_up_to(_MOST))
share = _setting("a number from 0 to 1", *_up_to(1))
positive = whole(1, 10**9)
flag = _setting("true or false", instance_of(bool))
span = _setting(
    "two numbers, the lower one first",
    instance_of((list, tuple)),
    deep_iterable(and_(*_up_to(_MOST))),
    min_len(2),
    max_len(2),
    _ascending,
)
