from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.company import Caller, calling
from wosdk_async.sandbox import open_store
from wosdk_async.sandbox.store import Store


class Clock:
    """Nanoseconds since 1970, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_715_692_351_447_021_600  # 2024-05-14T13:12:31.4470216Z, the moment of the samples

    def __call__(self) -> int:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        self.now += int(seconds * 10**9)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "sandbox.db"))
    yield opened
    opened.close()


@pytest.fixture
def acme(store: Store, clock: Clock) -> Iterator[Caller]:
    with calling(store, clock) as caller:
        yield caller


@pytest.fixture
def recorded(store: Store, clock: Clock) -> Iterator[Caller]:
    """The same Company as a running release was recorded."""
    with calling(store, clock, "recorded") as caller:
        yield caller
