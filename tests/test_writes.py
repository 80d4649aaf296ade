"""Laws of the one rule by which a write in doubt is absent for certain."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from wosdk_async.protocol.writes import BETWEEN, UNDECIDED, LookUps, State

seconds = st.floats(0, 100) | st.sampled_from([0.0, 0.1, BETWEEN, 1.0, 30.0])
looks = st.lists(st.tuples(seconds, seconds, st.sampled_from(["found", "empty", "failed"])), max_size=12)
"""Look-ups: the time since the one before, how long it lasts, and what it shows."""


@examples(300)
@given(since=seconds, settle=seconds, made=looks)
def test_absent_is_what_two_settled_look_ups_apart_did_not_find_and_a_found_record_always_wins(
    since: float, settle: float, made: list[tuple[float, float, str]]
) -> None:
    look_ups, now, settled = LookUps(since, settle), since, since + settle
    empty: list[tuple[float, float]] = []
    seen = False
    for pause, lasts, shows in made:
        began, now = now + pause, now + pause + lasts
        before = look_ups
        if shows != "failed":  # a look-up that fails is not added: it decides nothing
            look_ups = look_ups.after(began, now, found=shows == "found")
        seen |= shows == "found"
        empty += [(began, now)] * (shows == "empty")
        late = [each for each in empty if each[0] >= settled]
        if seen:
            assert look_ups.state is State.DONE
        elif look_ups.state is State.PLANNED:
            assert any(
                second[0] >= first[1] + BETWEEN for i, first in enumerate(late) for second in late[i + 1 :]
            )
        else:
            assert look_ups.state is State.IN_DOUBT
            assert not any(second[0] >= first[1] + BETWEEN for first, second in pairwise(late))
        if shows == "failed":
            assert look_ups == before


@examples(100)
@given(settle=seconds, late=seconds, more=st.integers(0, 3))
def test_a_record_that_is_found_after_all_wins_over_an_absence(settle: float, late: float, more: int) -> None:
    look_ups = LookUps(0.0, settle)
    for _ in range(2):
        look_ups = look_ups.after(look_ups.counts_from, look_ups.counts_from, found=False)
    assert look_ups.state is State.PLANNED
    look_ups = look_ups.after(late, late, found=True)
    for _ in range(more):
        look_ups = look_ups.after(look_ups.counts_from, look_ups.counts_from, found=False)
    assert look_ups.state is State.DONE


@examples(100)
@given(
    clocks=st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(0, 60), st.booleans()), min_size=1, max_size=6),
    settle=st.floats(0.5, 30),
)
def test_a_process_that_takes_over_believes_no_look_up_and_no_clock_of_the_one_before(
    clocks: list[tuple[float, float, bool]], settle: float
) -> None:
    """Each process has a clock of its own and looks all the time; only the time of the last one counts."""
    for offset, lives, looks_early in clocks:
        look_ups, alive = LookUps(offset, settle), 0.0
        while alive < lives and look_ups.state is State.IN_DOUBT:
            alive += BETWEEN / 2 if looks_early else BETWEEN * 2
            look_ups = look_ups.after(offset + alive, offset + alive, found=False)
        if look_ups.state is State.PLANNED:
            assert alive >= settle


def test_a_write_that_was_being_sent_may_have_taken_effect() -> None:
    assert UNDECIDED == (State.SENDING, State.IN_DOUBT)


def test_states_keep_their_numbers_and_words_because_files_have_them() -> None:
    assert {state.word: int(state) for state in State} == {
        "planned": 0,
        "sending": 1,
        "done": 2,
        "refused": 3,
        "in_doubt": 4,
        "found": 5,
    }
