"""Watermarks as values and as text."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of
from tests.support.service import Service
from wosdk_async import InvalidCallError, Watermark, WorkOrder
from wosdk_async.resources.watermark import Pass, Seen

IDS = st.integers(1, 2**63 - 1)
TIMES = st.datetimes(timezones=st.just(UTC))
SEEN = st.builds(Seen, IDS, TIMES, st.none() | st.integers(0, 2**31))
WATERMARKS = st.builds(
    Watermark,
    company=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    time=st.none() | TIMES,
    seen=st.lists(SEEN, max_size=4).map(tuple),
    reading=st.none() | st.builds(Pass, st.none() | TIMES, IDS, IDS),
)


@given(mark=WATERMARKS)
def test_a_watermark_is_what_its_text_says(mark: Watermark) -> None:
    """Text, pickle and equality keep everything; the text is one line."""
    text = str(mark)
    assert Watermark.parse(text) == mark == pickle.loads(pickle.dumps(mark))  # noqa: S301
    assert "\n" not in text
    assert hash(mark) == hash(Watermark.parse(text))


GOOD = str(Watermark(company="Acme", time=datetime(2026, 3, 1, tzinfo=UTC)))


@each_of(
    "text",
    [
        "",
        "2026-03-01",
        "[]",
        "null",
        GOOD[:-1],
        GOOD.replace('"Acme"', "7"),
        GOOD.replace('"2026-03-01T00:00:00Z"', '"soon"'),
        GOOD.replace('"2026-03-01T00:00:00Z"', "1772323200"),
        GOOD.replace('"seen":[]', '"seen":[[1]]'),
        GOOD.replace('"seen":[]', '"seen":[[true,"2026-03-01T00:00:00Z",1]]'),
        GOOD.replace('"reading":null', '"reading":[null,1]'),
    ],
)
def test_other_text_is_refused(text: str) -> None:
    """By an error that says what was to be kept."""
    with pytest.raises(InvalidCallError, match=r"store all of str\(feed.watermark\)"):
        Watermark.parse(text)


async def test_a_watermark_of_another_company_is_refused() -> None:
    """It would hide what moved here; the case of the name does not matter."""
    async with Service() as service, service.client() as client:
        acme = client.company("Acme Facilities")
        acme.changes(WorkOrder, since=Watermark(company="ACME facilities"))
        with pytest.raises(InvalidCallError, match="'Zenith'"):
            acme.changes(WorkOrder, since=Watermark(company="Zenith"))
