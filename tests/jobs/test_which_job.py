"""Which job a command goes on with, when the file, the map, the marker or the Company is another."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Job, Local, Write
from tests.jobs.maps import HEADER, MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending
from wosdk_async import WorkOrder
from wosdk_async.jobs import Import, ImportMap, ImportMapError, ImportOptions, RowOutcome, open_source
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.undo import Undo


async def stopped_after(number: int, ready: Import, local: Local) -> None:
    def on_row(outcome: RowOutcome) -> None:
        if outcome.row == number:
            ready.stop()

    await ready.run(local.company, on_row=on_row)


async def test_a_file_that_changed_needs_a_word(local: Local, job: Job, write: Write) -> None:
    options = {"marker": MARKER, "limit": 1}
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4, 5, 6)), MAP, **options), local)
    created = set(await held(local))
    source = write(HEADER, rows(6, 5, 4, 3, 2, 1, 7))
    with pytest.raises(ImportMapError, match=r"has changed since the job in .* add --continue to"):
        await job(source, MAP, **options).run(local.company)
    assert set(await held(local)) == created
    summary, outcomes = await carried_out(job(source, MAP, carry_over=True, **options), local)
    assert summary.created == 7
    assert await held(local) == Counter("1234567")
    assert {outcomes[number].row for number in outcomes}.isdisjoint({6}), "row 6 is the row 1 of before"


async def test_without_keys_a_changed_file_cannot_be_continued(local: Local, job: Job, write: Write) -> None:
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4, 5, 6)), MAP, limit=1), local)
    with pytest.raises(ImportMapError, match="identifies rows by their keys"):
        await job(write(HEADER, rows(6)), MAP, carry_over=True).run(local.company)


async def test_a_file_that_is_as_it_was_belongs_to_its_old_job(local: Local, job: Job, write: Write) -> None:
    for keys, now in (((1, 2), 2), ((3, 4, 5), 3), ((1, 2), 0)):
        summary = await job(write(HEADER, rows(*keys)), MAP).run(local.company)
        assert summary.created_now == now


@pytest.mark.parametrize("all_of_it", [False, True])
async def test_a_job_whose_lock_is_removed_sends_no_more(
    local: Local, job: Job, write: Write, all_of_it: bool
) -> None:
    source = write(HEADER, rows(*range(60)))
    ready = job(source, MAP, limit=2)
    folder = source.with_name("rows.csv.job")

    def on_row(outcome: RowOutcome) -> None:
        if outcome.row == 5:
            shutil.rmtree(folder) if all_of_it else (folder / "lock").unlink()

    summary = await ready.run(local.company, on_row=on_row)
    assert "while this process worked on the job" in (summary.stopped or "")
    assert sum((await held(local)).values()) < 5 + 2 * 2 + 3


async def test_keys_of_the_job_itself_tell_no_rows_of_another_file(
    local: Local, job: Job, write: Write
) -> None:
    text = MAP.replace('po_number = "{key}"\n', "")
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4, 5, 6)), text, marker=MARKER, limit=1), local)
    with pytest.raises(ImportMapError, match="the rows of this job have none of their own"):
        await job(write(HEADER, rows(6)), text, marker=MARKER, carry_over=True).run(local.company)


async def test_rows_in_doubt_that_a_new_file_lacks_are_named(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2, 3))
    await killed_while_sending(job(source, MAP, marker=MARKER), local, [1, 2])
    local.company = local.company.with_options(settle=0)
    source = write(HEADER, rows(3, 2))
    summary, _ = await carried_out(job(source, MAP, marker=MARKER, carry_over=True), local)
    assert summary.created == 2
    assert any("not in the new file: '1' (line 2); wosdk jobs settle " in text for text in summary.warnings)


async def test_a_changed_file_after_a_finished_job_is_a_new_one(local: Local, job: Job, write: Write) -> None:
    first = await job(write(HEADER, rows(1)), MAP).run(local.company)
    second = await job(write(HEADER, rows(2)), MAP).run(local.company)
    assert (second.rows, second.created) == (1, 1)
    assert second.folder != first.folder
    assert await held(local) == Counter("12")


async def test_a_file_that_changes_while_it_is_read_stops_the_job(
    local: Local, job: Job, write: Write
) -> None:
    ready = job(write(HEADER, rows(1, 2)), MAP)
    await ready.open(local.company)
    write(HEADER, rows(1, 9))
    summary, outcomes = await carried_out(ready, local)
    assert "line 3: the file has changed since the job began" in (summary.stopped or "")
    assert await held(local) == Counter()
    assert {row.outcome for row in outcomes.values()} == {"not_started"}


async def test_refused_rows_are_sent_again_with_a_better_map(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, [["1", "t", "n", ""], ["2", "t", "long" * 1000, ""]])
    summary, _ = await carried_out(job(source, MAP), local)
    assert (summary.created, summary.failed) == (1, 1)
    better = MAP.replace('comment = "{notes}"', 'comment = { text = "{notes}", truncate = true }')
    summary, _ = await carried_out(job(source, better), local)
    assert (summary.created, summary.failed) == (1, 1), "without being asked nothing is sent again"
    summary, outcomes = await carried_out(job(source, better, retry_refused=True), local)
    assert (summary.created, list(outcomes)) == (2, [2])
    assert await held(local) == Counter("12")


async def test_another_marker_is_another_job(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1, 2, 3, 4))
    await stopped_after(1, job(source, MAP, limit=1), local)
    with pytest.raises(
        ImportMapError, match=r"began with no marker; give the same to go on\. --again --aban"
    ):
        await job(source, MAP, marker=MARKER).run(local.company)


async def test_a_job_belongs_to_one_process(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1))
    first = job(source, MAP)
    await first.open(local.company)
    with pytest.raises(JournalError, match="another process works on this job"):
        await job(source, MAP).open(local.company)
    await first.close()
    assert (await job(source, MAP).run(local.company)).created == 1


async def test_a_job_in_which_nothing_was_sent_gives_way(local: Local, job: Job, write: Write) -> None:
    """As when the user said no: rows that were refused without being sent do not count."""
    opened = await job(write(HEADER, rows(1, 1, 2)), MAP, marker=MARKER).open(local.company)
    await opened.journal.close()
    summary, outcomes = await carried_out(job(write(HEADER, rows(3, 4, 3)), MAP, marker=MARKER), local)
    assert (summary.created, summary.failed) == (2, 1)
    assert (outcomes[3].reason or "").startswith("the key '3' is that of row 1"), (
        "it is a new job: all is told"
    )
    assert await held(local) == Counter("34")


async def test_each_company_has_its_own_job(local: Local, job: Job, write: Write) -> None:
    source = write(HEADER, rows(1))
    first = job(source, MAP)
    opened = await first.open(local.company)
    assert opened.plan.company == f"acmefacilities ({local.company.id}) at this machine"
    await first.run(local.company)
    for identity, is_new in (("another", True), ("another", False), (opened.plan.company, False)):
        ready = job(source, MAP)
        assert (await ready.open(local.company, identity=identity)).new == is_new
        await ready.run()


async def test_refused_rows_are_not_sent_again_once_their_rejects_were(
    local: Local, job: Job, write: Write
) -> None:
    """Without keys of their own they would be created twice."""
    wrong = [["1", "x" * 4000, "n", ""], ["2", "t", "n", ""]]
    source = write(HEADER, wrong)
    summary, _ = await carried_out(job(source, MAP), local)
    assert (summary.created, summary.failed, summary.folder is None) == (1, 1, False)
    assert summary.folder is not None
    rejects = summary.folder / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("x" * 4000, "short"))
    summary, _ = await carried_out(job(rejects, MAP), local)
    assert summary.complete
    with pytest.raises(ImportMapError, match=r"were imported by the job in .*rejects\.csv\.job: "):
        await carried_out(job(source, MAP, retry_refused=True), local)
    assert await held(local) == Counter("12")


# --- a file that changed after its job was finished ------------------------------------------------------


async def test_rows_without_keys_are_not_created_twice_because_their_file_was_saved_again(
    local: Local, job: Job, write: Write
) -> None:
    """As spreadsheets do: other bytes, equal cells. Only ``again`` sends them once more."""
    await job(write(HEADER, rows(1, 2)), MAP).run(local.company)
    source = write(HEADER, rows(1, 2, 3))
    with pytest.raises(
        ImportMapError, match=r"2 of the rows of .*rows.csv were sent by the job in .*--again"
    ):
        await job(source, MAP).run(local.company)
    assert len(await local.company.query(WorkOrder).select("Id").all()) == 2
    assert (await job(source, MAP, again=True).run(local.company)).created_now == 3


async def test_rows_that_are_new_need_no_word(local: Local, job: Job, write: Write) -> None:
    for keys in ((1, 2), (3, 4)):
        assert (await job(write(HEADER, rows(*keys)), MAP).run(local.company)).created_now == 2


async def test_after_rows_were_mended_in_the_file_its_finished_job_goes_on(
    local: Local, job: Job, write: Write
) -> None:
    """The first row failed and is mended, the second one was created, the third one is new."""
    long = ["1", "x" * 4000, "", ""]
    assert (await job(write(HEADER, [long, *rows(2)]), MAP, marker=MARKER).run(local.company)).failed == 1
    source = write(HEADER, rows(1, 2, 3))
    with pytest.raises(ImportMapError, match=r"1 of the rows of .* were sent .*: add --continue to go on"):
        await job(source, MAP, marker=MARKER).run(local.company)
    assert await held(local) == Counter("2")
    summary = await job(source, MAP, marker=MARKER, carry_over=True).run(local.company)
    assert (summary.created_now, summary.failed) == (2, 0)
    assert await held(local) == Counter("123")


async def test_a_row_that_was_sent_is_known_by_its_key_whatever_else_changed(
    local: Local, job: Job, write: Write
) -> None:
    """Also when a column was added, which changes all rows."""
    await job(write(HEADER, rows(1, 2)), MAP, marker=MARKER).run(local.company)
    wider = [*HEADER, "remark"], [[*row, "seen"] for row in rows(1, 2)]
    with pytest.raises(ImportMapError, match=r"2 of the rows of .* were sent"):
        await job(write(*wider), MAP, marker=MARKER).run(local.company)
    summary = await job(write(*wider), MAP, marker=MARKER, carry_over=True).run(local.company)
    assert (summary.created, summary.created_now) == (2, 0)


async def test_without_keys_no_job_begins_after_the_columns_changed(
    local: Local, job: Job, write: Write
) -> None:
    """Nothing tells that these rows were sent: all of their cells are another text."""
    await job(write(HEADER, rows(1, 2)), MAP).run(local.company)
    source = write([*HEADER, "remark"], [[*row, "seen"] for row in rows(1, 2)])
    with pytest.raises(ImportMapError, match=r"columns of .* have changed, so nothing tells .*--again"):
        await job(source, MAP).run(local.company)
    assert len(await local.company.query(WorkOrder).select("Id").all()) == 2


async def test_a_changed_file_goes_on_only_with_the_keys_that_its_rows_had(
    local: Local, job: Job, write: Write
) -> None:
    """With other keys no row of the job is found, and all would be sent again."""
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4)), MAP, marker=MARKER, limit=1), local)
    source = write(HEADER, rows(1, 2, 3, 4, 5))
    renamed = MAP.replace('po_number = "{key}"', 'po_number = "K-{key}"')
    assert renamed != MAP
    with pytest.raises(ImportMapError, match=r"gives other keys than the job in .*; give the map as it was"):
        await job(source, renamed, marker=MARKER, carry_over=True).run(local.company)
    summary = await job(source, MAP, marker=MARKER, carry_over=True).run(local.company)
    assert summary.created == 5
    assert await held(local) == Counter("12345")


async def test_a_job_that_made_its_keys_itself_does_not_go_on_with_those_of_a_map(
    local: Local, job: Job, write: Write
) -> None:
    text = MAP.replace('po_number = "{key}"\n', "")
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4)), text, marker=MARKER, limit=1), local)
    with pytest.raises(ImportMapError, match="the rows of this job have none of their own"):
        await job(write(HEADER, rows(1, 2, 3, 4, 5)), MAP, marker=MARKER, carry_over=True).run(local.company)


async def test_rows_that_are_skipped_need_no_word(local: Local, job: Job, write: Write) -> None:
    await job(write(HEADER, rows(1, 2)), MAP, marker=MARKER).run(local.company)
    again = job(write(HEADER, rows(1, 2, 3)), MAP, marker=MARKER, if_exists="skip")
    summary = await again.run(local.company)
    assert (summary.created_now, summary.found) == (1, 2)


async def test_a_row_that_an_undo_took_back_is_new(local: Local, job: Job, write: Write) -> None:
    summary = await job(write(HEADER, rows(1, 2)), MAP, marker=MARKER).run(local.company)
    assert summary.folder is not None
    async with Journal.open(summary.folder) as journal:
        reason = await local.company.work_orders.cancel_reason("Entered twice")
        await Undo(company=local.company, journal=journal).run(reason)
    source = write(HEADER, rows(1, 2, 3))
    with pytest.raises(ImportMapError, match=r"was undone.* It does not go on; .*--again"):
        await job(source, MAP, marker=MARKER, carry_over=True).run(local.company)
    assert (await job(source, MAP, marker=MARKER).run(local.company)).created_now == 3


async def test_another_marker_prevents_nothing(local: Local, job: Job, write: Write) -> None:
    """The orders of the first job do not carry the keys of the second."""
    await job(write(HEADER, rows(1, 2)), MAP).run(local.company)
    with pytest.raises(ImportMapError, match="were sent by the job in"):
        await job(write(HEADER, rows(1, 2, 3)), MAP, marker=MARKER).run(local.company)


# --- several jobs of a file ------------------------------------------------------------------------------


async def test_a_job_that_another_one_took_over_does_not_go_on_beside_it(
    local: Local, job: Job, write: Write
) -> None:
    """The file as it was belongs to the first job, whose rows may be under way in the second one."""
    options = {"marker": MARKER, "limit": 1}
    await stopped_after(1, job(write(HEADER, rows(1, 2, 3, 4)), MAP, **options), local)
    await stopped_after(3, job(write(HEADER, rows(1, 2, 3, 5)), MAP, carry_over=True, **options), local)
    before = await held(local)
    source = write(HEADER, rows(1, 2, 3, 4))
    with pytest.raises(ImportMapError, match=r"has changed since the job in .*rows\.csv\.job-2 began"):
        await job(source, MAP, **options).run(local.company)
    folder = source.with_name("rows.csv.job")
    with pytest.raises(ImportMapError, match=r"rows\.csv\.job-2 took the rows of .* over; name that one"):
        await job(source, MAP, resume=True, folder=folder, **options).run(local.company)
    assert await held(local) == before
    await job(source, MAP, carry_over=True, **options).run(local.company)
    assert set((await held(local)).values()) == {1}


@pytest.mark.parametrize("options", [{"carry_over": True}, {"if_exists": "skip"}, {}])
async def test_rows_that_a_job_of_rejects_may_be_sending_are_not_sent_again(
    local: Local, job: Job, write: Write, options: dict[str, Any]
) -> None:
    long = ["1", "x" * 4000, "", ""]
    summary = await job(write(HEADER, [long, *rows(2)]), MAP, marker=MARKER).run(local.company)
    assert summary.folder is not None
    rejects = summary.folder / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("x" * 4000, "short"))
    await killed_while_sending(job(rejects, MAP, marker=MARKER), local, [1])
    before = await held(local)
    source = write(HEADER, rows(1, 2))
    refusal = "is not finished, and its rows would be sent again: .* wosdk jobs resume"
    with pytest.raises(ImportMapError, match=refusal):
        await job(source, MAP, marker=MARKER, **options).run(local.company)
    assert await held(local) == before


async def test_rows_that_a_job_of_rejects_has_created_are_found(local: Local, job: Job, write: Write) -> None:
    long = ["1", "x" * 4000, "", ""]
    summary = await job(write(HEADER, [long, *rows(2)]), MAP, marker=MARKER).run(local.company)
    assert summary.folder is not None
    rejects = summary.folder / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("x" * 4000, "short"))
    assert (await job(rejects, MAP, marker=MARKER).run(local.company)).created_now == 1
    source = write(HEADER, [["1", "short", "", ""], *rows(2, 3)])
    with pytest.raises(ImportMapError, match=r"1 of the rows were sent by the job of rejects .*--if-e"):
        await job(source, MAP, marker=MARKER, carry_over=True).run(local.company)
    ready = job(source, MAP, marker=MARKER, carry_over=True, if_exists="skip")
    summary = await ready.run(local.company)
    assert (summary.created, summary.created_now, summary.found) == (2, 1, 1)
    assert await held(local) == Counter("123")


async def test_without_keys_rejects_that_were_imported_are_known(
    local: Local, job: Job, write: Write
) -> None:
    summary = await job(write(HEADER, [["1", "x" * 4000, "", ""], *rows(2)]), MAP).run(local.company)
    assert summary.folder is not None
    rejects = summary.folder / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("x" * 4000, "short"))
    await job(rejects, MAP).run(local.company)
    source = write(HEADER, [["1", "short", "", ""], *rows(3)])
    with pytest.raises(
        ImportMapError, match=r"1 of the rows of .* were sent by the job in .*rejects\.csv\.job"
    ):
        await job(source, MAP).run(local.company)
    assert await held(local) == Counter("12")


async def test_without_keys_all_jobs_of_the_file_are_looked_at(local: Local, job: Job, write: Write) -> None:
    for keys, warned in (((1, 2), 0), ((3, 4), 1), ((5,), 0)):
        summary = await job(write(HEADER, rows(*keys)), MAP).run(local.company)
        assert [text.partition(" has ")[2][:12] for text in summary.warnings] == ["as many rows"] * warned
    with pytest.raises(ImportMapError, match=r"2 of the rows of .* were sent by .*rows\.csv\.job,"):
        await job(write(HEADER, rows(1, 2, 6)), MAP).run(local.company)
    assert await held(local) == Counter("12345")


@pytest.mark.parametrize("carry_over", [False, True])
async def test_other_keys_in_a_file_of_which_all_rows_changed_are_not_taken_for_new_rows(
    local: Local, job: Job, write: Write, carry_over: bool
) -> None:
    await job(write(HEADER, rows(1, 2)), MAP, marker=MARKER).run(local.company)
    renamed = MAP.replace('po_number = "{key}"', 'po_number = "K-{key}"')
    source = write([*HEADER, "remark"], [[*row, "seen"] for row in rows(1, 2)])
    with pytest.raises(ImportMapError, match="give it as it was" if carry_over else "give the map as it was"):
        await job(source, renamed, marker=MARKER, carry_over=carry_over).run(local.company)
    assert await held(local) == Counter("12")
    new = write(HEADER, rows(7, 8))
    assert (await job(new, MAP, marker=MARKER).run(local.company)).created_now == 2


async def test_what_changed_in_rows_that_were_sent_is_said(local: Local, job: Job, write: Write) -> None:
    await job(write(HEADER, rows(1, 2, 3)), MAP, marker=MARKER).run(local.company)
    source = write(HEADER, [["1", "quite another order", "", ""], *rows(2)])
    summary = await job(source, MAP, marker=MARKER, carry_over=True).run(local.company)
    changed, gone = summary.warnings
    assert changed.startswith("1 of the rows that the job in ")
    assert changed.endswith("have other cells now: what was sent stays as it is")
    assert "are not in the file any more: they stay in the Company, and only an undo of " in gone


def workbook(path: Path, **sheets: Sequence[int]) -> Path:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(path) as book:
        for name, keys in sheets.items():
            page = book.add_worksheet(name)
            for number, row in enumerate([HEADER, *rows(*keys)]):
                page.write_row(number, 0, row)
    return path


async def test_each_sheet_of_a_workbook_has_its_own_job(local: Local, job: Job, tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", One=(1, 2), Two=(3, 4))

    def of_sheet(sheet: int, **options: Any) -> Import:
        return Import(
            open_source(path, sheet=sheet),
            ImportMap.load(tmp_path / "map.toml"),
            options=ImportOptions(marker=MARKER, **options),
        )

    (tmp_path / "map.toml").write_text(MAP)
    assert (await of_sheet(1).run(local.company)).created_now == 2
    with pytest.raises(ImportMapError, match="is of the sheet 'One', and this command reads 'Two': add"):
        await of_sheet(2).run(local.company)
    assert (await of_sheet(2, again=True).run(local.company)).created_now == 2
    for sheet in (1, 2):
        summary = await of_sheet(sheet).run(local.company)
        assert (summary.created, summary.created_now) == (2, 0)
    assert await held(local) == Counter("1234")


async def test_a_sheet_that_was_renamed_is_known_by_its_rows(local: Local, job: Job, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    import_map = ImportMap.load(tmp_path / "map.toml")
    path = tmp_path / "f.xlsx"
    await Import(open_source(workbook(path, One=(1, 2))), import_map).run(local.company)
    renamed = Import(open_source(workbook(path, Eins=(1, 2))), import_map)
    with pytest.raises(ImportMapError, match="that job has sent 2 rows: if the sheet was renamed, give"):
        await renamed.run(local.company)


async def test_without_keys_jobs_in_one_folder_know_each_other(
    local: Local, job: Job, write: Write, tmp_path: Path
) -> None:
    """As those of stdin, which has no place of its own."""
    folder = tmp_path / "j"
    await job(write(HEADER, rows(1, 2)), MAP, folder=folder).run(local.company)
    other = write(HEADER, rows(1, 3)).rename(tmp_path / "other.csv")
    with pytest.raises(ImportMapError, match=r"1 of the rows of .*other\.csv were sent by the job in .*/j,"):
        await job(other, MAP, folder=folder).run(local.company)
    assert await held(local) == Counter("12")


async def with_corrected_rejects(local: Local, job: Job, write: Write) -> tuple[Path, Path]:
    """Import a file of which row 1 is rejected; return it, and its rejects, which were corrected."""
    source = write(HEADER, [["1", "x" * 4000, "", ""], *rows(2)])
    summary = await job(source, MAP).run(local.company)
    assert summary.folder is not None
    rejects = summary.folder / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("x" * 4000, "short"))
    return source, rejects


async def test_rejects_that_were_created_by_their_own_job_are_not_imported(
    local: Local, job: Job, write: Write
) -> None:
    source, rejects = await with_corrected_rejects(local, job, write)
    short = MAP.replace('"{text}"', '{ text = "{text}", truncate = true }')
    assert short != MAP
    assert (await job(source, short, retry_refused=True).run(local.company)).created == 2
    with pytest.raises(ImportMapError, match=r"no row of the job .* is rejected any more: .*--again insists"):
        await job(rejects, MAP).run(local.company)
    assert await held(local) == Counter("12")


async def test_rejects_are_not_sent_by_a_job_that_theirs_does_not_know(
    local: Local, job: Job, write: Write, tmp_path: Path
) -> None:
    """Its --retry refused would send them once more."""
    _, rejects = await with_corrected_rejects(local, job, write)
    with pytest.raises(ImportMapError, match=r"belong to the job in .* leave out --job"):
        await job(rejects, MAP, folder=tmp_path / "elsewhere").run(local.company)
    assert await held(local) == Counter("2")


async def test_a_job_of_rejects_that_cannot_be_read_is_not_one_that_sent_nothing(
    local: Local, job: Job, write: Write
) -> None:
    source, rejects = await with_corrected_rejects(local, job, write)
    again = await job(rejects, MAP).run(local.company)
    assert again.folder is not None
    (again.folder / "journal.db").write_bytes(b"no longer a journal")
    with pytest.raises(JournalError):
        await job(source, MAP, retry_refused=True).run(local.company)
    assert await held(local) == Counter("12")


async def test_the_journal_of_another_file_is_no_reason_to_send_all_once_more(
    local: Local, job: Job, write: Write
) -> None:
    """The lock says whose journal it was."""
    source = write(HEADER, rows(1, 2))
    mine = await job(source, MAP).run(local.company)
    other = source.rename(source.with_name("other.csv"))
    source = write(HEADER, rows(1, 2))
    theirs = await job(other, MAP, again=True).run(local.company)
    assert mine.folder is not None
    assert theirs.folder is not None
    shutil.copy(theirs.folder / "journal.db", mine.folder / "journal.db")
    with pytest.raises(JournalError, match="is the journal of another job"):
        await job(source, MAP).run(local.company)
    assert await held(local) == Counter("1122")
