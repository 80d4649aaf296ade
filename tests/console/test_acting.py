"""What a person does in the console: create, act, try. It goes through the service, as all calls do."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.console.browser import Watch, wait_for_count
from tests.console.served import Served, served
from tests.console.test_examples import prepare
from tests.support.laws import some
from wosdk_async import catalogue
from wosdk_async.sandbox.service.commands.registry import NOT_MODELLED

pytestmark = pytest.mark.browser
COMMANDS = catalogue.load().commands


def act(page: Any, title: str, comment: str = "") -> None:
    page.locator("#action").select_option(label=title)
    page.locator("#comment").fill(comment)
    page.get_by_role("button", name="Send").click()


def state_of(sandbox: Served, order: int) -> str:
    return str(sandbox.acme.get("WorkOrder", order)["StatusId"])


def test_a_work_order_is_created_held_and_completed(page: Any, sandbox: Served) -> None:
    """Each step is a command in the log, with a token, and the page shows the new state and what happened."""
    page.goto(sandbox.page("companies/46/create"))
    page.get_by_role("button", name="Create").click()
    page.locator("h1", has_text="Work order RSC000001").wait_for()
    for title, state in (
        ("Hold", "OnHold"),
        ("Reopen", "New"),
        ("Assign", "New"),
        ("Pick up", "Open"),
        ("Start", "InProgress"),
        ("Pause", "Paused"),
        ("Start", "InProgress"),
        ("Flag", "InProgress"),
        ("Complete", "Completed"),
        ("Reopen", "New"),
        ("Cancel", "Cancelled"),
    ):
        act(page, title, f"{title} it\nnow")
        page.locator("#status", has_text=f"{title}: the order is {state}.").wait_for()
        assert page.locator("h1 .state").inner_text() == state
        assert state_of(sandbox, 1) == state
        page.get_by_label("Summary").get_by_text(f"“{title} it").wait_for()
    assert sandbox.acme.get("WorkOrder", 1)["Employee"] == {"Id": 208}
    page.goto(sandbox.page("requests"))
    line = page.locator("details", has_text="WoOnHoldCommand")
    line.locator("summary").click()
    assert "authorization: Bearer" in line.get_by_label("Headers of the request").inner_text()
    assert "$WOSDK_TOKEN" in line.get_by_label("Command line for curl").inner_text()


def test_the_summary_comes_first(page: Any, sandbox: Served) -> None:
    """State, priority, place, assignee, due and what happened; the raw JSON is closed, at the end."""
    order = sandbox.acme.order({"ComputeSchedule": True, "EmployeeId": 208})
    due = sandbox.acme.get("WorkOrder", order["Id"])["DueDateUtc"]
    sandbox.acme.run("WoPickUpCommand", WorkOrderId=order["Id"], Comment="On the way")
    page.goto(sandbox.page(f"companies/46/orders/{order['Id']}"))
    summary = page.locator("main section").first
    text = summary.inner_text()
    for part in ("Open", "Normal", "Air handler AH-3, Riverside Campus", "Mira Okafor", "On the way"):
        assert part in text
    assert due[:19].replace("T", " ") in text
    raw = page.get_by_label("Raw JSON, as the service sends it")
    assert not raw.is_visible()
    page.get_by_text("Raw JSON").click()
    assert '"StatusId": "Open"' in raw.inner_text()
    assert page.locator("main > *").last.inner_text().startswith("Raw JSON")


def test_one_form_of_times_on_every_page(page: Any, sandbox: Served) -> None:
    """Every page says the zone, and each time on it is written in the same way."""
    order = sandbox.acme.order({"ComputeSchedule": True})["Id"]
    for path in (f"companies/46/orders/{order}", "companies/46", f"companies/46/types/WorkOrder/{order}"):
        check_times(page, sandbox.page(path))
    for path in ("companies/46/types/TimeCard/6001", "requests", "faults"):
        check_times(page, sandbox.page(path))


def check_times(page: Any, url: str) -> None:
    page.goto("about:blank")
    page.goto(url)
    page.locator("main time").first.wait_for()
    page.get_by_text("Times are UTC").wait_for()
    written = page.locator("main time").all_text_contents()
    assert [each for each in written if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", each)] == []
    page.evaluate("document.querySelectorAll('main :is(time, pre)').forEach((one) => one.remove())")
    assert not re.search(r"\d\dT\d\d:|\d\d:\d\d", page.locator("main").inner_text())


def test_a_refused_action_is_explained_beside_its_form(browser: Any, sandbox: Served) -> None:
    """Of a page that is old: the code and the text of the service, and the form stays."""
    order = sandbox.acme.order()["Id"]
    page = browser.new_page()
    page.goto(sandbox.page(f"companies/46/orders/{order}"))
    page.get_by_role("button", name="Send").wait_for()
    sandbox.acme.run("WoPickUpCommand", WorkOrderId=order)
    act(page, "Pick up", "mine")
    page.get_by_label("Actions").get_by_role("alert").get_by_text("Reload the page").wait_for()
    assert page.locator("#comment").input_value() == "mine"
    page.close()


def test_faults_and_dead_tokens_meet_the_console_too(browser: Any, sandbox: Served) -> None:
    """A new token is had when one has expired; a call without a response is called in doubt, not failed."""
    order = sandbox.acme.order()["Id"]
    page = browser.new_page()
    page.goto(sandbox.page(f"companies/46/orders/{order}"))
    act(page, "Pick up")
    page.locator("h1", has_text="Open").wait_for()
    sandbox.local.clock.advance(minutes=21)
    act(page, "Start")
    page.locator("h1", has_text="InProgress").wait_for()
    sandbox.local.faults.add("reset", operation="WoCompleteCommand", carried_out=True)
    act(page, "Complete")
    page.get_by_role("alert").get_by_text("it is not known whether the request was carried out").wait_for()
    wait_for_count(page.get_by_text("The sandbox does not respond"), 0)
    page.reload()
    page.locator("h1", has_text="Completed").wait_for()
    page.goto(sandbox.page("requests"))
    page.get_by_label("Only with injected faults").check()
    wait_for_count(page.locator("summary:visible", has_not_text="WoComplete"), 0)
    # Chromium itself sends a request again whose kept connection was reset: there may be several
    marks = page.locator("summary:visible .fault").all_inner_texts()
    assert set(marks) == {"injected: reset"}
    page.close()


def test_the_log_is_filtered_and_paused(page: Any, sandbox: Served) -> None:
    """By words, response and faults; while it is paused nothing moves, and afterwards nothing is missing."""
    call, headers = sandbox.acme.http.get, sandbox.acme.headers
    call(f"{sandbox.root}/api/v1/base/Customer/512", headers=headers)
    call(f"{sandbox.root}/api/v1/base/Customer/999999", headers=headers)
    sandbox.local.faults.add("status", status=503, first=1)
    call(f"{sandbox.root}/api/v1/base/Customer/513", headers=headers)
    page.clock.install()
    page.goto(sandbox.page("requests"))
    lines = page.locator(".log summary:visible")
    wait_for_count(lines, 4)
    for label, found in (("2xx", 2), ("4xx", 1), ("5xx", 1), ("broken", 0), ("any", 4)):
        page.get_by_label("Response").select_option(label=label)
        wait_for_count(lines, found)
    page.get_by_label("Only with injected faults").check()
    wait_for_count(lines, 1)
    assert lines.locator(".fault").inner_text() == "injected: status"
    page.get_by_label("Only with injected faults").uncheck()
    page.get_by_label("Filter").fill("get customer/999")
    wait_for_count(lines, 1)
    page.get_by_label("Filter").fill("")
    page.get_by_label("Pause").check()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    call(f"{sandbox.root}/api/v1/base/Customer/512", headers=headers)
    page.clock.run_for(3000)
    assert asked == []
    page.get_by_label("Pause").uncheck()
    page.clock.resume()
    wait_for_count(lines, 5)


def test_copy_as_curl(page: Any, sandbox: Served) -> None:
    """The button puts the command line on the clipboard, without the token."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=sandbox.root)
    sandbox.acme.order()
    page.goto(sandbox.page("requests"))
    page.locator("summary", has_text="WoCreateCommand").click()
    page.get_by_role("button", name="Copy as curl").click()
    page.locator("#status", has_text="Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.get_by_label("Command line for curl").inner_text()
    assert sandbox.acme.headers["Authorization"].removeprefix("Bearer ") not in copied


def test_every_command_is_tried_in_the_docs(browser: Any, sandbox: Served) -> None:
    """As the page offers it: sent with its example, it is carried out, or refused as not modelled."""
    prepare(sandbox.acme)
    page = browser.new_page()
    page.goto(f"{sandbox.root}/docs")
    page.get_by_label("Search").fill("api/v1/cmd/")
    lines = page.locator("details details")
    wait_for_count(lines, len(COMMANDS))
    page.locator(".docs > details > summary").click()
    for command in some(COMMANDS.values(), 4):
        if command.name.startswith("Wo"):
            prepare(sandbox.acme)  # the action before has used up an order of its state
        line = lines.filter(has=page.get_by_text(f"/api/v1/cmd/{command.path}", exact=True))
        line.locator("summary").click()
        expected = "400" if command.name in NOT_MODELLED else "200"
        line.get_by_label("Body").filter(visible=True).wait_for()
        line.get_by_role("button", name="Send").click()
        line.locator(".status").wait_for()
        assert line.locator(".status").inner_text() == expected, command.name
        if command.name == "UserOrProviderSuspendCommand":  # later commands need the provider
            sandbox.acme.run(command.name, Id=230, Reactivate=True)
    page.close()


def test_reads_and_queries_are_tried_in_the_docs(page: Any, sandbox: Served) -> None:
    """With records of the Company that was chosen; the response keeps its digits."""
    page.goto(f"{sandbox.root}/docs")
    for words, expected in (("get base/Customer/{id}", '"Id": 513'), ("query/Employee", '"Mira Okafor"')):
        page.get_by_label("Search").fill(words)
        line = page.locator("details details").first
        line.locator("summary").click()
        line.get_by_role("button", name="Send").click()
        line.get_by_label("Response of the service").wait_for()
        assert expected in line.get_by_label("Response of the service").inner_text()


def test_another_company_is_chosen_for_requests(browser: Any) -> None:
    """Pages name their Company; in the docs the one that is chosen gets the request."""
    with served() as running:
        page = browser.new_page()
        watch = Watch(page, running.root)
        running.acme.http.post(f"{running.root}/_sandbox/companies", json={"Name": "Second <b>Company</b>"})
        page.goto(f"{running.root}/docs")
        page.locator("#company", has_text="All 2 Companies: AcmeFacilities, Second <b>Company</b>").wait_for()
        page.get_by_label("Company for requests").select_option(label="Second <b>Company</b>")
        page.get_by_label("Search").fill("cmd/WoCreateCommand")
        page.locator("details details summary").click()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("from Second <b>Company</b>").wait_for()
        page.goto(f"{running.root}/console")
        row = page.locator("tbody tr", has_text="Second")
        assert row.locator('td[data-label="WorkOrder"]').inner_text() == "1"
        row.locator("a").first.click()
        page.locator("h1", has_text="Work orders of Second <b>Company</b>").wait_for()
        assert page.locator("#company").inner_text() == "Second <b>Company</b>"
        assert watch.complaints == []
        page.close()


def test_each_control_says_that_the_sandbox_has_ended_and_what_to_do(browser: Any) -> None:
    """A request that was not sent is not in doubt; a link does not lead to the browser's page of errors."""
    with served() as running:
        running.local.faults.load({"rule": [{"fault": "latency", "fixed": 0}]})
        order = running.acme.order()["Id"]
        pages = {
            path: browser.new_page()
            for path in (f"companies/46/orders/{order}", "companies/46/create", "faults", "requests", "docs")
        }
        for path, page in pages.items():
            page.goto(f"{running.root}/docs" if path == "docs" else running.page(path))
            if path == "docs":
                page.get_by_label("Search").fill("cmd/WoCreateCommand")
                page.locator("details details summary").click()
            page.locator("main :is(form button:enabled, #record)").first.wait_for()
    sent, created, faults, requests, tried = pages.values()
    for page, name in ((sent, "Send"), (created, "Create"), (tried, "Send")):
        page.get_by_role("button", name=name, exact=True).click()
        page.locator("main").get_by_role("alert").get_by_text(
            "Nothing was sent: the sandbox does not respond. Start it again"
        ).wait_for()
        banner = page.get_by_role("alert").filter(has_text="wosdk sandbox serve")
        banner.filter(has_text="it was shut down, or is unreachable").wait_for()
        wait_for_count(page.get_by_text("is not known"), 0)
    for page, name in (
        (faults, "Advance"),
        (faults, "Add"),
        (faults, "Remove rule 1, latency"),
        (requests, "Clear"),
        (tried, "New example"),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        page.locator("main").get_by_role("alert").get_by_text("Start it again").last.wait_for()
    sent.get_by_role("link", name="API").click()
    sent.get_by_role("link", name="Companies", exact=True).first.click()
    sent.locator("main .error", has_text="Start it again").wait_for()
    for page in pages.values():
        page.close()


def test_that_the_sandbox_does_not_respond_is_said_no_longer_when_it_is_back(
    browser: Any, sandbox: Served
) -> None:
    page = browser.new_page()
    order = sandbox.acme.order()["Id"]
    page.goto(sandbox.page(f"companies/46/orders/{order}"))
    page.get_by_role("button", name="Send").wait_for()
    page.route("**/console/api/**", lambda route: route.abort())
    act(page, "Pick up")
    said = page.get_by_text("Nothing was sent: the sandbox does not respond.")
    said.wait_for()
    page.unroute_all()
    wait_for_count(said, 0)
    assert state_of(sandbox, order) == "New"
    act(page, "Pick up")
    page.locator("h1", has_text="Open").wait_for()
    page.close()


def test_a_request_during_which_the_sandbox_ends_is_in_doubt(browser: Any, sandbox: Served) -> None:
    page = browser.new_page()
    order = sandbox.acme.order()["Id"]
    page.goto(sandbox.page(f"companies/46/orders/{order}"))
    page.get_by_role("button", name="Send").wait_for()

    def end(route: Any) -> None:
        page.route("**/console/api/**", lambda later: later.abort())
        route.abort()

    page.route("**/api/v1/cmd/**", end)
    act(page, "Pick up")
    said = page.locator("main").get_by_role("alert")
    said.get_by_text("was carried out. The sandbox no longer responds. Start it again").wait_for()
    said.get_by_text("check the result before you send this again").wait_for()
    page.close()
