"""Progress where stderr is not a terminal: lines now and then, and how many rows there were."""

from __future__ import annotations

import re

import pytest

from wosdk_async.cli.output.reporting import RowProgress


def test_rows_of_a_known_number(capsys: pytest.CaptureFixture[str]) -> None:
    """An import has a summary of its own, so the end says nothing."""
    with RowProgress(3, interval=0) as progress:
        progress.stage("creating\n2 records")
        progress.add(1)
        progress.add(1, "1 failed")
    assert capsys.readouterr().err == (
        "wosdk: creating 2 records\nwosdk: 1 of 3 rows\nwosdk: 2 of 3 rows, 1 failed\n"
    )


def test_rows_of_an_unknown_number(capsys: pytest.CaptureFixture[str]) -> None:
    with RowProgress(interval=0) as progress:
        progress.add(1)
    first, last = capsys.readouterr().err.splitlines()
    assert first == "wosdk: 1 row so far"
    assert re.fullmatch(r"wosdk: 1 row in \d+\.\d s", last)


def test_lines_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with RowProgress(1000) as progress:
        for _ in range(1000):
            progress.add(1)
    assert capsys.readouterr().err == ""


def test_nothing_is_shown_unless_wanted_and_read(capsys: pytest.CaptureFixture[str]) -> None:
    with RowProgress(shown=False, interval=0) as progress:
        progress.add(1)
    assert progress.rows == 1
    with pytest.raises(BrokenPipeError), RowProgress() as progress:
        progress.add(1)
        raise BrokenPipeError
    assert capsys.readouterr().err == ""
