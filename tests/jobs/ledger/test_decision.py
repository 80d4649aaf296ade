"""Every combination of the decision about a row, beside the rules of the ledger as they were written down."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pytest

from tests.jobs.ledger.facts import CHOICES, LEDGER, PLAIN, file, ledger, plan
from tests.support.laws import each_of
from wosdk_async.jobs.ledger.decision import action_of, decide
from wosdk_async.jobs.ledger.terms import Action, Standing
from wosdk_async.jobs.options import ImportOptions

SEND, SKIP, KEEP = Action.SEND, Action.SKIP, Action.KEEP
LOOK_UP, LEAVE, REFUSE = Action.LOOK_UP, Action.LEAVE, Action.REFUSE

ALWAYS: Mapping[Standing, Action] = {
    Standing.NEW: SEND,  # not known
    Standing.PLANNED: SEND,
    Standing.DONE: SKIP,
    Standing.REFUSED_HERE: SEND,  # what it refers to may exist now
    Standing.REFUSED_CHANGED: SEND,
    Standing.REPEATED: REFUSE,
}
"""Rows for which neither the operation nor an option matters."""


@each_of("choices", CHOICES, ids=str)
@each_of("updates", [False, True], ids=["creates", "updates"])
@each_of("can_look_up", [False, True], ids=["no marker", "marker"])
def test_what_happens_to_a_row(choices: ImportOptions, can_look_up: bool, updates: bool) -> None:
    """The table of rule 3, for each combination."""
    doubt = LOOK_UP if can_look_up else LEAVE
    expected = {
        **ALWAYS,
        Standing.SENDING: doubt,
        Standing.IN_DOUBT: doubt,
        Standing.DONE_CHANGED: SEND if updates else SKIP,
        Standing.REFUSED: SEND if choices.retry_refused else KEEP,
        Standing.UNDONE: SEND if choices.retry_undone else SKIP,
    }
    found = {each: action_of(each, choices, can_look_up=can_look_up, updates=updates) for each in Standing}
    assert found == expected


@pytest.mark.parametrize("marker", [None, "m"])
def test_what_a_plan_counts(marker: str | None) -> None:
    """Rows that are gone and in doubt are looked up, too, and one that a kill left is never passed over."""
    standings = {each: 2**each for each in Standing}
    gone = {Standing.SENDING: 1, Standing.IN_DOUBT: 2, Standing.DONE: 4}
    found = plan(decide(ledger(gone=gone, marker=marker), file(standings=standings, marker=marker), PLAIN))
    assert found.rows(SEND) == sum(2**each for each in Standing if ALWAYS.get(each) is SEND)
    assert found.doubts == (2**Standing.SENDING + 2**Standing.IN_DOUBT + 3 if marker else 0)
    assert (found.gone, found.is_idle, found.skips_changed) == (gone, False, True)
    for standing in Standing:
        alone = plan(decide(ledger(marker=marker), file(standings={standing: 1}, marker=marker), PLAIN))
        works = ALWAYS.get(standing) is SEND or standing is Standing.SENDING
        assert alone.is_idle != (works or (standing is Standing.IN_DOUBT and marker is not None)), standing
        left = plan(decide(ledger(gone={standing: 1}, marker=marker), file(marker=marker), PLAIN))
        doubtful = standing is Standing.SENDING or (standing is Standing.IN_DOUBT and marker is not None)
        assert left.is_idle != doubtful, standing


def test_an_update_of_other_values_is_sent() -> None:
    changed = file(standings={Standing.DONE_CHANGED: 2}, updates=True)
    found = plan(decide(LEDGER, changed, PLAIN))
    assert (found.rows(SEND), found.skips_changed, found.is_idle) == (2, False, False)
    found = plan(decide(LEDGER, attrs.evolve(changed, rejects=True), PLAIN))
    assert (found.skips_changed, found.is_idle) == (True, True), (
        "rejects are older than what was done meanwhile"
    )


def test_a_planned_row_whose_key_an_earlier_row_has_by_now_is_refused_by_a_run() -> None:
    """A person decided that it was not created; without a run it would be not started for ever."""
    twice = file(standings={Standing.DONE: 1, Standing.REPEATED: 1})
    counts = {Standing.DONE: 1, Standing.PLANNED: 1}
    assert not plan(decide(ledger(counts=counts), twice, PLAIN)).is_idle
    assert plan(decide(ledger(counts=counts, gone={Standing.PLANNED: 1}), twice, PLAIN)).is_idle
