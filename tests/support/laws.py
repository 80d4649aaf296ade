"""Loops over many cases in one test, and the number of examples per law."""

from __future__ import annotations

import functools
import inspect
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

T = TypeVar("T")
Test = TypeVar("Test", bound=Callable[..., Any])

WHOLE = os.environ.get("WOSDK_TEST_WHOLE") == "1"
"""Whether the suite runs in its long form, as in ``.ci/full``."""
# A law requests a number of examples for this `max_examples`; `examples` scales it to the suite's.
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
    """Add the names of a loop's case to errors raised within the block."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the case {', '.join(map(str, names))}")
        raise


def each_of(
    names: str | Sequence[str],
    cases: Iterable[Any],
    *,
    ids: Iterable[object] | Callable[[Any], object] = reprlib.repr,
) -> Callable[[Test], Test]:
    """Run one test for many cases, unlike ``pytest.mark.parametrize``; the test names all failed cases.

    The overhead of a test, in three workers, exceeds the time of most cases. All cases share the test's
    fixtures, so use this only for cases that leave nothing behind. Tests that `tests.security` runs keep
    their cases apart: without the protection, a case after a failed one may hang.
    """
    keys = [key.strip() for key in names.split(",")] if isinstance(names, str) else list(names)
    rows = [dict(zip(keys, [each] if names == keys[0] else each, strict=True)) for each in cases]
    labels = [[*map(ids, row.values())] for row in rows] if callable(ids) else [[each] for each in ids]

    def decorate(test: Test) -> Test:
        def contexts() -> Iterator[tuple[dict[str, Any], AbstractContextManager[None]]]:
            """Yield each case with its context; at the end, raise the errors of all failed cases."""
            failed: list[BaseException] = []

            @contextmanager
            def kept(label: list[object]) -> Iterator[None]:
                try:
                    with case(*label):
                        yield
                except (ImportError, NameError, SyntaxError):
                    raise  # the code is broken, and no case can say more
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:
                    failed.append(error)

            yield from ((row, kept(label)) for label, row in zip(labels, rows, strict=True))
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} cases failed", failed)

        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            for row, context in contexts():
                with context:
                    test(**fixtures, **row)

        @functools.wraps(test)
        async def run_async(**fixtures: Any) -> None:
            for row, context in contexts():
                with context:
                    await test(**fixtures, **row)

        made: Any = run_async if inspect.iscoroutinefunction(test) else run
        signature = inspect.signature(test)
        taken = [each for name, each in signature.parameters.items() if name not in keys]
        made.__signature__ = signature.replace(parameters=taken)
        found: Test = made
        return found

    return decorate
