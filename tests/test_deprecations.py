"""Deprecated things work, and warn at the line of the user with what to write instead."""

from __future__ import annotations

import ast
import asyncio
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from attrs import frozen

import wosdk_async
from wosdk_async.deprecations import deprecated, renamed_arguments, warn_deprecated
from wosdk_async.version import VERSION

PACKAGE = Path(wosdk_async.__file__).parent


@deprecated("total() is deprecated and goes in 9.0: write count()")
def total(rows: int) -> int:
    return rows


@deprecated("fetch() is deprecated and goes in 9.0: write load()")
async def fetch() -> str:
    return "here"


@deprecated("Old is deprecated and goes in 9.0: write New")
@frozen
class Old:
    size: int = 0


@renamed_arguments("9.0", most="limit", pause="wait")
def read(*, limit: int = 1, wait: float = 0.0) -> tuple[int, float]:
    return limit, wait


def load(*, pause: float = 0.0) -> str:
    if pause != 0.0:
        warn_deprecated("load(pause=)", instead="leave it out", goes_in="9.0")
    return "here"


async def load_later(*, pause: float = 0.0) -> str:
    if pause != 0.0:
        warn_deprecated("load_later(pause=)", instead="leave it out", goes_in="9.0")
    return "here"


class Reader:
    @renamed_arguments("9.0", most="limit")
    def __init__(self, *, limit: int = 1) -> None:
        self.limit = limit

    @renamed_arguments("9.0", most="limit")
    async def read(self, *, limit: int) -> int:
        return self.limit + limit


def line_after() -> int:
    """The number of the next line of the caller."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno + 1


def assert_warned(caught: list[warnings.WarningMessage], line: int, text: str) -> None:
    assert [(each.category, each.filename, each.lineno, str(each.message)) for each in caught] == [
        (DeprecationWarning, __file__, line, text)
    ]


@pytest.fixture
def caught() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


def test_a_function(caught: list[warnings.WarningMessage]) -> None:
    line = line_after()
    assert total(3) == 3
    assert_warned(caught, line, "total() is deprecated and goes in 9.0: write count()")


async def test_a_coroutine_warns_at_the_call_and_not_at_the_await(
    caught: list[warnings.WarningMessage],
) -> None:
    line = line_after()
    coroutine = fetch()
    assert_warned(caught, line, "fetch() is deprecated and goes in 9.0: write load()")
    assert await asyncio.create_task(coroutine) == "here"
    assert len(caught) == 1


def test_a_class(caught: list[warnings.WarningMessage]) -> None:
    line = line_after()
    old = Old(size=2)
    assert (old.size, isinstance(old, Old)) == (2, True)
    assert_warned(caught, line, "Old is deprecated and goes in 9.0: write New")


@pytest.mark.parametrize(
    ("use", "result"),
    [
        (lambda: read(most=5), (5, 0.0)),  # type: ignore[call-arg]
        (lambda: read(most=5, wait=2.0), (5, 2.0)),  # type: ignore[call-arg]
        (lambda: Reader(most=5).limit, 5),  # type: ignore[call-arg]
        (lambda: asyncio.run(Reader().read(most=5)), 6),  # type: ignore[call-arg]
    ],
)
def test_an_argument(
    caught: list[warnings.WarningMessage], use: Callable[[], object], result: object
) -> None:
    assert use() == result
    line = use.__code__.co_firstlineno
    assert_warned(caught, line, "most= is deprecated and goes in 9.0: write limit=")


async def test_an_argument_of_a_coroutine_warns_at_the_call(caught: list[warnings.WarningMessage]) -> None:
    reader, line = Reader(), line_after()
    coroutine = reader.read(most=5)  # type: ignore[call-arg]
    assert_warned(caught, line, "most= is deprecated and goes in 9.0: write limit=")
    assert await asyncio.create_task(coroutine) == 6


async def test_an_argument_that_just_goes_warns_at_the_call_or_at_the_await(
    caught: list[warnings.WarningMessage],
) -> None:
    assert load() == await load_later() == "here"
    assert caught == []
    line = line_after()
    assert load(pause=1.0) == "here"
    assert_warned(caught, line, "load(pause=) is deprecated and goes in 9.0: leave it out")
    caught.clear()
    coroutine = load_later(pause=1.0)
    line = line_after()
    assert await coroutine == "here"
    assert_warned(caught, line, "load_later(pause=) is deprecated and goes in 9.0: leave it out")


def test_new_names_do_not_warn_and_both_at_once_are_refused(caught: list[warnings.WarningMessage]) -> None:
    assert read(limit=5, wait=1.0) == (5, 1.0)
    with pytest.raises(TypeError, match=r"^read\(\) got limit= and its old name most=$"):
        read(limit=5, most=6)  # type: ignore[call-arg]
    assert caught == []


def test_a_name_of_a_module(caught: list[warnings.WarningMessage], monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as an attribute, and imported from the module."""

    def __getattr__(name: str) -> object:
        if name != "OLD":
            raise AttributeError(name)
        warn_deprecated("wanted.OLD", instead="write wanted.NEW", goes_in="9.0", stacklevel=2)
        return "value"

    module = ModuleType("wanted")
    module.__dict__["__getattr__"] = __getattr__
    monkeypatch.setitem(sys.modules, "wanted", module)
    text, line = "wanted.OLD is deprecated and goes in 9.0: write wanted.NEW", line_after()
    assert module.OLD == "value"
    assert_warned(caught, line, text)
    caught.clear()
    line = line_after()
    from wanted import OLD  # type: ignore[import-not-found]

    assert OLD == "value"
    assert_warned(caught[:1], line, text)


# --- what the package itself deprecates ---------------------------------------------------------------


def versions(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line of each deprecation of a module, and the version in which it says that it goes."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in ("deprecated", "renamed_arguments"):
            text = ast.literal_eval(node.args[0])
            yield node.lineno, text.partition(" goes in ")[2].partition(":")[0] or text
        elif node.func.id == "warn_deprecated":
            yield (
                node.lineno,
                next(ast.literal_eval(each.value) for each in node.keywords if each.arg == "goes_in"),
            )


def overdue(source: str, version: str) -> list[int]:
    """The lines of a module with a deprecation that names no later version than this."""

    def number(text: str) -> list[int]:
        return [int(part) if part.isdigit() else 0 for part in text.split(".")]

    return [line for line, goes_in in versions(source) if number(goes_in) <= number(version)]


def test_what_goes_in_a_version_is_gone_in_it() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if path.name != "deprecations.py"]
    found = {path.relative_to(PACKAGE): overdue(path.read_text(encoding="utf-8"), VERSION) for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_an_overdue_deprecation_is_found() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert overdue(source, "8.1.0") == []
    assert len(overdue(source, "9.0")) == len(overdue(source, "9.0.1")) == len(list(versions(source))) == 9
    assert overdue("@deprecated('old; write new')\ndef f(): ...", "0.1.0") == [1]
