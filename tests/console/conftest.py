from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.console.browser import Watch, chromium
from tests.console.served import Served, served
from tests.sandbox.company import Direct
from wosdk_async.sandbox import create_app, open_store
from wosdk_async.sandbox.console.request_log import RequestLog

HERE = "http://127.0.0.1:8900"


@pytest.fixture
def log() -> RequestLog:
    return RequestLog(on=True)


@pytest.fixture
def http(tmp_path: Path, log: RequestLog) -> Iterator[httpx.Client]:
    """The whole application without a socket, as the machine itself reaches it."""
    store = open_store(str(tmp_path / "sandbox.db"))
    with httpx.Client(transport=Direct(create_app(store, log=log)), base_url=HERE) as client:
        client.headers["X-Sandbox-Console"] = "1"
        yield client
    store.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def sandbox() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture
def page(browser: Any, sandbox: Served) -> Iterator[Any]:
    """A page that, at the end, has neither complained nor left its origin."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.set_default_timeout(8000)
    watch = Watch(page, sandbox.root)
    yield page
    page.close()
    assert (watch.complaints, watch.left) == ([], [])
