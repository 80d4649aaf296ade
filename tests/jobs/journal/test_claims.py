"""Laws of claims, on virtual time: what is on the disk as being sent, how far ahead, and at which rate."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.journal.plans import a_journal
from tests.jobs.test_waits import virtually
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.journal import Journal, RowRecord, State
from wosdk_async.jobs.journal.claims import Claim, Claims
from wosdk_async.jobs.sources.rows import Row

SIZES = st.lists(st.integers(1, 7), min_size=1, max_size=6)


class Ledger:
    """A journal of as many rows as the pages have, and how many of them were read."""

    def __init__(self, folder: str, sizes: Sequence[int]) -> None:
        self.journal: Journal = a_journal(Path(folder), sum(sizes), synchronous=True)
        self.sizes = sizes
        self.read = 0
        self.stopped = False

    def begun(self) -> int:
        return sum(self.sizes) - self.journal.counts().get(State.PLANNED, 0)

    def sending(self) -> int:
        return self.journal.counts().get(State.SENDING, 0)

    async def pages(self, limit: int) -> AsyncIterator[list[Claim]]:
        for size in self.sizes:
            assert not self.stopped
            assert self.read - self.begun() < limit, "a page is read only when no group is left of the others"
            first, self.read = self.read + 1, self.read + size
            yield [Claim(Row(n, n + 1, {}), None) for n in range(first, self.read + 1)]

    def end(self, claim: Claim, claims: Claims) -> None:
        self.journal.record(RowRecord(claim.row.number, State.REFUSED))
        claims.count_recorded()


@given(
    sizes=SIZES,
    limit=st.integers(1, 5),
    late=st.integers(0, 15),
    stop=st.integers(1, 50),
    leave=st.booleans(),
)
def test_each_row_is_claimed_once_in_its_order_and_few_ahead(
    sizes: list[int], limit: int, late: int, stop: int, leave: bool
) -> None:
    """Outcomes are recorded late; the reader stops the claims, or leaves, at some row."""
    handed: list[int] = []

    async def main(ledger: Ledger) -> None:
        under_way: deque[Claim] = deque()

        async def next_claim(claims: Claims) -> Claim | None:
            while under_way:
                await asyncio.sleep(1)  # now all is claimed that may be
                assert len(under_way) <= ledger.sending() <= 2 * limit
                if (claim := claims.at_hand()) is not None:
                    return claim
                ledger.end(under_way.popleft(), claims)
            return await anext(claims, None)

        async with Claims(ledger.pages(limit), ledger.journal, limit) as claims:
            while (claim := await next_claim(claims)) is not None:
                handed.append(claim.row.number)
                under_way.append(claim)
                if len(under_way) > late:
                    ledger.end(under_way.popleft(), claims)
                if len(handed) == stop:
                    ledger.stopped = True
                    if leave:
                        break
                    claims.stop()
        await ledger.journal.flush()
        assert (ledger.sending(), ledger.begun()) == (len(under_way), len(handed)), "the others are planned"
        await ledger.journal.close()

    with tempfile.TemporaryDirectory() as folder:
        virtually(main(Ledger(folder, sizes)))
    rows = sum(sizes)
    assert handed == list(range(1, len(handed) + 1))
    assert min(stop, rows) <= len(handed) <= (stop if leave else min(stop + limit, rows))


@pytest.mark.parametrize("rate", [8.0, 2.0])
def test_with_a_rate_a_row_is_claimed_when_its_turn_comes(rate: float) -> None:
    """The rows of a quarter of a second at once, and once more as many: then at the rate."""
    rows = 40

    async def main(ledger: Ledger) -> list[float]:
        clock = asyncio.get_running_loop().time
        times, begin = [], clock()
        async with Claims(ledger.pages(9), ledger.journal, 9, rate=lambda: rate) as claims:
            async for claim in claims:
                times.append(clock() - begin)
                assert claim.started == clock()
                assert ledger.sending() <= 4
                ledger.end(claim, claims)
        await ledger.journal.close()
        return times

    with tempfile.TemporaryDirectory() as folder:
        times = virtually(main(Ledger(folder, [rows])))
    assert all(-0.05 < n / rate - at < 0.3 + 2 / rate for n, at in enumerate(times, 1)), times


def test_a_cancelled_scope_leaves_no_claim_that_was_not_handed_out() -> None:
    async def main(ledger: Ledger) -> None:
        with anyio.CancelScope() as scope:
            async with Claims(ledger.pages(2), ledger.journal, 2) as claims:
                await anext(claims)
                scope.cancel()
        await ledger.journal.flush()
        assert (ledger.sending(), ledger.begun()) == (1, 1)
        await ledger.journal.close()

    with tempfile.TemporaryDirectory() as folder:
        virtually(main(Ledger(folder, [6])))


def test_an_error_of_the_pages_comes_after_the_claims_before_it() -> None:
    async def failing(ledger: Ledger) -> AsyncIterator[list[Claim]]:
        async for page in ledger.pages(2):
            yield page
        raise RowError("the file ends in the middle")

    async def main(ledger: Ledger) -> int:
        seen = 0
        with pytest.raises(RowError):
            async with Claims(failing(ledger), ledger.journal, 2) as claims:
                async for claim in claims:
                    seen += 1
                    ledger.end(claim, claims)
        await ledger.journal.close()
        return seen

    with tempfile.TemporaryDirectory() as folder:
        assert virtually(main(Ledger(folder, [2, 2]))) == 4


async def test_an_error_of_the_pages_that_nobody_reads_is_not_logged(tmp_path: Path) -> None:
    """asyncio would log it as one that was never retrieved."""

    async def failing() -> AsyncIterator[list[Claim]]:
        raise RowError("the file ends in the middle")
        yield []

    journal, reported = a_journal(tmp_path, 1, synchronous=True), list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    async with Claims(failing(), journal, 2):
        await asyncio.sleep(0)
    await journal.close()
    gc.collect()
    assert reported == []
