"""Every refusal of the decision: its facts, its remedies, and what is a plan by one row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.jobs.ledger.facts import (
    CHOICES,
    FILE,
    FOLDER,
    LEDGER,
    NEW,
    PLAIN,
    file,
    ledger,
    plan,
    refusal,
)
from tests.support.laws import each_of
from wosdk_async.jobs.ledger.decision import action_of, decide
from wosdk_async.jobs.ledger.terms import Action, Elsewhere, RowSample, Standing
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.text.remedies import Remedy


@each_of("choices", CHOICES, ids=str)
def test_rejects_leave_rows_of_the_file_out_and_nobody_is_asked(choices: ImportOptions) -> None:
    """A few rows of the file are in them, with keys and columns of their own; nothing is gone for good."""
    few = file(rejects=True, standings=NEW, columns=frozenset("a"), key="{a}")
    rest = ledger(gone={Standing.DONE: 2}, gone_unexplained=2, key="{b}")
    found = decide(rest, few, choices)
    if choices.again:
        assert refusal(found).problem == "again"
    else:
        assert not plan(found).dismisses


@pytest.mark.parametrize("standing", [Standing.PLANNED, Standing.SENDING, Standing.IN_DOUBT])
def test_a_new_ledger_begins_only_when_the_old_one_is_finished(standing: Standing) -> None:
    counts = {Standing.DONE: 3, Standing.REFUSED: 1, Standing.UNDONE: 1}
    for marker in ("m", None):
        old = ledger(counts={**counts, standing: 2}, marker=marker)
        found = refusal(decide(old, FILE, ImportOptions(again=True)))
        assert (found.why, found.rows, found.folder) == ("unfinished", 2, FOLDER)
        settle = () if standing is Standing.PLANNED else (Remedy.SETTLE if marker else Remedy.DECIDE_ROWS,)
        assert found.remedies == (Remedy.SAME_COMMAND, *settle)
    begun = plan(decide(ledger(counts={**counts, standing: 0}), FILE, ImportOptions(again=True)))
    assert (begun.begins, begun.leaves_done, begun.counts[Standing.NEW]) == (True, 3, 3)
    assert not plan(decide(ledger(counts={**counts, standing: 2}), FILE, PLAIN)).begins


def test_a_new_ledger_does_not_begin_beside_unsent_rows_that_another_map_does_not_recognize() -> None:
    """They count as missing from the file, but may be in it."""
    counts = {Standing.DONE: 3, Standing.PLANNED: 2}
    old = ledger(counts=counts, gone={Standing.PLANNED: 2}, key="{a}")
    found = refusal(decide(old, file(standings=NEW), ImportOptions(again=True)))
    assert (found.why, found.rows) == ("unfinished", 2)
    assert found.remedies == (Remedy.SAME_MAP, Remedy.SAME_COMMAND)
    assert plan(decide(old, file(standings=NEW, key="{a}"), ImportOptions(again=True))).begins


def test_a_new_ledger_knows_no_row_but_which_keys_occur_twice() -> None:
    mixed = file(standings=dict.fromkeys(Standing, 2))
    found = plan(decide(LEDGER, mixed, ImportOptions(again=True)))
    assert found.counts == {Standing.NEW: 2 * (len(Standing) - 1), Standing.REPEATED: 2}
    assert (found.gone, found.dismisses, found.rows(Action.SEND)) == ({}, False, 2 * (len(Standing) - 1))


@pytest.mark.parametrize("key", [None, "{a}"], ids=["cells", "key"])
def test_appended_removed_and_corrected_rows_need_no_word(key: str | None) -> None:
    appended = plan(decide(ledger(key=key), file(standings=NEW, key=key), PLAIN))
    assert appended.rows(Action.SEND) == 1
    removed = ledger(gone={Standing.DONE: 2}, gone_unexplained=2, key=key)
    assert plan(decide(removed, file(key=key), PLAIN)).is_idle
    corrected = ledger(gone={Standing.REFUSED: 2, Standing.PLANNED: 1, Standing.UNDONE: 1}, key=key)
    assert plan(decide(corrected, file(standings=NEW, key=key), PLAIN)).rows(Action.SEND) == 1
    repeated = file(standings={Standing.DONE: 1, Standing.REPEATED: 1}, key=key)
    assert plan(decide(removed, repeated, PLAIN)).rows(Action.REFUSE) == 1


@pytest.mark.parametrize("columns", ["a", "abc", "ac", ""])
def test_columns_that_came_or_went_are_named_and_new_rows_says_nothing_about_them(columns: str) -> None:
    gone = ledger(gone={Standing.DONE: 1}, gone_unexplained=1)
    other = file(standings=NEW, columns=frozenset(columns))
    for choices in (PLAIN, ImportOptions(new_rows=True)):
        found = refusal(decide(gone, other, choices))
        assert (found.why, found.columns) == ("columns_changed", tuple(sorted(set("ab") ^ set(columns))))
        assert (Remedy.NEW_ROWS in found.remedies, found.gone, found.rows) == (False, 1, 1)
    assert plan(decide(LEDGER, other, PLAIN)), "all rows are known"
    keyed = attrs.evolve(other, key="{a}")
    assert plan(decide(attrs.evolve(gone, key="{a}"), keyed, PLAIN)), "a key says it all"


def test_a_column_that_is_empty_in_one_file_has_neither_come_nor_gone() -> None:
    """Without this, a file that is replaced each night would be refused whenever its last remark is gone."""
    gone = ledger(gone={Standing.DONE: 1}, gone_unexplained=1)
    for before, now in (("a", "ab"), ("ab", "a")):
        was = attrs.evolve(gone, columns=frozenset(before), header=frozenset("ab"))
        found = file(standings=NEW, columns=frozenset(now), header=frozenset("ab"))
        assert refusal(decide(was, found, PLAIN)).why == "edited_or_new"
        assert plan(decide(was, found, ImportOptions(new_rows=True)))
        assert refusal(
            decide(was, attrs.evolve(found, header=frozenset("ac"), columns=frozenset("ac")), PLAIN)
        ).columns


@pytest.mark.parametrize("rejects", [False, True], ids=["file", "rejects"])
def test_a_known_row_may_be_one_whose_key_a_spreadsheet_changed(rejects: bool) -> None:
    """It was refused, and sent with the other key: only rows that would be sent need a word."""
    gone = ledger(gone={Standing.DONE: 4}, gone_unexplained=4, key="{a}")
    for standing in (*Standing,)[1:]:
        pairs = {standing: (1, ((RowSample(7, "K4"), RowSample(2, "k4")),))}
        back = file(standings={standing: 1}, key="{a}", disguised=pairs, rejects=rejects)
        if action_of(standing, PLAIN, can_look_up=False, updates=False) is Action.SEND:
            assert refusal(decide(gone, back, PLAIN)).why == "key_disguised"
        else:
            assert plan(decide(gone, back, PLAIN))
        assert plan(decide(gone, back, ImportOptions(new_rows=True)))


@pytest.mark.parametrize("columns", [(), ("c",)], ids=str)
def test_a_key_is_added_before_rows_or_columns_are_edited(columns: tuple[str, ...]) -> None:
    """To restore the previous map would lead to the same refusal."""
    gone = ledger(gone={Standing.DONE: 1}, gone_unexplained=1)
    keyed = file(standings=NEW, key="{a}", columns=frozenset("ab").union(columns))
    found = refusal(decide(gone, keyed, PLAIN))
    assert (found.why, found.columns) == ("columns_changed" if columns else "key_changed", columns)
    assert found.remedies == (Remedy.KEY_FIRST, Remedy.UNDO_AND_SEND)


@each_of("doubts", [{Standing.SENDING}, {Standing.IN_DOUBT}, {Standing.SENDING, Standing.IN_DOUBT}])
@each_of(("was", "now"), [("m", "n"), ("m", None), (None, "m")])
def test_another_marker_is_refused_while_rows_are_in_doubt(
    doubts: set[Standing], was: str | None, now: str | None
) -> None:
    """Their keys are in the field that it was, so nothing finds them by another."""
    doubtful = ledger(counts={Standing.DONE: 3, **dict.fromkeys(doubts, 1)}, marker=was)
    found = refusal(decide(doubtful, file(marker=now), PLAIN))
    assert (found.why, found.was, found.now) == ("key_changed", was, now)
    assert found.remedies == (Remedy.SAME_MAP, Remedy.SETTLE if was else Remedy.DECIDE_ROWS)
    assert (found.rows, found.gone) == (len(doubts), 0)
    lacking = attrs.evolve(doubtful, gone={Standing.DONE: 2}, gone_unexplained=2, key="{a}")
    rejects = refusal(decide(lacking, file(marker=now, rejects=True), PLAIN))
    assert (rejects.was, rejects.rows, rejects.gone) == (was, len(doubts), 0)
    assert plan(decide(attrs.evolve(doubtful, counts={Standing.DONE: 3}), file(marker=now), PLAIN))


@pytest.mark.parametrize("creates", [True, False])
def test_records_that_are_created_again_are_undone_first(creates: bool) -> None:
    gone = ledger(gone={Standing.DONE: 2}, gone_unexplained=2)
    for was, now in (
        (attrs.evolve(gone, key="{a}"), file(standings=NEW, key="{b}", creates=creates)),
        (gone, file(standings=NEW, columns=frozenset("abc"), creates=creates)),
    ):
        found = refusal(decide(was, now, PLAIN))
        assert found.why in ("key_changed", "columns_changed")
        assert found.remedies[-1] is (Remedy.UNDO_AND_SEND if creates else Remedy.SEND_AGAIN)


def test_the_order_of_the_reasons() -> None:
    """Each case has all causes of refusals from its own on; the first one is named."""
    elsewhere = Elsewhere(folder=Path("a.csv.job"), rows=2)
    worst_file = file(
        rejects=True,
        rejects_problem=("row_twice", 3),
        standings=NEW,
        columns=frozenset("a"),
        key="{a}",
        marker="m",
        elsewhere=elsewhere,
    )
    worst_ledger = ledger(
        company="x",
        operation="y",
        counts={Standing.IN_DOUBT: 1, Standing.DONE: 3},
        gone={Standing.DONE: 2},
        gone_unexplained=2,
        key="{b}",
        marker="n",
    )
    now: dict[str, Any] = {"file": worst_file, "ledger": worst_ledger, "choices": ImportOptions(again=True)}

    def improve(name: str, **changes: Any) -> Callable[[], None]:
        def change() -> None:
            now[name] = attrs.evolve(now[name], **changes)

        return change

    better: list[tuple[str, Callable[[], None]]] = [
        ("rejects", improve("file", rejects_problem=None)),
        ("rejects", improve("file", rejects=False)),
        ("other_company", improve("ledger", company="c")),
        ("other_operation", improve("ledger", operation="o")),
        ("unfinished", improve("choices", again=False)),
        ("key_changed", improve("ledger", key="{a}")),
        ("key_changed", improve("ledger", marker="m")),
        ("sent_elsewhere", improve("file", elsewhere=None)),
    ]
    for why, repair in better:
        assert refusal(decide(now["ledger"], now["file"], now["choices"])).why == why
        repair()
    assert plan(decide(now["ledger"], now["file"], now["choices"]))
    improve("file", key=None, marker=None)()
    improve("ledger", key=None, marker=None)()
    assert refusal(decide(now["ledger"], now["file"], PLAIN)).why == "columns_changed"
    improve("file", columns=frozenset("ab"), header=frozenset("ab"))()
    assert refusal(decide(now["ledger"], now["file"], PLAIN)).why == "edited_or_new"
