"""Any sequence of steps, kills and full disks leaves a journal that has what it promised."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.jobs.journal.plans import a_journal
from tests.jobs.journal.test_trouble import full_disk
from tests.support.laws import examples
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal, RowRecord, State

ROWS = 130  # more than go into one statement
some_rows = st.lists(st.integers(1, ROWS), min_size=1, max_size=ROWS, unique=True)
outcomes = st.builds(
    RowRecord,
    row=st.integers(1, ROWS),
    state=st.sampled_from([each for each in State if each != State.SENDING]),
    id=st.none() | st.integers(-(2**63), 2**63 - 1),
    number=st.none() | st.text(max_size=5),
    reason=st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    warnings=st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=2).map(tuple),
    attempts=st.integers(0, 9),
    seconds=st.floats(0, 1e9),
)


class Journals(RuleBasedStateMachine):
    """A journal beside a dict of what each row may be: the last value on the disk, and those queued since."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = Path(tempfile.mkdtemp())
        self.journal = self.runner.run(self._made())
        self.may_be = {row: [RowRecord(row, State.PLANNED)] for row in range(1, ROWS + 1)}

    async def _made(self) -> Journal:
        return a_journal(self.folder, ROWS)

    def teardown(self) -> None:
        self.journal.abandon()
        self.runner.close()
        shutil.rmtree(self.folder)

    def _all_is_written(self) -> None:
        self.may_be = {row: values[-1:] for row, values in self.may_be.items()}

    @rule(chosen=some_rows)
    def begin(self, chosen: list[int]) -> None:
        for row in chosen:
            self.may_be[row].append(RowRecord(row, State.SENDING))
        self.runner.run(self.journal.begin(chosen))
        self._all_is_written()

    @rule(records=st.lists(outcomes, min_size=1, max_size=40))
    def record(self, records: list[RowRecord]) -> None:
        async def queue() -> None:
            for each in records:
                self.journal.record(each)

        for each in records:
            self.may_be[each.row].append(each)
        self.runner.run(queue())

    @rule()
    def flush(self) -> None:
        self.runner.run(self.journal.flush())
        self._all_is_written()

    @rule()
    def close_and_open(self) -> None:
        self.runner.run(self.journal.close())
        self._all_is_written()
        self.journal = Journal.open(self.folder)

    @rule()
    def kill_and_open(self) -> None:
        self.journal.abandon()
        self.journal = Journal.open(self.folder)
        self.runner.run(self._see_what_is_there())

    @rule(records=st.lists(outcomes, max_size=3))
    def fill_the_disk_and_go_on(self, records: list[RowRecord]) -> None:
        async def fill() -> None:
            with full_disk():
                for each in records:
                    self.journal.record(each)
                try:
                    await self.journal.begin([1])
                except JournalError:
                    refused = True
                assert refused
            await self.journal.close()

        for each in records:
            self.may_be[each.row].append(each)
        self.runner.run(fill())
        self._all_is_written()
        self.journal = Journal.open(self.folder)

    @rule(chosen=some_rows)
    def plan_again(self, chosen: list[int]) -> None:
        self.runner.run(self.journal.plan_again(chosen))
        self.may_be |= {row: [RowRecord(row, State.PLANNED)] for row in chosen}
        self._all_is_written()

    @precondition(lambda self: all(len(values) == 1 for values in self.may_be.values()))
    @rule()
    def count(self) -> None:
        counted = self.journal.counts()
        states = [values[0].state for values in self.may_be.values()]
        assert counted == {state: states.count(state) for state in State}

    @invariant()
    def every_row_is_what_it_may_be(self) -> None:
        async def read() -> None:
            for _, row, state, _, _, key in await self.journal.page(1, ROWS):
                assert state in {each.state for each in self.may_be[row]}
                assert key == f"K-{row}"

        self.runner.run(read())

    async def _see_what_is_there(self) -> None:
        """Compare all of each row, and take what is there: a kill decided it."""
        for stored in await self.journal.rows_in(limit=ROWS):
            seen = RowRecord(
                row=stored.row, state=stored.state, id=stored.id, number=stored.number, reason=stored.reason,
                warnings=stored.warnings, attempts=stored.attempts, seconds=stored.seconds,
            )  # fmt: skip
            assert seen in self.may_be[stored.row]
            self.may_be[stored.row] = [seen]


TestJournals = Journals.TestCase
TestJournals.settings = settings(examples(10), stateful_step_count=30)
