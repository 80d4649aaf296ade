"""Laws of ranges of ids: files and gaps cover each id once, whatever a kill left."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wosdk_async.jobs.exports.work_folder import IdRange, RangeFile, RangeFileWriter, gaps, split

IDS = st.integers(-50, 200)


def covered(ranges: list[IdRange], ids: range) -> list[int]:
    """The ids in ranges, as often as they are in one."""
    return sorted(id for id in ids for each in ranges if _holds(each, id))


def _holds(ids: IdRange, id: int) -> bool:
    return (ids.above is None or id > ids.above) and (ids.until is None or id <= ids.until)


@given(IDS, st.sets(IDS), st.data())
def test_files_and_gaps_cover_each_id_once(highest: int, cuts: set[int], data: st.DataObject) -> None:
    ends = [None, *sorted(cut for cut in cuts if cut < highest), highest]
    ranges = [IdRange(*pair) for pair in itertools.pairwise(ends)]
    kept = [each for each in ranges if data.draw(st.booleans())]
    files = [RangeFile(Path("x"), each, 0) for each in kept]
    every = range(-100, highest + 1)
    assert covered([*kept, *gaps(files, highest)], range(-100, 300)) == list(every)


@given(st.one_of(st.none(), IDS), IDS, st.integers(1, 60))
def test_a_range_is_split_into_adjacent_ones(above: int | None, until: int, size: int) -> None:
    whole = IdRange(above, until)
    made = list(split(whole, size))
    every = range(-100, 300)
    assert covered(made, every) == covered([whole], every)
    assert all(each.until is not None and each.until - (each.above or 0) <= size for each in made)


@given(st.one_of(st.none(), IDS), st.one_of(st.none(), IDS), st.integers(0, 10**9))
def test_the_name_of_a_file_says_what_it_covers(above: int | None, until: int | None, rows: int) -> None:
    first, last = ("start" if above is None else above), ("end" if until is None else until)
    file = RangeFile.at(Path(f"{first}_{last}_{rows}.arrow"))
    assert file is not None
    assert (file.ids, file.rows) == (IdRange(above, until), rows)
    assert RangeFile.at(Path(f"{first}.open")) is None


@pytest.mark.parametrize(("end", "whole"), [(2, True), (4000, False)])
def test_offsets_that_lead_beyond_a_file_are_not_followed(tmp_path: Path, end: int, whole: bool) -> None:
    """Other memory of the process would get into the output."""
    offsets = pa.py_buffer(b"".join(each.to_bytes(4, "little") for each in (0, end, 3)))
    names = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"abc"))
    batch = pa.record_batch([names], names=["Name"])
    writer = RangeFileWriter(tmp_path, batch.schema, None)
    writer.write(batch, 2)
    writer.finish(2)
    file = RangeFile.at(tmp_path / "start_2_2.arrow")
    assert file is not None
    assert file.is_intact(batch.schema) is whole
