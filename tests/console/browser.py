"""A real headless Chromium, and a watcher of its pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

REBOUND_NAME = "rebound.test"
"""Host name that leads to this machine, as one of a foreign page may after DNS rebinding."""

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {REBOUND_NAME} 127.0.0.1",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the system's browser driven by Playwright."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    assert path, "The tests of the console need a Chromium: apt-get install -y chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def wait_for_count(locator: Any, count: int) -> None:
    """Wait until ``count`` elements match; also works under a policy that lets no text become code."""
    from playwright.sync_api import expect

    expect(locator).to_have_count(count)


class Watch:
    """Watcher of what a page must not do: complain in its console, break, or leave its origin."""

    def __init__(self, page: Any, root: str) -> None:
        self.complaints: list[str] = []
        self.left: list[str] = []
        self._home = urlsplit(root).netloc
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._asked)
        page.on("request", self._asked_for)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked_for(self, request: Any) -> None:
        if urlsplit(request.url).netloc != self._home:
            self.left.append(request.url)
