from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.company import Caller, calling
from wosdk_async.sandbox import VirtualClock, open_store
from wosdk_async.sandbox.storage.store import Store


@pytest.fixture
def clock() -> VirtualClock:
    """Return a clock that stands still at the moment of the samples."""
    return VirtualClock(1_715_692_351_447_021_600)  # 2024-05-14T13:12:31.4470216Z


@pytest.fixture
def store(tmp_path: Path, seeded_store: Path) -> Iterator[Store]:
    opened = open_store(shutil.copy(seeded_store, tmp_path / "sandbox.db"))
    yield opened
    opened.close()


@pytest.fixture
def acme(store: Store, clock: VirtualClock) -> Iterator[Caller]:
    with calling(store, clock) as caller:
        yield caller


@pytest.fixture
def recorded(store: Store, clock: VirtualClock) -> Iterator[Caller]:
    """Yield a caller of the same Company in the recorded dialect."""
    with calling(store, clock, "recorded") as caller:
        yield caller
