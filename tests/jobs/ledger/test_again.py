"""A new ledger, with which all rows are sent once more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.ledger.imports import open_orders, refusal
from tests.jobs.maps import HEADER, KEYED, MAP, MARKER, rows
from tests.jobs.runs import held, killed_while_sending
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.journal.lock import is_held
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.text.remedies import Remedy


async def test_again_is_refused_while_rows_may_still_be_sent(local: Local) -> None:
    """One is in doubt, and the other planned."""
    source = local.write(rows(1, 2))
    await killed_while_sending(local.job(source, MAP), local, [1])
    found = await refusal(local.job(source, MAP, again=True), local)
    assert (found.why, found.rows) == ("unfinished", 2)
    assert found.remedies == (Remedy.SAME_COMMAND, Remedy.DECIDE_ROWS)


async def test_again_holds_the_old_ledger_until_the_new_one_is_there(local: Local) -> None:
    source = local.write(rows(1))
    await local.run(source, MAP)
    folder, seen = source.with_name("rows.csv.job"), []

    class Watching(Journal):
        @classmethod
        def create(cls, *given: Any, **more: Any) -> Journal:
            seen.append(is_held(folder))
            return super().create(*given, **more)

    ready = local.job(source, MAP, again=True)
    await ready.open(local.company, journals=Watching)
    assert (seen, is_held(folder)) == ([True], False)
    await ready.close()


@pytest.mark.parametrize("named", [False, True], ids=["beside the file", "named"])
async def test_again_that_is_killed_at_its_question_sends_nothing_later(local: Local, named: bool) -> None:
    source = local.write(rows(1, 2))
    place = {"folder": source.with_name("named.job")} if named else {}
    first = await local.run(source, MAP, **place)
    opened = await local.job(source, MAP, again=True, **place).open(local.company)
    opened.journal.abandon()
    second = await local.run(source, MAP, **place)
    assert (second.done_now, second.folder) == (0, first.folder)
    third = await local.run(source, MAP, again=True, **place)
    assert (third.done_now, await held(local)) == (2, Counter("1122"))
    assert (await local.run([], MAP, **place)).folder == third.folder
    assert (await local.run(rows(1, 2), MAP, **place)).done_now == 0


async def test_again_does_not_wait_for_rows_that_were_never_sent_and_are_gone(local: Local) -> None:
    await killed_while_sending(local.job(rows(1, 2, 3), MAP), local, [])
    source = local.write(rows(1, 2))
    assert (await local.run(source, MAP)).done_now == 2
    assert (await local.run(source, MAP, again=True)).done_now == 2


async def test_again_does_not_wait_for_the_job_that_it_replaces(local: Local) -> None:
    """That job is locked, and has rows to send that it no longer recognizes."""
    await killed_while_sending(local.job(rows(1, 2), MAP), local, [])
    source = local.write([[*each, "m"] for each in rows(1, 2)], [*HEADER, "more"])
    assert (await local.run(source, KEYED, again=True)).done_now == 2
    assert await held(local) == Counter("12")


async def test_a_ledger_that_another_one_followed_sends_nothing_more(local: Local, tmp_path: Path) -> None:
    old = (await local.run(rows(1), MAP)).folder
    assert old is not None
    new = (await local.run(rows(1), MAP, again=True)).folder
    found = await refusal(local.job(rows(1, 2), MAP, folder=old, resume=True), local)
    assert (found.why, found.folder) == ("superseded", new)
    assert found.remedies == (Remedy.NEWER_JOB,)


async def test_a_resume_needs_a_job(local: Local, tmp_path: Path) -> None:
    for folder in (tmp_path / "nope.job", None):
        with pytest.raises(JournalError) as caught:
            await local.run(rows(1), MAP, folder=folder, resume=True)
        assert caught.value.remedies == (Remedy.LEAVE_OUT,)
    assert await held(local) == Counter()
    with pytest.raises(ConfigurationError):
        ImportOptions(again=True, resume=True)


async def test_again_sends_rows_whose_undo_was_killed_once_their_records_are_cancelled(local: Local) -> None:
    """The undo of both had begun, and one cancel took effect: the other order still has its key."""
    source = local.write(rows(1, 2))
    folder = (await local.run(source, MAP, marker=MARKER, concurrency=1)).folder
    journal = Journal.open(folder)
    for row in (1, 2):
        await journal.begin_undo(row)
    order = (await journal.rows_in())[0].id
    journal.abandon()
    await local.company.work_orders.cancel(order, reason="Entered twice")
    summary = await local.run(source, MAP, marker=MARKER, again=True)
    assert (summary.done_now, summary.failed) == (1, 1)
    assert await open_orders(local) == Counter("12")
