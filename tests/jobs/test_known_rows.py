"""Rows that a ledger knows by a key alone, or that a copy repeats, and the ledger that is named."""

from __future__ import annotations

import shutil

import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.maps import HEADER, MAP, rows
from wosdk_async.jobs.ledger.decision import RowSample
from wosdk_async.jobs.ledger.refusals import ImportRefusedError

KEYED = 'key = "{key}"\n' + MAP


async def test_a_key_without_a_field_knows_rows_from_the_first_run(
    local: Local, write: Write, job: Job
) -> None:
    assert (await job(write(HEADER, rows(1, 2)), KEYED).run(local.company)).done == 2
    changed = [["1", "another text", "notes 1", ""], *rows(2, 3)]
    assert (await job(write(HEADER, changed), KEYED).run(local.company)).done == 3
    assert len(await local.rows("WorkOrder")) == 3


async def test_a_map_gets_a_key_while_rows_are_appended(local: Local, write: Write, job: Job) -> None:
    assert (await job(write(HEADER, rows(1, 2)), MAP).run(local.company)).done == 2
    assert (await job(write(HEADER, rows(1, 2, 3)), KEYED).run(local.company)).done == 3
    changed = [["1", "another text", "notes 1", ""], *rows(2, 3)]
    assert (await job(write(HEADER, changed), KEYED).run(local.company)).done == 3
    assert len(await local.rows("WorkOrder")) == 3


async def test_a_key_that_rows_got_later_is_compared_with_what_a_spreadsheet_makes_of_it(
    local: Local, write: Write, job: Job
) -> None:
    for text in (MAP, KEYED):
        assert (await job(write(HEADER, rows("00501", "2")), text).run(local.company)).done == 2
    with pytest.raises(ImportRefusedError) as caught:
        await job(write(HEADER, rows("501", "2")), KEYED).run(local.company)
    found = caught.value.refusal
    assert (found.why, found.first_gone) == ("key_disguised", RowSample(2, "00501"))
    assert len(await local.rows("WorkOrder")) == 2


async def test_a_copy_is_refused_whose_rows_were_sent_with_corrected_cells(
    local: Local, write: Write, job: Job
) -> None:
    local.server.refused = "text 1"
    file = write(HEADER, rows(1))
    copy = shutil.copy(file, file.with_name("copy.csv"))
    assert (await job(file, MAP).run(local.company)).failed == 1
    rejects = file.with_name("rows.csv.job") / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("text 1", "corrected"))
    assert (await job(rejects, MAP).run(local.company)).done == 1
    local.server.refused = None
    with pytest.raises(ImportRefusedError) as caught:
        await job(copy, MAP).run(local.company)
    assert (caught.value.refusal.why, caught.value.refusal.rows) == ("sent_elsewhere", 1)


async def test_a_named_folder_is_used_beside_those_of_other_operations(
    local: Local, write: Write, job: Job
) -> None:
    file = write(HEADER, rows(1))
    folder = file.with_name("rows.csv.job")
    assert (await job(file, MAP).run(local.company)).done == 1
    reading = 'operation = "WoLastModificationCommand"\n[command]\nwork_order_id = "{key}"\n'
    assert (await job(file, reading).run(local.company)).folder == folder.with_name("rows.csv.job-2")
    summary = await job(file, MAP, folder=folder).run(local.company)
    assert (summary.folder, summary.done_now) == (folder, 0)
