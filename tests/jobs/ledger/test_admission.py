"""Laws of the comparison of a file with the ledger, and of the admission of its rows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.ledger.ledgers import CELLS, SENT, Cells, Ledger, counts, rows_of
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.journal.entries import REPEATED_KEY
from wosdk_async.jobs.ledger.comparison import compare
from wosdk_async.jobs.ledger.file_rows import FileRow
from wosdk_async.jobs.ledger.terms import Standing

NEW, DONE, REPEATED = Standing.NEW, Standing.DONE, Standing.REPEATED
KEYED = st.booleans()


@given(cells=CELLS, keyed=KEYED, order=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(cells: Cells, keyed: bool, order: object) -> None:
    if keyed:
        cells = list(dict(cells).items())
    ledger, shuffled = Ledger(), list(cells)
    ledger.take(rows_of(cells, keyed=keyed))
    ledger.end(State.DONE)
    before = ledger.column("digest"), ledger.identities(), ledger.states()
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    compared = ledger.take(rows_of(shuffled, keyed=keyed))
    assert (counts(compared), compared.gone) == ({DONE: len(cells)} if cells else {}, {})
    assert (ledger.column("digest"), ledger.identities(), ledger.states()) == before
    assert len(ledger.places()) == len(cells)


def test_a_file_that_cannot_be_read_to_its_end_leaves_no_transaction_open() -> None:
    def chunks() -> Iterator[list[FileRow]]:
        yield rows_of([("k", "x")], keyed=True)
        raise OSError("unplugged")

    ledger = Ledger()
    with pytest.raises(OSError, match="unplugged"):
        compare(ledger.db, chunks())
    assert counts(ledger.take(rows_of([("k", "x")], keyed=True))) == {NEW: 1}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("keyed", [False, True], ids=["cells", "key"])
def test_a_row_of_the_file_and_its_corrected_reject_are_two_rows_if_the_file_has_both(
    keyed: bool, order: tuple[int, int]
) -> None:
    """With keys, the reject keeps the ledger row, as it was sent; without keys, the first of the two."""
    ledger, old, reject = Ledger(), ("k", "x"), ("l", "x")
    ledger.take(rows_of([old], keyed=keyed))
    ledger.end(State.REFUSED)
    ledger.take(rows_of([reject], keyed=keyed, numbers=[1]), rejects=True)
    ledger.end(State.DONE)
    both = rows_of([(old, reject)[each] for each in order], keyed=keyed)
    compared = ledger.take(both)
    unchanged = keyed or order == (1, 0)
    assert counts(compared) == {NEW: 1, DONE if unchanged else Standing.DONE_CHANGED: 1}
    known = 1 + order.index(1) if keyed else 1
    assert ledger.places() == {known: 1, 3 - known: 2}
    ledger.end(State.DONE)
    after = ledger.identities()
    assert sum(counts(ledger.take(both)).values()) == 2
    assert (ledger.places(), ledger.identities()) == ({known: 1, 3 - known: 2}, after)


@pytest.mark.parametrize("third", [("k", "z"), ("k", "x")], ids=["other cells", "equal cells"])
def test_a_repeated_key_is_refused_after_the_row_with_it_got_another_one(third: tuple[str, str]) -> None:
    ledger = Ledger()
    ledger.take(rows_of([("k", "x"), ("k", "y")], keyed=True))
    ledger.end(State.DONE)
    ledger.take(rows_of([("l", "y")], keyed=True, numbers=[2]), rejects=True)
    ledger.end(State.DONE)
    for _ in range(2):
        compared = ledger.take(rows_of([("k", "x"), third, ("l", "y")], keyed=True))
        assert counts(compared) == {DONE: 2, REPEATED: 1}
        assert ledger.places() == {1: 1, 2: 3, 3: 2}


def test_of_two_changed_rows_with_keys_of_one_ledger_row_the_last_key_is_the_one_that_was_sent() -> None:
    ledger = Ledger()
    ledger.take(rows_of([("k", "x")], keyed=True))
    ledger.end(State.REFUSED)
    ledger.take(rows_of([("l", "x")], keyed=True, numbers=[1]), rejects=True)
    ledger.end(State.DONE)
    compared = ledger.take(rows_of([("k", "y"), ("l", "z")], keyed=True))
    assert counts(compared) == {NEW: 1, Standing.DONE_CHANGED: 1}
    assert ledger.places() == {2: 1, 1: 2}


@given(files=st.lists(st.tuples(CELLS, st.booleans()), min_size=2, max_size=5), keyed=KEYED, data=st.data())
def test_every_row_of_a_file_is_a_ledger_row_of_its_own(
    files: list[tuple[Cells, bool]], keyed: bool, data: st.DataObject
) -> None:
    """Whatever the rejects between the files say; :meth:`Ledger.compare` counts the standings."""
    ledger = Ledger()
    for cells, rejects in files:
        failed = [row for row, state in ledger.states().items() if state is State.REFUSED][: len(cells)]
        rows = rows_of(cells[: len(failed)] if rejects else cells, keyed=keyed, numbers=failed * rejects)
        ledger.take(rows, rejects=rejects)
        assert len(ledger.places()) == len(rows)
        ledger.end(data.draw(st.sampled_from([State.REFUSED, State.DONE])))


@given(first=CELLS, second=CELLS)
def test_rows_are_new_by_their_number_and_gone_by_their_number(first: Cells, second: Cells) -> None:
    """Appended rows are the only new ones, removed ones the only ones that are gone."""
    ledger = Ledger()
    ledger.take(rows_of(first, keyed=False))
    ledger.end(State.DONE)
    compared = ledger.take(rows_of(second, keyed=False))
    new, gone = Counter(second) - Counter(first), Counter(first) - Counter(second)
    assert compared.standings.get(NEW, 0) == new.total()
    assert compared.gone.get(DONE, 0) == compared.gone_unexplained == gone.total()
    assert (compared.first_new is None, compared.first_gone is None) == (not new, not gone)
    assert len(ledger.places()) == len(second)


@given(files=st.lists(CELLS, min_size=2, max_size=4), keyed=KEYED, state=st.sampled_from(list(State)))
def test_a_row_keeps_its_number_its_identities_and_what_was_done(
    files: list[Cells], keyed: bool, state: State
) -> None:
    ledger, known = Ledger(), set[tuple[bytes, int, int]]()
    for cells in files:
        before = ledger.states()
        ledger.take(rows_of(cells, keyed=keyed))
        assert ledger.states().keys() >= before.keys()
        after = ledger.states()
        assert all(after[row] is was for row, was in before.items() if was in SENT)
        assert ledger.identities() >= known
        known = ledger.identities()
        assert len(ledger.places()) == len(cells)
        if state is not State.PLANNED:
            ledger.end(state)


@given(cells=CELLS, more=CELLS)
def test_an_open_key_is_the_number_of_the_row_and_never_changes(cells: Cells, more: Cells) -> None:
    ledger = Ledger()
    ledger.take(rows_of(cells, keyed=False), default_keys=True)
    keys = ledger.column("key")
    assert keys == {row: f"job-{row}" for row in range(1, len(cells) + 1)}
    ledger.end(State.REFUSED)
    ledger.take(rows_of([*more, *cells], keyed=False), default_keys=True, retry_refused=True)
    assert ledger.column("key").items() >= keys.items()
    assert ledger.column("key") == {row: f"job-{row}" for row in ledger.states()}


@given(cells=CELLS)
def test_repeated_keys_are_refused_and_no_other(cells: Cells) -> None:
    ledger = Ledger()
    compared = ledger.take(rows_of(cells, keyed=True))
    first = {key: place for place, (key, _) in reversed([*enumerate(cells, 1)])}
    assert compared.standings.get(REPEATED, 0) == len(cells) - len(first)
    at, states = ledger.places(), ledger.states()
    assert {place for place, row in at.items() if states[row] is State.PLANNED} == set(first.values())
    codes = ledger.db.execute("SELECT row, json_extract(detail, '$[3]') FROM outcome").fetchall()
    assert dict(codes) == {at[place]: REPEATED_KEY for place in at if place not in first.values()}
    again = ledger.compare(rows_of(cells, keyed=True))
    assert again.standings.get(REPEATED, 0) == len(cells) - len(first)
    assert again.standings.get(NEW, 0) == 0


@given(cells=CELLS.filter(bool), data=st.data())
def test_rejects_find_their_rows_whatever_they_say_now(cells: Cells, data: st.DataObject) -> None:
    ledger = Ledger()
    ledger.take(rows_of(cells, keyed=False))
    ledger.end(State.REFUSED)
    numbers = data.draw(st.lists(st.integers(1, len(cells)), unique=True, min_size=1))
    corrected = [(f"new {number}", "text") for number in numbers]
    compared = ledger.take(rows_of(corrected, keyed=False, numbers=numbers), rejects=True)
    assert counts(compared) == {Standing.REFUSED_CHANGED: len(numbers)}
    assert (compared.unknown_line, ledger.places()) == (None, dict(enumerate(numbers, 1)))
    ledger.end(State.DONE, *numbers)
    both = ledger.compare(rows_of(corrected, keyed=False))
    assert counts(both) == {DONE: len(numbers)}, "the corrected rows are known in the file, too"
    old = ledger.compare(rows_of(cells, keyed=False))
    assert old.standings.get(Standing.DONE_CHANGED, 0) == len(numbers), "and so are the uncorrected ones"
    assert old.standings.get(NEW, 0) == 0
    unknown = ledger.compare(rows_of([("a", "b")], keyed=False, numbers=[len(cells) + 1]), rejects=True)
    assert unknown.unknown_line == 2


def test_a_reject_with_the_key_of_another_row_is_refused() -> None:
    ledger = Ledger()
    ledger.take(rows_of([("k", "x"), ("l", "y")], keyed=True))
    ledger.end(State.DONE, 1)
    ledger.end(State.REFUSED, 2)
    compared = ledger.take(rows_of([("k", "y")], keyed=True, numbers=[2]), rejects=True)
    assert counts(compared) == {REPEATED: 1}
    assert ledger.states() == {1: State.DONE, 2: State.REFUSED}


@given(cells=CELLS, more=CELLS)
def test_rows_known_by_their_cells_are_known_once_the_map_gives_them_a_key(cells: Cells, more: Cells) -> None:
    cells, more = list(dict(cells).items()), list(dict(more).items())
    ledger = Ledger()
    ledger.take(rows_of(cells, keyed=False))
    ledger.end(State.DONE)
    compared = ledger.take(rows_of(cells, keyed=True), learns=True)
    assert counts(compared) == ({DONE: len(cells)} if cells else {})
    assert ledger.column("name") == {row: key for row, (key, _) in enumerate(cells, 1)}
    compared = ledger.take(rows_of(more, keyed=True))
    known = dict(cells)
    same = sum(known.get(key) == text for key, text in more)
    assert compared.standings.get(DONE, 0) == same
    assert compared.standings.get(Standing.DONE_CHANGED, 0) == sum(key in known for key, _ in more) - same
    assert compared.standings.get(NEW, 0) == sum(key not in known for key, _ in more)


@given(cells=CELLS, rest=CELLS)
def test_rows_that_are_gone_for_good_are_not_asked_about_until_they_return(cells: Cells, rest: Cells) -> None:
    ledger = Ledger()
    ledger.take(rows_of(cells, keyed=False))
    ledger.end(State.DONE)
    ledger.take(rows_of(rest, keyed=False), new_rows=True)
    ledger.end(State.DONE)
    assert ledger.compare(rows_of(rest, keyed=False)).gone_unexplained == 0
    both = Counter(cells) | Counter(rest)
    assert counts(ledger.take(rows_of([*both.elements()], keyed=False))) == (
        {DONE: both.total()} if both else {}
    )
    assert ledger.compare([]).gone_unexplained == both.total()


def test_an_undone_row_that_is_sent_again_leaves_its_record_undone() -> None:
    ledger = Ledger()
    rows = rows_of([("k", "x"), ("l", "y")], keyed=True)
    ledger.take(rows)
    ledger.end(State.DONE)
    ledger.db.execute("INSERT INTO undo VALUES (1, ?, 0, '[77, null, null]')", [int(State.DONE)])
    assert counts(ledger.take(rows)) == {DONE: 1, Standing.UNDONE: 1}
    assert ledger.states() == {1: State.DONE, 2: State.DONE}
    ledger.take(rows, retry_undone=True)
    assert ledger.states() == {1: State.PLANNED, 2: State.DONE}
    assert ledger.db.execute("SELECT id FROM undone_before").fetchall() == [(77,)]
    assert counts(ledger.compare(rows)) == {DONE: 1, Standing.PLANNED: 1}


def test_ten_thousand_rows_take_about_a_second() -> None:
    cells = [(f"key {number}", "text") for number in range(10_000)]
    began, ledger = time.process_time(), Ledger()
    ledger.take(rows_of(cells, keyed=True))
    ledger.end(State.DONE)
    changed = [(key, "other" if key.endswith("7") else text) for key, text in cells[5_000:]]
    compared = ledger.take(rows_of([*changed, *((f"new {key}", text) for key, text in cells)], keyed=True))
    assert counts(compared) == {DONE: 4_500, Standing.DONE_CHANGED: 500, NEW: 10_000}
    assert compared.gone == {DONE: 5_000}
    assert time.process_time() - began < 3.0
