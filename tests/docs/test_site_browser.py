"""Every page of the built site in a real Chromium: it fits a phone, and loads nothing from elsewhere.

It builds the site, which needs the extra ``docs``, and a Chromium: ``pytest -m browser tests/docs``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from docs.builder.__main__ import main
from tests.console.browser import Watch, chromium
from tests.docs.pages import ROOT

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
TOO_WIDE = """() => {
    const page = document.documentElement;
    const scrolls = (part) => {
        for (let each = part; each && each !== document.body; each = each.parentElement)
            if (["auto", "scroll"].includes(getComputedStyle(each).overflowX)) return true;
        return false;
    };
    const parts = [...document.querySelectorAll("article :is(table, pre, img, svg, code, p, h1, h2, h3)")];
    const cut = parts.filter(
        (part) => part.getBoundingClientRect().right > page.clientWidth + 1 && !scrolls(part)
    );
    const broken = [...document.querySelectorAll("article img")].filter((each) => !each.naturalWidth);
    return [
        ...(page.scrollWidth > page.clientWidth ? ["the page scrolls sideways"] : []),
        ...cut.map((part) => `cut off: ${part.tagName} ${part.textContent.slice(0, 40)}`),
        ...broken.map((each) => `does not load: ${each.src}`),
    ];
}"""
"""What a reader of a narrow page cannot see."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[Path, str]]:
    """Build the site and serve it; give its folder and address."""
    folder = ROOT / "build" / "browser"
    assert main(folder) == 0
    handler = partial(Quiet, directory=str(folder / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder / "site", f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_every_page_fits_a_phone(site: tuple[Path, str]) -> None:
    folder, root = site
    found: dict[str, list[str]] = {}
    with chromium() as browser:
        page = browser.new_page(viewport=PHONE, color_scheme="dark")
        watch = Watch(page, root)
        for path in sorted(folder.rglob("*.html")):
            name = str(path.relative_to(folder))
            page.goto(f"{root}/{name}")
            if wrong := page.evaluate(TOO_WIDE):
                found[name] = wrong
    assert found == {}
    assert (watch.complaints, watch.left) == ([], [])
