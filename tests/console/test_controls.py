"""Every control of every page, pressed with its own defaults; every link, followed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.console.served import Served, document, working_day
from tests.support.laws import WHOLE

pytestmark = pytest.mark.browser

# Page -> its controls by name, in their order; NN is a work order. A new control has to be put here
PAGES = {
    "companies": ["Verification of AcmeFacilities"],
    "companies/46": ["State", "Text", "Filter"],
    "companies/46/create": [
        *["Customer", "Asset", "Task", "Type", "Priority", "Contact", "Comment", "Compute the due date"],
        "Create",
    ],
    "companies/46/orders/NN": [
        *["Action", "Reason", "Assignee", "Comment", "Send", "All fields"],
        "Raw JSON, as the service sends it",
    ],
    "companies/46/types": ["Search types", "Include types without records"],
    "companies/46/types/Employee": ["Field", "Comparison", "Value", "Sort by", "Direction", "Show"],
    "companies/46/types/Employee/208": ["Raw JSON, as the service sends it"],
    "requests": ["Record", "Clear", "Pause", "Filter", "Response", "Only with injected faults"],
    "requests OPEN": ["Copy as curl"],
    "faults": [
        *["reset", "Remove rule 1, reset", "Fault", "Seconds", "Percent of requests", "Operation", "Add"],
        *["Move forward by", "Unit", "Advance"],
    ],
    "docs": ["Search", "Company for requests"],
    "docs OPEN": ["Address", "Body", "Send", "New example"],
}


@pytest.fixture
def work(sandbox: Served) -> int:
    """Return a work order that is held, beside others, and a rule that meets no request."""
    made = working_day(sandbox.acme)
    document(sandbox.acme, made[0]["Id"], "Plan", b"plan", "text/plain")
    sandbox.local.faults.load({"rule": [{"fault": "reset", "company": "Nobody"}]})
    return int(made[0]["Id"])


def go(page: Any, sandbox: Served, name: str, order: int) -> list[Any]:
    """Open a page afresh, and return its controls."""
    from playwright.sync_api import expect

    path, _, opened = name.partition(" ")
    headers = {"X-Sandbox-Console": "1"}  # the log may have been switched off, and cleared
    sandbox.acme.http.put(f"{sandbox.root}/console/api/log", json={"on": True}, headers=headers)
    sandbox.acme.send("GET", "base/Customer/512")
    page.goto("about:blank")
    page.goto(f"{sandbox.root}/docs" if path == "docs" else sandbox.page(path.replace("NN", str(order))))
    page.locator("main h1").wait_for()
    scope = page.locator("main")
    if path == "requests":
        page.locator("summary").first.wait_for()
    if path == "faults":
        page.locator("#rules li").wait_for()
    if opened:
        if path == "docs":
            page.get_by_label("Search").fill("WoOnHoldCommand")
        scope = page.locator("main details:not(:has(details))").first
        scope.locator("summary").click()
        scope.get_by_role("button").first.wait_for()
    if name == "docs OPEN":
        expect(scope.get_by_label("Address")).to_have_value(re.compile("/api/"))
    found: list[Any] = scope.locator("button, select, input, textarea, .raw > summary").all()
    return found


def name_of(control: Any) -> str:
    found: str = control.evaluate(
        """(one) => {
            const label = one.labels?.[0]?.cloneNode(true);
            label?.querySelectorAll("select, input, code").forEach((each) => each.remove());
            return (one.getAttribute("aria-label") ?? label?.textContent ?? one.textContent).trim();
        }"""
    )
    return found


def press(page: Any, control: Any) -> None:
    """Use a control as it stands: press it, choose each of its options, or send its form."""
    tag = control.evaluate("(one) => one.tagName + (one.type === 'checkbox' ? ' switch' : '')")
    if tag == "SELECT":
        for option in control.locator("option").all():
            if not control.is_visible():
                return
            control.select_option(option.get_attribute("value") or option.inner_text())
            page.wait_for_load_state("networkidle")
            if control.count() == 0:
                return
    elif tag == "INPUT":
        control.press("Enter")
    else:
        control.click()


@pytest.mark.parametrize("name", PAGES)
def test_every_control_works_with_its_defaults(page: Any, sandbox: Served, work: int, name: str) -> None:
    """Its names are those of the list above, each has one, and none of them leads to an error."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=sandbox.root)
    controls = go(page, sandbox, name, work)
    assert [name_of(control) for control in controls] == PAGES[name]
    for place in range(len(controls)):
        control = go(page, sandbox, name, work)[place]
        if not control.is_visible():
            continue  # the reasons and people of an action, which test_acting.py chooses from
        press(page, control)
        page.wait_for_load_state("networkidle")
        assert page.locator("main .error").all_inner_texts() == [], name_of(control)
        assert page.locator("main h1").count() == 1
        if name == "faults":
            sandbox.local.faults.load({"rule": [{"fault": "reset", "company": "Nobody"}]})


def test_every_link_leads_to_a_page(page: Any, sandbox: Served, work: int) -> None:
    """From each page one link of each kind: records of each type, what refers to them, pages of lists."""
    page.goto(f"{sandbox.root}/console")
    seen: set[str] = set()
    waiting = ["#/companies"]
    while waiting:
        target = waiting.pop()
        page.goto("about:blank")
        page.goto(f"{sandbox.root}/console{target}")
        page.locator("main h1").wait_for()
        assert page.locator("main .error").all_inner_texts() == [], target
        company = page.locator("#company").inner_text()
        assert company == "AcmeFacilities", target
        for link in page.evaluate("[...document.querySelectorAll('a[href*=\"#/\"]')].map((one) => one.hash)"):
            kind = re.sub(r"\d+|page=.*", "N", re.sub(r"/types/(\w+)\?.*", r"/types/\1?", link))
            if not WHOLE:  # a record of one type for all
                kind = re.sub(r"/types/\w+", "/types/T", kind)
            if kind not in seen:
                seen.add(kind)
                waiting.append(link)
    assert len(seen) > (60 if WHOLE else 8)
