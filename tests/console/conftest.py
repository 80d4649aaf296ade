from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from tests.console.browser import Watch
from tests.console.served import Served, served
from tests.sandbox.company import Direct
from wosdk_async.sandbox import create_app, open_store
from wosdk_async.sandbox.console.request_log import RequestLog

HERE = "http://127.0.0.1:8900"


@pytest.fixture
def log() -> RequestLog:
    return RequestLog(on=True)


@pytest.fixture
def app(tmp_path: Path, seeded_store: Path, log: RequestLog) -> Iterator[ASGIApp]:
    """Return the whole application, without a socket."""
    store = open_store(shutil.copy(seeded_store, tmp_path / "sandbox.db"))
    yield create_app(store, log=log)
    store.close()


@pytest.fixture
def http(app: ASGIApp) -> Iterator[httpx.Client]:
    """Return a client on the same machine, which calls as the console's own page does."""
    with httpx.Client(transport=Direct(app), base_url=HERE) as client:
        client.headers["X-Sandbox-Console"] = "1"
        yield client


@pytest.fixture
def sandbox() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture
def page(browser: Any, sandbox: Served) -> Iterator[Any]:
    """Open a page; check at the end that it neither complained nor left its origin."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.set_default_timeout(8000)
    watch = Watch(page, sandbox.root)
    yield page
    page.close()
    assert (watch.complaints, watch.left) == ([], [])
