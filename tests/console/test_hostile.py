"""Attacks on the console and the report of a job, in a real Chromium: hostile texts, pages of others."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.console.browser import REBOUND_NAME, Watch
from tests.console.served import CANCEL, Served, document
from tests.jobs.test_report import drawn, everything
from tests.support.laws import some
from wosdk_async.catalogue import load
from wosdk_async.text.safe_text import INVISIBLE

pytestmark = pytest.mark.browser

HOSTILE = (
    "\"'></td></script></style></textarea><img src=x onerror=window.ran=1><script>window.ran=2</script>"
    "<svg onload=window.ran=3><a href=javascript:window.ran=4 autofocus onfocus=window.ran=5>x</a>"
    "<iframe srcdoc='<script>parent.ran=6</script>'></iframe><base href=http://evil.test/>"
    "<link rel=stylesheet href=http://evil.test/x.css>"
    "{{constructor.constructor('window.ran=7')()}}${window.ran=8} \u202egnp.exe\u2066 \u0000\u001b[31m "
) + "W" * 400
INJECTED = (
    "main :is(img, script, iframe, base, link, svg, object, form[action]), [onerror], [onload], [onfocus], "
    "a[href^='javascript' i]"
)
UNSEEN = re.compile(f"(?![\\t\\n])[{INVISIBLE}]")
NO_MARKUP = f'[window.ran ?? null, document.querySelectorAll("{INJECTED}").length]'
FOREIGN = Path(__file__).with_name("foreign.js").read_text(encoding="utf-8")
REBOUND = """(paths) => Promise.all(paths.flatMap((path) => ['GET', 'DELETE', 'POST', 'PUT'].map(
  async (method) => (await fetch(path, {
    method,
    headers: { 'X-Sandbox-Console': '1', 'Content-Type': 'application/json' },
    body: method.startsWith('P') ? '{"Name": "Evil", "on": false, "days": 1}' : undefined,
  })).status)))"""
GUARDED = [
    *("/_sandbox/companies", "/_sandbox/reset", "/_sandbox/snapshot", "/_sandbox/faults", "/_sandbox/clock"),
    *("/console/api/companies", "/console/api/log", "/console/api/faults", "/console/api/clock", "/console"),
]


class _Page(BaseHTTPRequestHandler):
    """An empty page of another origin."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title><body></body>")

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """Port of a server of another origin on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def fill(sandbox: Served) -> int:
    """Put hostile texts wherever a caller can, and return the id of an order that has some."""
    acme, http = sandbox.acme, sandbox.acme.http
    order: int = acme.order(ContactName=HOSTILE[:60])["Id"]
    changed = {"Id": order, "PoNumber": HOSTILE[:30], "Notes": [{"Body": HOSTILE}]}
    acme.ok("PUT", "base/WorkOrder", {"Entity": changed, "Properties": ["PoNumber", "Notes.*"]})
    acme.run("WoPickUpCommand", WorkOrderId=order, Comment=HOSTILE)
    acme.run("WoCancelCommand", WorkOrderId=order, ActionReasonId=CANCEL, Comment=HOSTILE)
    made = 0
    for entity in load().entities.values():
        texts = {
            each.name: HOSTILE[: each.max_length or 9999] for each in entity.fields if each.kind == "string"
        }
        links = {
            "WorkZone": {"Id": 14},
            "WorkOrderId": order,
            "CustomerId": 512,
            "ActorId": order,
            "ActorTypeId": "WO",
        }
        made += acme.send("POST", f"base/{entity.name}", {"Entity": texts | links}).status_code == 200
    assert made > 50
    document(acme, order, HOSTILE[:60], b"<script>parent.ran = 9</script>", "text/html")
    path = HOSTILE.replace("\0", "").replace("\x1b", "")
    head = {"X-Note": HOSTILE.encode("ascii", "replace").decode().replace("\0", "").replace("\x1b", "")}
    acme.send("POST", f"query/{path}", {"RequestId": HOSTILE, "a": HOSTILE}, **head)
    http.post(f"{sandbox.root}/OAuth/token", data={"grant_type": HOSTILE, "client_id": HOSTILE})
    http.post(f"{sandbox.root}/_sandbox/companies", json={"Name": "<img src=x onerror=window.ran=10>"})
    sandbox.local.faults.load({"rule": [{"fault": "latency", "fixed": 0, "company": HOSTILE}]})
    return order


@pytest.mark.parametrize("width", [1200, 380])
def test_hostile_texts_run_nothing_load_nothing_and_fit(page: Any, sandbox: Served, width: int) -> None:
    """In every kind of field, path, header, body, name and rule; on every kind of page."""
    order = fill(sandbox)
    base = f"{sandbox.root}/console/api/companies/46/types"
    types = [each["Name"] for each in sandbox.acme.http.get(base).json()["Types"] if each["Count"]]
    company = "console#/companies/46"
    records = []
    for name in (*some(types[::6], 4), "Customer", "Contact", "Document"):
        records.append(f"{company}/types/{name}")
        found = sandbox.acme.http.get(f"{base}/{name}").json()
        records += [f"{company}/types/{name}/{row['Id']}" for row in found["Rows"][:1] if found["Opened"]]
    page.set_viewport_size({"width": width, "height": 800})
    for path in (
        *("console", "console#/faults", "docs", company, f"{company}/create", f"{company}/types"),
        *(f"{company}/orders/{order}", "console#/companies/47", *records, "console#/requests"),
    ):
        page.goto("about:blank")
        page.goto(f"{sandbox.root}/{path}")
        page.locator("main h1").first.wait_for()
        if path.endswith("requests"):
            for line in page.locator("summary").all()[:4]:
                line.click()
                page.get_by_label("Command line for curl").first.wait_for()
        assert page.evaluate(NO_MARKUP) == [None, 0], path
        assert not UNSEEN.search(page.locator("body").inner_text()), path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "evil.localhost"])
def test_a_page_of_another_origin_reads_and_changes_nothing(
    browser: Any, sandbox: Served, elsewhere: int, host: str
) -> None:
    """By forms, fetches, beacons, frames, scripts, sockets: also one on this machine, at another port."""
    sandbox.acme.order()
    before = _state(sandbox)
    page = browser.new_page()
    page.goto(f"http://{host}:{elsewhere}/")
    assert page.evaluate(FOREIGN, [sandbox.root, GUARDED]) == []
    page.close()
    assert _state(sandbox) == before


def test_no_page_of_another_origin_shows_the_console_in_a_frame(
    browser: Any, sandbox: Served, elsewhere: int
) -> None:
    """Otherwise a person who presses its buttons could press those of the console below them."""
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{elsewhere}/")
    for path in ("console", "docs"):
        page.evaluate(
            """(src) => new Promise((done) => {
              document.body.append(Object.assign(document.createElement('iframe'), { src, onload: done }));
            })""",
            f"{sandbox.root}/{path}",
        )
    assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"] * 2
    page.close()


def test_a_host_name_that_leads_here_reads_and_changes_nothing(browser: Any, sandbox: Served) -> None:
    """DNS rebinding: the page has the origin of the sandbox as the browser sees it."""
    sandbox.acme.order()
    before = _state(sandbox)
    page = browser.new_page()
    page.goto(
        f"http://{REBOUND_NAME}:{urlsplit(sandbox.root).port}/openapi.json"
    )  # holds nothing of a Company
    found = page.evaluate(REBOUND, GUARDED)
    page.close()
    assert set(found) == {403, 405}  # 405: there is no such method at that address
    assert _state(sandbox) == before


def _state(sandbox: Served) -> list[Any]:
    """Return what a foreign page would change."""
    http, root = sandbox.acme.http, sandbox.root
    listed = http.get(f"{root}/_sandbox/companies").json()["Companies"]
    return [
        [each["Name"] for each in listed],
        http.get(f"{root}/_sandbox/faults").json()["rule"],
        http.get(f"{root}/console/api/log?after=9999999").json()["on"],
        sandbox.acme.ids("WorkOrder"),
    ]


@pytest.mark.parametrize("width", [1200, 380])
def test_the_report_of_a_job_with_hostile_texts_runs_and_loads_nothing(
    browser: Any, tmp_path: Path, width: int
) -> None:
    """Also without its policy, which a program that shows the page might drop."""
    text = drawn(everything(HOSTILE))
    for name, shown in (("whole", text), ("bare", text.replace("http-equiv", "data-was"))):
        file = tmp_path / f"{name}.html"
        file.write_text(shown, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 800})
        watch = Watch(page, "file://")
        page.goto(file.as_uri())
        assert page.evaluate("window.ran ?? null") is None
        assert page.evaluate("document.querySelectorAll('script, img, iframe, a, base, object').length") == 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert (watch.complaints, watch.left) == ([], [])
        page.close()
