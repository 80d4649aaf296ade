"""Loops over many cases in one test, and how many examples a law is tried with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")

WHOLE = os.environ.get("WOSDK_TEST_WHOLE") == "1"
"""Whether the suite runs in its long form, as ``.ci/full`` does."""
# What `max_examples` of the whole suite means here: the number of examples that a law asks for.
_USUAL = 50
_SHORT = 20

COMMON = {
    "deadline": None,
    # A fixture is not made again between examples: the tests that take one leave it as it was.
    "suppress_health_check": [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
}


def register_profiles() -> None:
    """Register "suite", which repeats the same examples, and "thorough", which looks for new ones."""
    count = _USUAL if WHOLE else _SHORT
    settings.register_profile("suite", max_examples=count, derandomize=True, database=None, **COMMON)
    settings.register_profile("thorough", max_examples=20 * _USUAL, **COMMON)
    settings.load_profile("suite")


def examples(number: int) -> settings:
    """Return settings for ``number`` examples: fewer in the short form, more in a thorough run."""
    return settings(max_examples=max(1, number * settings.default.max_examples // _USUAL))


def some(cases: Iterable[T], every: int) -> list[T]:
    """Return every n-th case; all of them when the suite runs in its long form."""
    return list(cases)[:: 1 if WHOLE else every]


@contextmanager
def case(*names: object) -> Iterator[None]:
    """Name the case of a loop in the error that its checks raise."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the case {', '.join(map(str, names))}")
        raise
