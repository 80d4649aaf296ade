"""Tests of many cases: each case runs, and all that fail are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.laws import each_of


@each_of("a", [1, 2])
@each_of(("b", "c"), [(1, 2), (1, 3)], ids=["first", "second"])
def compare(a: int, b: int, c: int, said: list[int]) -> None:
    said.append(a * c)
    with pytest.raises(ZeroDivisionError):
        a / (b - a)
    assert c == 2


@each_of("number", range(3))
async def count(number: int, said: list[int]) -> None:
    said.append(number)
    assert number != 1


def test_all_cases_run_and_those_that_fail_are_named() -> None:
    said: list[int] = []
    with pytest.raises(BaseExceptionGroup, match="2 of 2") as caught:
        compare(said=said)
    assert said == [2, 3, 4, 6]
    one, two = caught.value.exceptions
    assert isinstance(one, BaseExceptionGroup)
    assert isinstance(two, BaseExceptionGroup)
    notes = [each.__notes__ for each in (one, *one.exceptions, two, *two.exceptions)]
    assert notes == [
        *(["in the case 1"], ["in the case second"]),
        *(["in the case 2"], *([f"in the case {n}"] for n in ("first", "second"))),
    ]


async def test_cases_of_a_coroutine() -> None:
    said: list[int] = []
    with pytest.raises(ExceptionGroup, match="1 of 3"):
        await count(said=said)
    assert said == [0, 1, 2]


@each_of("number", [1])
def test_fixtures_are_given(tmp_path: Path, number: int) -> None:
    assert (tmp_path.exists(), number) == (True, 1)
