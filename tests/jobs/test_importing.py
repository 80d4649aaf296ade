"""Rows become work orders, exactly as they stand in the file."""

from __future__ import annotations

import asyncio
import csv
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.conftest import Local, serving
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from tests.jobs.runs import carried_out
from tests.jobs.test_outputs import records
from tests.support.laws import examples
from wosdk_async import InvalidCallError
from wosdk_async.jobs import CsvFile, Import, ImportMapError, RowOutcome
from wosdk_async.jobs.imports import sending
from wosdk_async.jobs.imports.verification import decide
from wosdk_async.jobs.journal import Journal, State


async def held(local: Local) -> dict[str, tuple[str, str]]:
    """What the Company holds: number of the file -> comment of the item, comment of the creation."""
    items = {
        row["WorkOrderId"]: row["Comment"] for row in await local.rows("WoItem", "WorkOrderId", "Comment")
    }
    logs = await local.rows("WoActionLog", "WorkOrderId", "Comment", "TypeId")
    comments = {row["WorkOrderId"]: row["Comment"] for row in logs if row["TypeId"] == "Create"}
    orders = await local.rows("WorkOrder", "PoNumber")
    assert len({row["PoNumber"] for row in orders}) == len(orders)
    return {row["PoNumber"]: (items[row["Id"]], comments[row["Id"]]) for row in orders}


async def test_each_row_becomes_one_work_order(local: Local) -> None:
    outcomes: list[RowOutcome] = []
    summary = await local.job(rows(*range(1, 101)), MAP, concurrency=7).run(
        local.company, on_row=outcomes.append
    )
    assert summary.complete
    assert sorted(row.row for row in outcomes) == list(range(1, 101))
    assert all(row.line == row.row + 1 and row.work_order_id and row.number for row in outcomes)
    assert await held(local) == {str(i): (f"text {i}", f"notes {i}") for i in range(1, 101)}


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


@pytest.fixture
def at_home(tmp_path: Path, dialect: str) -> Iterator[tuple[asyncio.Runner, Local]]:
    """A local Company that lives through all examples of a law."""
    with asyncio.Runner() as runner:
        opened = serving(tmp_path / "store.db", dialect)
        yield runner, runner.run(opened.__aenter__())
        runner.run(opened.__aexit__(None, None, None))


@examples(8)
@given(pairs=st.lists(st.tuples(texts, texts), min_size=1, max_size=10))
def test_any_text_survives(
    at_home: tuple[asyncio.Runner, Local], tmp_path: Path, pairs: list[tuple[str, str]]
) -> None:
    runner, local = at_home
    path = tmp_path / f"{uuid.uuid4().hex}.csv"  # each example is an import of its own
    keyed = {uuid.uuid4().hex: pair for pair in pairs}
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *([key, *pair, ""] for key, pair in keyed.items())])

    async def round_trip() -> None:
        assert (await local.run(path, MAP)).complete
        found = await held(local)
        assert {key: found[key] for key in keyed} == keyed

    runner.run(round_trip())


async def test_bad_rows_are_reported_and_all_others_created(local: Local, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(
        f"key,text,notes,customer\n1,a\n2,{'x' * 3097},n,\n3,a,{'y' * 3073},\n4,a,n,\n5,a,n,c,d\n"
    )
    summary, outcomes = await carried_out(local.job(path, MAP), local)
    assert (summary.rows, summary.created, summary.failed, summary.complete) == (5, 1, 4, False)
    assert {number: row.reason for number, row in outcomes.items()} == {
        1: "the record has 2 cells, the header 4; add the missing cells, even if empty",
        2: "command.work_order.items[0].comment has 3097 characters, but the limit is 3096; "
        "shorten the text, or set truncate = true",
        3: "command.comment has 3073 characters, but the limit is 3072; "
        "shorten the text, or set truncate = true",
        4: None,
        5: "the record has 5 cells, the header 4; quote cells that contain a delimiter",
    }


async def test_a_text_may_be_cut_with_a_warning(local: Local) -> None:
    text = MAP.replace('comment = "{notes}"', 'comment = { text = "{notes}", truncate = true }')
    _, outcomes = await carried_out(local.job([["1", "", "é" * 3080, ""]], text), local)
    assert await held(local) == {"1": ("", "é" * 3072)}
    assert outcomes[1].warnings == ("command.comment has 3080 characters and was truncated to 3072",)


async def test_columns_are_read_as_the_type_of_their_field(local: Local) -> None:
    text = MAP.replace(
        'po_number = "{key}"',
        'po_number = "{key}"\nduration = "{text}"\n'
        'vendor_nte = { currency_type_id = "USD", value = "{notes}" }',
    )
    source = local.write(
        [["1", "90", "12.50", ""], ["2", "", "", ""], ["3", "long", "1", ""], ["4", "1", "NaN", ""]]
    )
    _, outcomes = await carried_out(local.job(source, text), local)
    assert (
        outcomes[3].reason == "command.work_order.duration takes a whole number, not 'long' (column 'text')"
    )
    assert outcomes[4].reason == (
        "command.work_order.vendor_nte.value takes a number such as 12.50, not 'NaN' (column 'notes')"
    )
    orders = await local.rows("WorkOrder", "Duration", "VendorNte", "PoNumber")
    found = {row["PoNumber"]: (row["Duration"], float(row["VendorNte"]["Value"])) for row in orders}
    assert found == {"1": (90, 12.5), "2": (60, 0.0)}  # without one the task's own duration


async def test_a_header_without_rows_is_an_import_of_nothing(local: Local) -> None:
    summary = await local.run([], MAP)
    assert summary.complete
    (warning,) = summary.warnings
    assert warning.endswith("rows.csv: there are no rows below the header")
    assert summary.as_dict() | {"seconds": 0} == {
        "job": str(summary.folder),
        "rows": 0,
        "created": 0,
        "created_now": 0,
        "failed": 0,
        "in_doubt": 0,
        "warnings": summary.warnings,
        "empty_rows": 0,
        "seconds": 0,
    }


async def test_stopping_twice_leaves_what_is_under_way_in_doubt(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "ABORT_GRACE", 0.0)
    ready = local.job(rows(*range(1, 41)), MAP, concurrency=1)
    outcomes: list[RowOutcome] = []
    local.server.held = asyncio.Event()
    running = asyncio.create_task(ready.run(local.company, on_row=outcomes.append))
    await local.server.arrived.wait()
    ready.stop()
    ready.stop()
    summary = await running
    assert (summary.in_doubt, summary.not_started, len(outcomes)) == (1, 39, 40)
    assert outcomes[0].outcome == "in_doubt"
    assert running.cancelling() == 0


@pytest.mark.parametrize("wo", [True, -7, 0, None, [7], {"Id": 7}, ...], ids=str)
async def test_a_success_without_a_record_leaves_a_row_in_doubt(local: Local, wo: Any) -> None:
    """Only a record proves that a row was created."""

    def alter(answer: Any) -> None:
        answer["CommandResult"] = {} if wo is ... else {"Wo": {"Id": wo}}

    local.server.altered = alter
    summary, outcomes = await carried_out(local.job(rows(1), MAP), local)
    assert (summary.in_doubt, summary.created, summary.complete) == (1, 0, False)
    assert outcomes[1].outcome == "in_doubt"


async def test_a_row_that_the_service_carried_out_twice_is_in_doubt(local: Local) -> None:
    """A refused row would have no record, and would be corrected and sent a third time."""
    local.server.unheard, local.server.times = 1, 2
    source = local.write(rows(1, 2))
    summary = await local.run(source, MAP, marker=MARKER, concurrency=1)
    assert (summary.done, summary.failed, summary.in_doubt) == (1, 0, 1)
    summary = await local.run(source, MAP, marker=MARKER)
    assert (summary.done, summary.failed, summary.in_doubt) == (1, 0, 1)
    assert len(await local.rows("WorkOrder")) == 3


async def test_a_response_that_says_nothing_leaves_a_row_in_doubt(local: Local) -> None:
    local.server.broken = True
    summary, outcomes = await carried_out(local.job(rows(1), MAP), local)
    assert (summary.in_doubt, summary.created, summary.complete) == (1, 0, False)
    assert outcomes[1].outcome == "in_doubt"
    assert outcomes[1].request_id in local.server.bodies[-1]


@pytest.mark.parametrize("marker", [None, MARKER])
async def test_a_row_in_doubt_keeps_its_warnings_and_figures_also_when_a_person_decides(
    local: Local, marker: str | None
) -> None:
    """With a marker it is looked up first, and left in doubt when that is stopped."""
    text = MAP.replace('comment = "{notes}"', 'comment = { text = "{notes}", truncate = true }')
    local.server.broken = True
    local.company = local.company.with_options(deadline=0.5, settle=60)
    ready = local.job([["1", "", "é" * 3080, ""]], text, marker=marker)
    summary, outcomes = await carried_out(
        ready, local, on_stage=lambda words: ready.stop() if words.startswith("rows in doubt") else None
    )
    assert (summary.in_doubt, outcomes[1].code) == (1, "InDoubtError")
    async with Journal.open(summary.folder) as journal:
        (before,) = await journal.rows_in()
        await decide(journal, 1, 77, "me")
        (after,) = await journal.rows_in()
    assert (before.state, before.code, after.state, after.id) == (
        *(State.IN_DOUBT, "InDoubtError", State.DONE, 77),
    )
    assert (len(before.warnings), before.attempts >= 1, before.seconds > 0) == (1, True, True)
    assert (after.warnings, after.request_id) == (before.warnings, before.request_id)
    (found,) = records(summary.folder / "results.csv").values()
    assert (found["code"], found["request_id"]) == ("InDoubtError", before.request_id)


async def test_a_cancelled_import_reports_every_row_and_stays_cancelled(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "ABORT_GRACE", 0.0)
    outcomes: list[RowOutcome] = []
    local.server.held = asyncio.Event()
    running = asyncio.create_task(
        local.job(rows(1, 2, 3), MAP, concurrency=1).run(local.company, on_row=outcomes.append)
    )
    await local.server.arrived.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    expected = ["in_doubt", "not_started", "not_started"]
    assert [row.outcome for row in outcomes] == expected
    found = records(local.folder / "rows.csv.job" / "results.csv")
    assert [row["outcome"] for row in found.values()] == expected


def test_names_of_files_are_refused(local: Local) -> None:
    """The message names what opens them."""
    source = local.write(rows(1))
    names: tuple[Any, Any] = (str(source), "map.toml")
    with pytest.raises(InvalidCallError, match=r"is a file name; pass open_source\(...\)"):
        Import(*names)
    with pytest.raises(InvalidCallError, match=r"'map.toml' .*; pass ImportMap.load\(...\)"):
        Import(CsvFile(source), names[1])


@pytest.mark.parametrize("now", [b"key,text,notes\n1,other,x\n", b"another\nfile\n", b"\xff\xff\n", b""])
def test_a_file_that_changed_since_it_was_opened_is_not_read(local: Local, now: bytes) -> None:
    """Whatever it says now: not that its columns or its encoding are wrong."""
    path = local.write(rows(1))
    opened = local.job(path, MAP)
    path.write_bytes(now)
    with pytest.raises(ImportMapError, match="has changed since it was opened"):
        opened.read()
