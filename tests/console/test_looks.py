"""How the pages look: contrast in both colour schemes, sizes of targets, and what fits a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.console.browser import wait_for_count
from tests.console.served import Served, working_day

pytestmark = pytest.mark.browser

SCHEMES = ("light", "dark")
# WCAG 2.2 AA: 1.4.3 for texts, 1.4.11 for the edges of controls, 2.5.8 for the size of buttons
FAINT = Path(__file__).with_name("faint.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_everything_can_be_seen_in_both_schemes(browser: Any, sandbox: Served, scheme: str) -> None:
    """Texts, placeholders, edges of fields and switches, on each page and beside an error."""
    order = working_day(sandbox.acme)[0]["Id"]
    sandbox.local.faults.load({"rule": [{"fault": "latency", "fixed": 0}]})
    sandbox.acme.send("GET", "base/Customer/512")
    page = browser.new_page(color_scheme=scheme)
    company = "console#/companies/46"
    for path in (
        *(
            f"{company}{more}"
            for more in ("", "/create", f"/orders/{order}", "/types", "/types/Employee/208")
        ),
        f"{company}/types/Customer?field=Id&operator=is&value=wrong",
        *("console#/companies", "console#/requests", "console#/faults", "docs"),
    ):
        page.goto("about:blank")
        page.goto(f"{sandbox.root}/{path}")
        page.locator("main :is(table, summary, .rules, .error, form button)").first.wait_for()
        assert page.evaluate(FAINT) == [], path
    page.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_old_data_can_be_read_while_the_sandbox_does_not_respond(
    browser: Any, sandbox: Served, scheme: str
) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.goto(sandbox.page("faults"))
    page.get_by_text("No rules: no faults are injected.").wait_for()
    page.route("**/console/api/**", lambda route: route.abort())
    page.locator("[data-gone] #gone").wait_for()
    assert page.evaluate(FAINT) == []
    page.close()


def test_a_company_with_a_long_name_and_without_orders_fits_a_phone(page: Any, sandbox: Served) -> None:
    sandbox.acme.http.post(f"{sandbox.root}/_sandbox/companies", json={"Name": "West" * 12})
    page.set_viewport_size({"width": 390, "height": 760})
    page.goto(sandbox.page("companies/47"))
    page.get_by_text("has no work order yet").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_time_stays_on_one_line_on_a_phone(page: Any, sandbox: Served) -> None:
    """Also inside the sentence that says what happened last."""
    order = working_day(sandbox.acme)[0]["Id"]
    page.set_viewport_size({"width": 390, "height": 760})
    page.goto(sandbox.page(f"companies/46/orders/{order}"))
    page.get_by_label("Summary").locator("time").first.wait_for()
    lines = page.locator("time").evaluate_all("(all) => all.map((one) => one.getClientRects().length)")
    assert set(lines) == {1}


def test_a_wrong_address_of_a_company_leads_on(browser: Any, sandbox: Served) -> None:
    """The header names the Company and its pages are linked, beside the error."""
    page = browser.new_page()
    for path, error in (
        ("orders/99", "WorkOrder entity with id 99 is not found."),
        ("types/Customer/0", "Customer entity with id 0 is not found."),
        ("types/Nope", "There are no such entityType as 'Nope'"),
    ):
        page.goto("about:blank")
        page.goto(sandbox.page(f"companies/46/{path}"))
        page.locator("main .error", has_text=error).wait_for()
        assert page.locator("#company").inner_text() == "AcmeFacilities"
        assert page.locator(".tabs a").all_inner_texts() == [
            *("Companies", "Work orders", "Create", "All records")
        ]
    page.goto(sandbox.page("companies/99"))
    page.locator("main .error", has_text="There is no Company with id 99.").wait_for()
    wait_for_count(page.locator(".tabs"), 0)
    page.close()


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("companies/46?state=Nope", "StatusId cannot be compared with 'Nope'"),
        ("companies/46?page=-1", "page must be a whole number"),
        (f"companies/46?text={'x' * 5000}", "LIKE takes one string of at most 4000 characters."),
        ("companies/46/types/Customer?by=Id", "Customer.Id does not refer to ''."),
    ],
)
def test_a_wrong_filter_stays_beside_its_error(browser: Any, sandbox: Served, path: str, error: str) -> None:
    """The form keeps what was typed, and can be corrected."""
    page = browser.new_page()
    page.goto(sandbox.page(path))
    page.locator("main .error", has_text=error).wait_for()
    assert page.locator("main form[role=search]").count() == 1
    if "text=" in path:
        assert len(page.get_by_label("Text").input_value()) == 5000
    page.close()


def test_nothing_is_tried_without_an_example_or_at_another_address(browser: Any, sandbox: Served) -> None:
    """Send waits for its example; an address that is not the service's is refused before anything is sent."""
    page = browser.new_page()
    held: list[Any] = []
    sent: list[str] = []
    page.on("request", lambda request: sent.extend([request.url] if request.method == "POST" else []))
    page.route("**/examples/**", lambda route: held.extend([route]))
    page.goto(f"{sandbox.root}/docs")
    page.get_by_label("Search").fill("WoOnHoldCommand")
    line = page.locator("details details").first
    line.locator("summary").click()
    button = line.get_by_role("button", name="Send")
    button.wait_for()
    assert button.is_disabled()
    held[0].continue_()
    button.click(trial=True)  # waits until the example is there, which fills the address
    for address in ("", "/docs", "//elsewhere.test/api/", "https://elsewhere.test/api/v1"):
        line.get_by_label("Address").fill(address)
        button.click()
        line.locator(".error", has_text=f"'{address}'" if address else "empty").wait_for()
    assert sent == []
    page.close()
