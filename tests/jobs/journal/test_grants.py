"""What a journal keeps of a job on many workers: grants, losses and the audit."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

import attrs
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.jobs.journal.plans import a_journal
from tests.support.laws import examples
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import (
    GrantRecord,
    GrantTotals,
    Journal,
    RowRecord,
    State,
)

ROWS = 12


def a_grant(epoch: int, *numbers: int, seconds: float = 51.0) -> GrantRecord:
    return GrantRecord(
        epoch=epoch, worker=f"w{epoch}", rows=numbers, rate=50.0, in_flight=8,
        seconds=seconds,
    )  # fmt: skip


async def test_a_journal_is_a_ledger_of_grants(tmp_path: Path) -> None:
    async with a_journal(tmp_path, ROWS) as journal:
        assert (await journal.last_epoch(), await journal.open_leases()) == (0, {})
        assert (await journal.losses(), await journal.grant_totals()) == ({}, GrantTotals())
        journal.end_grant(7, lost=[1])  # of no grant
        await journal.grant(a_grant(1, 1, 2))
        await journal.grant(a_grant(2, 3))
        journal.end_grant(1, lost=[2])
        journal.end_grant(1, lost=[2])
        assert await journal.open_leases() == {2: 51.0}
        journal.end_grant(2, lost=[3])
        assert await journal.losses() == {2: 1, 3: 1}
        await journal.grant(a_grant(3, 3, 4))
        journal.end_grant(3, lost=[3])
        assert await journal.losses() == {2: 1, 3: 2}
        assert await journal.last_epoch() == 3
        assert await journal.grant_totals() == GrantTotals(leases=3, lost_leases=3, lost_rows=2)


async def test_an_epoch_is_not_used_again(tmp_path: Path) -> None:
    """The lease of another worker would be forgotten."""
    async with a_journal(tmp_path, ROWS) as journal:
        await journal.grant(a_grant(1, 1))
        with pytest.raises(JournalError):
            await journal.grant(a_grant(1, 2))
        journal.abandon()
    async with Journal.open(tmp_path) as journal:
        assert list(await journal.open_leases()) == [1]
        assert [row.state for row in await journal.rows_in(limit=2)] == [State.SENDING, State.PLANNED]


async def test_a_grant_is_on_the_disk_with_all_before_it(tmp_path: Path) -> None:
    journal = a_journal(tmp_path, ROWS)
    await journal.grant(a_grant(1, 1))
    journal.record(RowRecord(1, State.DONE, id=5))
    journal.end_grant(1)
    await journal.grant(a_grant(2, 2, 3))
    journal.end_grant(2)
    journal.abandon()
    async with Journal.open(tmp_path) as journal:
        assert list(await journal.open_leases()) == [2]
        states = [row.state for row in await journal.rows_in(limit=4)]
        assert states == [State.DONE, State.SENDING, State.SENDING, State.PLANNED]


@attrs.frozen
class Kept:
    """What a journal may have of grants."""

    last: int = 0
    open: frozenset[int] = frozenset()
    losses: frozenset[tuple[int, int]] = frozenset()

    def granted(self, epoch: int) -> Kept:
        return attrs.evolve(self, last=epoch, open=self.open | {epoch})

    def ended(self, epoch: int, lost: frozenset[int]) -> Kept:
        if epoch not in self.open:
            return self
        losses = dict(self.losses)
        for row in lost:
            losses[row] = losses.get(row, 0) + 1
        return attrs.evolve(self, open=self.open - {epoch}, losses=frozenset(losses.items()))


some_rows = st.lists(st.integers(1, ROWS), min_size=1, max_size=4, unique=True)


class Ledgers(RuleBasedStateMachine):
    """A journal beside what it may have: what is on the disk, and each thing queued since."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = Path(tempfile.mkdtemp())
        self.journal = self.runner.run(self._made())
        self.may_be = [Kept()]
        self.granted: dict[int, list[int]] = {}

    async def _made(self) -> Journal:
        return a_journal(self.folder, ROWS)

    def teardown(self) -> None:
        self.journal.abandon()
        self.runner.close()
        shutil.rmtree(self.folder)

    @rule(chosen=some_rows)
    def grant(self, chosen: list[int]) -> None:
        epoch = self.may_be[-1].last + 1
        self.granted[epoch] = chosen
        self.runner.run(self.journal.grant(a_grant(epoch, *chosen)))
        self.may_be = [self.may_be[-1].granted(epoch)]

    @rule(back=st.integers(0, 3), lost=st.integers(0, 4))
    def end_grant(self, back: int, lost: int) -> None:
        epoch = self.may_be[-1].last - back
        chosen = self.granted.get(epoch, [])

        async def end() -> None:
            self.journal.end_grant(epoch, lost=chosen[:lost])

        self.runner.run(end())
        self.may_be.append(self.may_be[-1].ended(epoch, frozenset(chosen[:lost])))

    @rule()
    def kill_and_open(self) -> None:
        self.journal.abandon()
        self.journal = Journal.open(self.folder)
        found = self.runner.run(self._read())
        assert found in self.may_be
        self.may_be = [found]

    @rule()
    def close_and_open(self) -> None:
        self.runner.run(self.journal.close())
        self.may_be = self.may_be[-1:]
        self.journal = Journal.open(self.folder)

    @rule()
    def look(self) -> None:
        self.may_be = self.may_be[-1:]
        assert self.runner.run(self._read()) == self.may_be[0]

    @invariant()
    def epochs_rise(self) -> None:
        assert self.runner.run(self.journal.last_epoch()) == self.may_be[-1].last

    async def _read(self) -> Kept:
        leases = await self.journal.open_leases()
        losses = await self.journal.losses()
        last = await self.journal.last_epoch()
        return Kept(last, frozenset(leases), frozenset(losses.items()))


TestLedgers = Ledgers.TestCase
TestLedgers.settings = settings(examples(10), stateful_step_count=30)
