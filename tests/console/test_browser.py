"""The console in a real headless Chromium: what it shows, live, and without leaving its origin."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from tests.console.browser import wait_for_count
from tests.console.served import CANCEL, PAYLOAD, Served, document, served, working_day
from wosdk_async.sandbox.console.records import PAGE_SIZE

pytestmark = pytest.mark.browser


def test_companies_lead_to_their_work_orders(page: Any, sandbox: Served) -> None:
    """The Company is shown with its counts and without its secret; its name leads to its orders."""
    for _ in range(3):
        sandbox.acme.order()
    page.goto(f"{sandbox.root}/console")
    row = page.locator("tbody tr").filter(has_text="AcmeFacilities")
    assert row.locator('td[data-label="WorkOrder"]').inner_text() == "3"
    assert row.locator('td[data-label="Kind"]').inner_text() == "non-live"
    assert sandbox.local.variables["WOSDK_CLIENT_SECRET"] not in page.content()
    row.get_by_role("link", name="AcmeFacilities").click()
    page.locator("h1", has_text="Work orders").wait_for()
    assert page.locator("tbody tr").count() == 3


def test_work_orders_are_filtered_and_paged(page: Any, sandbox: Served) -> None:
    """A page holds so many; state and text narrow the list; the rest is on the next page."""
    made = working_day(sandbox.acme)
    page.goto(sandbox.page("companies/46"))
    assert page.locator("tbody tr").first.inner_text().startswith(made[-1]["Number"])
    assert page.locator("tbody tr").count() == PAGE_SIZE
    page.get_by_role("link", name="Older").click()
    page.get_by_text("Page 2", exact=True).wait_for()
    assert page.locator("tbody tr").count() == len(made) - PAGE_SIZE
    page.get_by_label("State").select_option("Cancelled")
    wait_for_count(page.locator("tbody tr"), 4)
    wait_for_count(page.locator("tbody [data-state=Cancelled]"), 4)
    page.get_by_label("Text").fill(made[0]["Number"])
    page.keyboard.press("Enter")
    wait_for_count(page.locator("tbody tr"), 1)


def test_the_first_page_of_a_long_list_is_one_click_away(page: Any, sandbox: Served) -> None:
    for _ in range(2 * PAGE_SIZE + 1):
        sandbox.acme.order()
    for path, link in (("companies/46", "Newest"), ("companies/46/types/WorkOrder", "First")):
        page.goto(sandbox.page(f"{path}?page=1"))
        page.get_by_text("Page 2", exact=True).wait_for()
        wait_for_count(page.get_by_role("link", name=link, exact=True), 0)
        page.goto(sandbox.page(f"{path}?page=2"))
        page.get_by_role("link", name=link, exact=True).click()
        page.get_by_text("Page 1", exact=True).wait_for()


def test_one_work_order_with_its_history(page: Any, sandbox: Served) -> None:
    """Fields, items, notes, documents, and the history with the newest action first."""
    acme = sandbox.acme
    order = acme.order(ContactName="Ana Ruiz")
    changed = {"Id": order["Id"], "Notes": [{"Body": "Key at the desk"}]}
    acme.ok("PUT", "base/WorkOrder", {"Entity": changed, "Properties": ["Notes.*"]})
    acme.run("WoCancelCommand", WorkOrderId=order["Id"], ActionReasonId=CANCEL, Comment="Twice")
    document(acme, order["Id"], "Plan of floor 2", b"plan", "text/plain")
    page.goto(sandbox.page(f"companies/46/orders/{order['Id']}"))
    page.locator("h1", has_text="Cancelled").wait_for()
    parts = page.locator("section").filter(has=page.locator("h2")).all()
    sections = {part.locator("h2").inner_text(): part for part in parts}
    assert "Air handler AH-3" in sections["Items"].inner_text()
    assert "Key at the desk" in sections["Notes"].inner_text()
    assert "Plan of floor 2" in sections["Documents"].inner_text()
    page.get_by_text("All fields").click()
    assert "Ana Ruiz" in page.locator("details", has_text="All fields").inner_text()
    actions = sections["History"].locator('td[data-label="Action"]').all_inner_texts()
    assert (actions[0], actions[-1]) == ("Cancel", "Create")


def test_the_log_is_live_and_keeps_secrets(page: Any, sandbox: Served) -> None:
    """A request shows up by itself; opened by keyboard it shows both bodies; secrets are masked."""
    page.goto(sandbox.page("requests"))
    page.locator("summary", has_text="/OAuth/token").wait_for()
    sandbox.acme.send("POST", "base/Contact", {"RequestId": "nightly-7", "Entity": {"LastName": "Ruiz"}})
    line = page.locator("details").filter(has_text="nightly-7")
    line.wait_for()
    assert line.locator(".method").inner_text() == "POST"
    line.locator("summary").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Body of the request").wait_for()
    assert '"LastName": "Ruiz"' in page.get_by_label("Body of the request").inner_text()
    assert '"RequestId": "nightly-7"' in page.get_by_label("Body of the response").inner_text()
    page.locator("summary", has_text="/OAuth/token").click()
    page.get_by_text("access_token").wait_for()
    token = sandbox.acme.headers["Authorization"].removeprefix("Bearer ")
    assert token not in page.content()
    assert sandbox.local.variables["WOSDK_CLIENT_SECRET"] not in page.content()


def test_recording_is_switched_off_and_cleared(page: Any, sandbox: Served) -> None:
    """The switch ends the recording, and the button forgets what there was."""
    page.goto(sandbox.page("requests"))
    page.locator("summary").first.wait_for()
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.get_by_role("switch", name="Record").uncheck()
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("Recording is off: turn on “Record”").wait_for()
    sandbox.acme.order()
    with page.expect_response(lambda response: "/log" in response.url):
        pass
    assert page.locator("summary").count() == 0


def test_a_fault_switch_works_from_end_to_end(page: Any, sandbox: Served) -> None:
    """A rule added here applies to requests and counts them, until it is switched off or removed."""
    call = sandbox.acme.http.get
    url, headers = f"{sandbox.root}/api/v1/base/Customer/512", sandbox.acme.headers
    page.goto(sandbox.page("faults"))
    page.get_by_label("Fault").select_option("unavailable")
    page.get_by_label("Operation").select_option("retrieve")
    page.get_by_role("button", name="Add").click()
    switch = page.get_by_role("switch")
    switch.wait_for()
    assert [call(url, headers=headers).status_code for _ in range(3)] == [503] * 3
    page.get_by_text("applied to 3 of 3 requests").wait_for()
    with page.expect_response(lambda response: response.request.method == "PUT"):
        switch.uncheck()
    page.get_by_text("off", exact=True).wait_for()
    assert call(url, headers=headers).status_code == 200
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.get_by_role("switch").check()
    assert call(url, headers=headers).status_code == 503
    page.get_by_role("button", name="Remove rule 1").click()
    page.get_by_text("No rules: no faults are injected.").wait_for()
    assert call(url, headers=headers).status_code == 200


RULES = {  # what "Add" puts into force for each kind of fault, with the form's own defaults
    "latency": {"fault": "latency", "fixed": 0.5},
    "unavailable": {"fault": "status", "status": 503},
    "throttled": {"fault": "status", "status": 429, "retry_after": 1},
    "reset": {"fault": "reset", "carried_out": True},
}


def rules_of(sandbox: Served) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = sandbox.local.faults.report()["rule"]
    return rules


def press(page: Any, name: str) -> None:
    """Press a button and wait for what it changed."""
    with page.expect_response(lambda response: response.request.method in ("PUT", "POST", "DELETE")):
        page.get_by_role("button", name=name, exact=True).click()


def test_every_fault_is_added_with_its_defaults(page: Any, sandbox: Served) -> None:
    """Each kind as it stands in the form; a kind that the test does not know fails it."""
    page.goto(sandbox.page("faults"))
    page.locator("#kind option").first.wait_for(state="attached")
    kinds = [option.get_attribute("value") for option in page.locator("#kind option").all()]
    assert kinds == list(RULES)
    for count, kind in enumerate(kinds, 1):
        page.get_by_label("Fault").select_option(kind)
        press(page, "Add")
        wait_for_count(page.locator("#rules li"), count)
    assert rules_of(sandbox) == list(RULES.values())
    wait_for_count(page.get_by_role("alert").locator(".error"), 0)


def test_every_operation_and_any_share_are_taken(page: Any, sandbox: Served) -> None:
    """Each entry of the list of operations, and percentages that are fractions."""
    page.goto(sandbox.page("faults"))
    page.get_by_label("Percent of requests").fill("12.5")
    operations = page.locator("#operation option").all_inner_texts()
    for count, operation in enumerate(operations, 1):
        page.locator("#operation").select_option(operation)
        press(page, "Add")
        wait_for_count(page.locator("#rules li"), count)
    assert [rule.get("operation", "any") for rule in rules_of(sandbox)] == operations
    assert {rule["rate"] for rule in rules_of(sandbox)} == {0.125}


def test_the_clock_goes_on_by_every_unit(page: Any, sandbox: Served) -> None:
    """The default of the form in each unit, and half a minute."""
    page.goto(sandbox.page("faults"))
    clock, before = sandbox.local.clock, sandbox.local.clock.now
    page.locator("#unit option").first.wait_for(state="attached")
    for unit in page.locator("#unit option").all_inner_texts():
        page.get_by_label("Unit").select_option(unit)
        press(page, "Advance")
    page.get_by_label("Move forward by").fill("0.5")
    page.get_by_label("Unit").select_option("minutes")
    press(page, "Advance")
    moved = timedelta(seconds=21 + 30, minutes=21, hours=21, days=21)
    assert moved <= clock.now - before < moved + timedelta(minutes=1)


def test_an_error_stands_at_its_form_until_it_is_done_right(browser: Any, sandbox: Served) -> None:
    """Red, an alert, and gone when it is dismissed or the action succeeds."""
    page = browser.new_page()
    page.goto(sandbox.page("faults"))
    section = page.locator("section", has_text="Move forward by")
    error = section.get_by_role("alert").locator(".error")
    for way_out in ("dismiss", "do it right"):
        section.get_by_label("Move forward by").fill("1e12")
        press(page, "Advance")
        error.get_by_text("The clock cannot move forward by").wait_for()
        red, green, blue = rgb(error)
        assert red > 2 * max(green, blue)
        press(page, "Add")  # what succeeds elsewhere leaves it
        assert error.count() == 1
        if way_out == "dismiss":
            section.get_by_role("button", name="Dismiss").click()
        else:
            section.get_by_label("Move forward by").fill("1")
            press(page, "Advance")
        wait_for_count(error, 0)
    page.close()


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("Seconds", "", "Seconds is missing: enter a number."),
        ("Percent of requests", "0", "Percent of requests is 0: the rule would never apply."),
    ],
)
def test_a_rule_that_never_applies_is_not_added(
    page: Any, sandbox: Served, field: str, value: str, expected: str
) -> None:
    """The error names the field, and the message about the rule before it goes away."""
    page.goto(sandbox.page("faults"))
    press(page, "Add")
    page.locator("#status", has_text="Rule enabled.").wait_for()
    page.get_by_role("spinbutton", name=field).fill(value)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("alert").get_by_text(expected).wait_for()
    wait_for_count(page.locator("#status:empty"), 1)
    assert len(rules_of(sandbox)) == 1


def rgb(locator: Any) -> list[int]:
    color: str = locator.evaluate("(element) => getComputedStyle(element).color")
    return [int(part) for part in re.findall(r"\d+", color)[:3]]


@pytest.mark.parametrize("width", [1280, 380])
def test_news_covers_nothing_and_goes_away(page: Any, sandbox: Served, width: int) -> None:
    """It stands in the header, beside the pages, for a few seconds."""
    sandbox.acme.order()
    page.set_viewport_size({"width": width, "height": 760})
    page.clock.install()
    page.goto(sandbox.page("companies/46"))
    status = page.locator("header #status", has_text="1 work order on page 1.")
    status.wait_for()
    box = status.bounding_box()
    for other in (*page.locator("header nav a").all(), page.locator("header .brand"), page.locator("main")):
        assert not overlap(box, other.bounding_box())
    page.clock.run_for(5000)
    wait_for_count(page.locator("#status:empty"), 1)


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    def apart(start: str, size: str) -> bool:
        return one[start] + one[size] <= other[start] or other[start] + other[size] <= one[start]

    return not (apart("x", "width") or apart("y", "height"))


def test_a_cleared_log_is_not_called_empty_beside_new_requests(page: Any, sandbox: Served) -> None:
    """What is said after clearing gives way to the requests that come."""
    page.goto(sandbox.page("requests"))
    page.locator("summary").first.wait_for()
    press(page, "Clear")
    page.get_by_text("No requests yet.").wait_for()
    sandbox.acme.send("GET", "base/Customer/512")
    page.locator("#status", has_text="1 new request.").wait_for()
    wait_for_count(page.locator("details"), 1)
    wait_for_count(page.get_by_text("empty"), 0)
    assert not page.get_by_text("No requests yet.").is_visible()


def test_a_banner_on_every_page_says_that_the_sandbox_has_ended(browser: Any) -> None:
    """A banner, as an alert, while nothing responds; no toast, and no error of the browser's."""
    with served() as running:
        page = browser.new_page()
        page.goto(running.page("faults"))
        page.get_by_text("No rules: no faults are injected.").wait_for()
        banner = page.get_by_role("alert").filter(has_text="The sandbox does not respond")
        page.route("**/console/api/**", lambda route: route.abort())
        banner.wait_for()
        page.get_by_role("link", name="Companies").click()
        page.locator("main .error").wait_for()
        page.unroute_all()
        page.locator("tbody tr").wait_for()  # it is back, and the page that failed with it
        wait_for_count(banner, 0)
        page.get_by_role("link", name="Requests").click()
        page.get_by_role("switch", name="Record").wait_for()
    banner.wait_for()
    assert "Failed to fetch" not in page.content()
    page.close()


def test_a_stored_page_cannot_act_as_the_console(browser: Any, sandbox: Served) -> None:
    """A document that is a page with a script runs nothing, though it has the console's origin."""
    script = b"<p>stored</p><script>document.body.append('ran')</script>"
    order = sandbox.acme.order()
    document(sandbox.acme, order["Id"], "page", script, "text/html")
    (row,) = sandbox.acme.query("Document")
    page = browser.new_page()
    page.goto(row["DocUrl"])
    assert page.locator("body").inner_text() == "stored"
    page.close()


def test_what_fits_nothing_says_so_and_leaves_no_empty_box(page: Any, sandbox: Served) -> None:
    """A search without a result, a log that its filter hides, and a list without further pages."""
    page.goto(f"{sandbox.root}/docs")
    page.get_by_label("Search").fill("no such operation")
    page.get_by_text("No operation matches.", exact=True).wait_for()
    sandbox.acme.order()
    page.goto(sandbox.page("requests"))
    page.locator(".log details").first.wait_for()
    page.get_by_label("Filter").fill("no such request")
    page.get_by_text("requests match the filter").wait_for()
    assert not page.get_by_role("log").is_visible()
    page.goto(sandbox.page("companies/46"))
    wait_for_count(page.locator("tbody tr"), 1)
    assert page.get_by_text("Page 1", exact=True).count() == 0


def test_a_message_is_shown_whole_on_a_phone(page: Any, sandbox: Served) -> None:
    """It takes a second line of the header where one is too short."""
    page.set_viewport_size({"width": 380, "height": 700})
    page.goto(sandbox.page("requests"))
    page.get_by_label("Pause").check()
    status = page.locator("#status", has_text="Paused.")
    status.wait_for()
    assert status.evaluate("(e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight")


def test_a_list_of_long_words_stays_on_a_wide_page(page: Any, sandbox: Served) -> None:
    """Three columns of texts without blanks share the width; short words are not broken for them."""
    texts = {"Name": "M" * 60, "DisplayAs": "D" * 60, "Instructions": PAYLOAD + "W" * 300}
    entity = {**texts, "WorkZone": {"Id": 14}, "TenantCode": "T-1"}
    sandbox.acme.ok("POST", "base/Customer", {"Entity": entity})
    page.goto(sandbox.page("companies/46/types/Customer"))
    page.locator("tbody tr").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.get_by_text("Lindqvist Dental LLC").bounding_box()["height"] < 80


def test_the_description_is_browsed(page: Any, sandbox: Served) -> None:
    """The page of the OpenAPI document finds an operation and opens its body, and fits a phone."""
    page.set_viewport_size({"width": 380, "height": 760})
    page.goto(f"{sandbox.root}/docs")
    page.get_by_label("Search").fill("post cmd/WoCreate")
    page.locator("details details summary", has_text="/api/v1/cmd/WoCreateCommand").click()
    assert "WorkOrder*" in page.get_by_label("Request, application/json").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_keyboard_reaches_the_pages(page: Any, sandbox: Served) -> None:
    """The first stop skips to the content; the next ones are the pages, and Enter opens one."""
    page.goto(f"{sandbox.root}/console")
    page.locator("table").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("h1", has_text="Faults and clock").wait_for()
    assert page.evaluate("document.querySelector('[aria-current]').textContent") == "Faults and clock"
