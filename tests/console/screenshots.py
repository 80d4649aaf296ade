"""The pictures of docs/console.md: `python -m tests.console.screenshots [FOLDER]`. Needs Chromium."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.console.browser import chromium
from tests.console.served import Served, document, served, working_day

FOLDER = Path("docs/images")
SCRIPT = {
    "seed": 7,
    "rule": [
        {"fault": "latency", "lognormal": {"p50": 0.002, "p99": 0.02}},
        {"fault": "status", "status": 503, "rate": 0.1, "operation": ["query", "retrieve"]},
        {"fault": "reset", "carried_out": True, "rate": 0.02, "operation": "WoCreateCommand"},
    ],
}


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with served() as sandbox, chromium() as browser:
        made = working_day(sandbox.acme)
        order = made[0]["Id"]
        document(sandbox.acme, order, "Plan of floor 2", b"plan", "application/pdf")
        _wide(browser, sandbox, order, folder)
        _narrow(browser, sandbox, folder)


def _wide(browser: Any, sandbox: Served, order: int, folder: Path) -> None:
    page = browser.new_page(viewport={"width": 1100, "height": 620})
    page.goto(sandbox.page("companies/46"))
    _shoot(page, folder / "console-orders.png")
    page.goto(sandbox.page(f"companies/46/orders/{order}"))
    _shoot(page, folder / "console-order.png")
    page.goto(sandbox.page("companies/46/types/Employee/208"))
    _shoot(page, folder / "console-record.png")
    page.goto(sandbox.page("requests"))
    page.locator("summary", has_text="nightly-7").click()
    page.get_by_label("Body of the response").wait_for()
    _shoot(page, folder / "console-requests.png")
    sandbox.local.faults.load(SCRIPT)
    for _ in range(40):
        sandbox.acme.http.get(f"{sandbox.root}/api/v1/base/Customer/512", headers=sandbox.acme.headers)
    page.goto(sandbox.page("faults"))
    _shoot(page, folder / "console-faults.png")
    page.goto(f"{sandbox.root}/docs")
    page.get_by_label("Search").fill("WoCancel")
    page.locator("details details summary").first.click()
    page.get_by_role("button", name="Send").scroll_into_view_if_needed()
    _shoot(page, folder / "console-api.png")
    page.close()


def _narrow(browser: Any, sandbox: Served, folder: Path) -> None:
    page = browser.new_page(viewport={"width": 380, "height": 700}, color_scheme="dark")
    page.goto(sandbox.page("requests"))
    _shoot(page, folder / "console-narrow.png")
    page.close()


def _shoot(page: Any, path: Path) -> None:
    page.locator("main h1").wait_for()
    page.locator("main :is(table, details, .rules)").first.wait_for()
    page.evaluate("document.getElementById('status').hidden = true")
    page.screenshot(path=path)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
