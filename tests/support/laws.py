"""Loops over many cases in one test, and the number of examples per law."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")

WHOLE = os.environ.get("WOSDK_TEST_WHOLE") == "1"
"""Whether the suite runs in its long form, as in ``.ci/full``."""
# The meaning of the suite's `max_examples` here: the number of examples that a law requests.
_USUAL = 50
_SHORT = 20

COMMON = {
    "deadline": None,
    # Fixtures are not recreated between examples: tests with one leave it unchanged.
    "suppress_health_check": [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
}


def register_profiles() -> None:
    """Register "suite", which repeats the same examples, and "thorough", which searches for new ones."""
    count = _USUAL if WHOLE else _SHORT
    settings.register_profile("suite", max_examples=count, derandomize=True, database=None, **COMMON)
    settings.register_profile("thorough", max_examples=20 * _USUAL, **COMMON)
    settings.load_profile("suite")


def examples(number: int) -> settings:
    """Return settings for ``number`` examples: fewer in the short form, more in a thorough run."""
    return settings(max_examples=max(1, number * settings.default.max_examples // _USUAL))


def some(cases: Iterable[T], every: int) -> list[T]:
    """Return every n-th case, or all cases in the suite's long form."""
    return list(cases)[:: 1 if WHOLE else every]


@contextmanager
def case(*names: object) -> Iterator[None]:
    """Name a loop's case in errors raised by its checks."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the case {', '.join(map(str, names))}")
        raise
