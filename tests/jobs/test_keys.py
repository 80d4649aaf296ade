"""Keys of rows: unique, found by a query, and unlike those of records that are there."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import KEYED, MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending, order
from tests.jobs.test_check import checked
from tests.jobs.test_outputs import records
from tests.support.frames import leaks
from wosdk_async import NoAnswerError, WoCreateCommand
from wosdk_async.calls import marked_records
from wosdk_async.jobs.imports.check_result import Finding
from wosdk_async.jobs.journal import Journal
from wosdk_async.protocol.writes import UNDECIDED


async def test_keys_that_occur_twice_or_not_at_all_are_refused(local: Local) -> None:
    source = local.write([*rows("a", "b"), ["a", "another", "", ""], *rows("", " c", "b")])
    _, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert await held(local) == Counter("ab")
    assert outcomes[3].reason == "the key 'a' already belongs to row 1 (line 2); keys must be unique"
    assert "'b' already belongs to row 2 (line 3), and all cells that the map reads are equal" in str(
        outcomes[6].reason
    )
    assert {outcomes[row].code for row in (3, 6)} == {"RepeatedKey"}
    assert outcomes[4].reason == (
        "the key '{key}' in work_order.po_number is empty; each row needs its own key"
    )
    assert "work_order.po_number (' c') starts or ends with blanks" in str(outcomes[5].reason)


@pytest.mark.parametrize("is_marker", [True, False])
async def test_results_have_the_keys_of_rows_that_repeat_them(local: Local, is_marker: bool) -> None:
    """After another run, too."""
    text, options = (MAP, {"marker": MARKER}) if is_marker else (KEYED, {})
    source = local.write(rows("a", "b", "a"))
    for _ in range(2):
        summary, _ = await carried_out(local.job(source, text, **options), local)
        found = records(summary.folder / "results.csv")
        assert [each["key"] for each in found.values()] == ["a", "b", "a"]
        assert [each["code"] for each in found.values()] == ["", "", "RepeatedKey"]


@pytest.mark.parametrize("column", ["{key}", "W-{key}"])
@pytest.mark.parametrize("is_marker", [True, False])
async def test_keys_that_a_spreadsheet_shortened_are_refused(
    local: Local, column: str, is_marker: bool
) -> None:
    text = MAP.replace('"{key}"', f'"{column}"') if is_marker else f"key = '{column}'\n{MAP}"
    shortened = ["8,12E+11", "8,12E+11", "9.12345E+11", "1E+12 "]
    source = local.write([*rows(*shortened, "E+11", "8,12E", "K8,12E+11"), ["b", "8,12E+11", "", ""]])
    options = {"marker": MARKER} if is_marker else {}
    checked_rows: list[Finding] = []
    await checked(local, source, text, on_row=checked_rows.append, **options)
    _, outcomes = await carried_out(local.job(source, text, **options), local)
    assert [row for row, each in outcomes.items() if each.outcome == "failed"] == [1, 2, 3, 4]
    assert [each.row for each in checked_rows if each.kind == "refused"] == [1, 2, 3, 4]
    for row, key in enumerate(shortened, 1):
        reason = f"the key '{column}': {key!r} is a number that a spreadsheet shortened; format the column as"
        assert str(outcomes[row].reason).startswith(reason)


async def test_keys_that_are_there_already(local: Local) -> None:
    made = await local.company.run(WoCreateCommand(work_order=await order(local, "1")))
    source = local.write(rows(1, 2))
    _, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    holder = f"WorkOrder {made.wo.id}"
    assert outcomes[1].reason == f"already exists: {holder} has work_order.po_number '1'"
    summary, outcomes = await carried_out(
        local.job(source, MAP, marker=MARKER, again=True, if_exists="skip"), local
    )
    assert (summary.found, summary.complete) == (2, True)
    assert (outcomes[1].outcome, outcomes[1].work_order_id) == ("found", made.wo.id)
    assert await held(local) == Counter("12")


async def test_keys_that_cannot_be_looked_up_stop_the_import_with_a_summary(local: Local) -> None:
    """The service goes away while rows are sent; the first page of keys and the proof were looked up."""
    source = local.write(rows(*range(1, 211)))
    local.server.failing, local.server.failing_numbers = "query/WorkOrder", range(3, 1000)
    summary, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.created, summary.not_started, len(outcomes)) == (200, 10, 210)
    assert str(summary.stopped) == "row keys cannot be looked up: no queries today"
    local.server.failing = "\0"
    summary, _ = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.complete, summary.done_now) == (True, 10)
    assert await held(local) == Counter(map(str, range(1, 211)))


@pytest.mark.parametrize(("if_exists", "few"), [("fail", "failed"), ("skip", "found")])
async def test_several_keys_that_many_records_carry(
    local: Local, monkeypatch: pytest.MonkeyPatch, if_exists: str, few: str
) -> None:
    """In both halves of a page, and beside keys of which each has a few records."""
    monkeypatch.setattr(marked_records, "MAX_ROWS", 4)
    await local.run(rows(*["a"] * 4, *["b"] * 6, "c", "c", "d"), MAP)
    source = local.write(rows("a", 1, "c", 2, 3, "d", 4, "b"))
    again = local.job(source, MAP, marker=MARKER, again=True, if_exists=if_exists)
    summary, outcomes = await carried_out(again, local)
    assert (summary.created, summary.stopped) == (4, None)
    assert [outcomes[row].outcome for row in (1, 3, 6, 8)] == ["failed", few, few, "failed"]
    for row, start in (
        (1, "4 or more WorkOrder records have the key 'a'"),
        (8, "4 or more WorkOrder records have the key 'b'"),
    ):
        assert start in (outcomes[row].reason or "")


async def test_a_row_in_doubt_whose_key_many_records_carry_stays_in_doubt(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    await local.run(rows("a", "a", "a"), MAP)
    source = local.write(rows("a", "b"))
    await killed_while_sending(local.job(source, MAP, marker=MARKER, again=True), local, [1])
    monkeypatch.setattr(marked_records, "MAX_ROWS", 3)
    summary, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.created, summary.in_doubt) == (1, 1)
    assert "have the key 'a'" in (outcomes[1].reason or "")


async def test_a_marker_that_cannot_be_proved_stops_the_import(local: Local) -> None:
    """The row was created all the same; the next run proves the marker by another row."""
    local.server.failing, local.server.failing_numbers = "query/WorkOrder", range(2, 3)
    source = local.write(rows(1, 2, 3))
    summary, outcomes = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.created, summary.not_started, outcomes[1].outcome) == (1, 2, "created")
    assert "row 1 was created with work_order.po_number '1'; " in str(summary.stopped)
    assert str(summary.stopped).endswith(": no queries today")
    summary, _ = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert summary.complete
    assert await held(local) == Counter("123")


async def test_many_repeated_keys_do_not_stop_the_other_rows(local: Local) -> None:
    """They were refused before anything was sent, and say nothing about the map."""
    numbers = [*range(1, 41), *range(1, 31)]
    summary, outcomes = await carried_out(local.job(rows(*numbers), MAP, marker=MARKER), local)
    assert (summary.created, summary.failed, summary.stopped) == (40, 30, None)
    assert [outcomes[row].outcome for row in (1, 40, 41, 70)] == ["created", "created", "failed", "failed"]


async def test_a_marker_that_no_query_finds_costs_one_work_order(local: Local) -> None:
    local.server.hidden = "query/WorkOrder"
    summary, _ = await carried_out(local.job(rows(*range(50)), MAP, marker=MARKER), local)
    assert (summary.created, summary.not_started) == (1, 49)
    assert "row 1 was created with work_order.po_number '0'" in str(summary.stopped)


async def test_rows_are_not_new_while_queries_ignore_their_condition(local: Local) -> None:
    """Neither those to send first, nor those in doubt: records with other keys confirm no absence."""
    await local.company.run(WoCreateCommand(work_order=await order(local, "other")))
    source = local.write(rows("a", "b"))
    local.server.unconditional = "query/WorkOrder"
    summary = await local.run(source, MAP, marker=MARKER)
    assert (summary.done, summary.not_started, await held(local)) == (0, 2, Counter(["other"]))
    folder = await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    with pytest.raises(NoAnswerError, match="was not requested"):
        await local.run(source, MAP, marker=MARKER)
    async with Journal.open(folder, read_only=True) as journal:
        assert [row.row for row in await journal.rows_in(*UNDECIDED)] == [1]
    local.server.unconditional = "\0"
    assert (await local.run(source, MAP, marker=MARKER)).complete
    assert await held(local) == Counter(["other", "a", "b"])


async def test_a_failed_look_up_shows_no_secret_of_a_record(local: Local) -> None:
    """Neither its message nor a frame."""
    secret = local.variables["WOSDK_CLIENT_SECRET"]
    await local.company.run(WoCreateCommand(work_order=await order(local, secret)))
    source = local.write(rows("a"))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    local.server.unconditional = "query/WorkOrder"
    with pytest.raises(NoAnswerError, match="was not requested") as caught:
        await local.run(source, MAP, marker=MARKER)
    assert secret not in str(caught.value)
    assert leaks(caught.value, {"secret": secret}) == set()
