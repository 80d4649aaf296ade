"""A journal, from its creation to its end."""

from __future__ import annotations

from pathlib import Path

from wosdk_async.jobs.journal import Journal, Plan, RowEntry, RowRecord, State, digest, new_job_id


def plan(**changes: object) -> Plan:
    known = {
        "job": new_job_id(),
        "file": "/data/requests.csv",
        "size": 100,
        "sha256": "ab",
        "company": "acme",
        "operation": "WoCreateCommand",
        "map_sha256": "cd",
        "created_at": "2026-11-22T12:00:00+00:00",
    }
    return Plan(**known | changes)


async def test_rows_are_planned_begun_and_recorded(tmp_path: Path) -> None:
    entries = [
        RowEntry(1, 2, digest({"a": "1"}), "K1"),
        RowEntry(2, 3, digest({"a": "2"}), "K2"),
        RowEntry(3, 4, digest({"a": "3"}), "K1"),
        RowEntry(4, 5, digest({"a": "4"}), "K4", "the record has 1 cells, the header 2"),
    ]
    journal = Journal.create(tmp_path, plan(), entries)
    assert journal.plan.rows == 4
    await journal.begin([1, 2])
    journal.record(RowRecord(1, State.DONE, id=7, number="RSC1", warnings=("cut",), attempts=2, seconds=0.5))
    await journal.close()
    async with Journal.open(tmp_path) as journal:
        assert [(row, state) for row, state, _, _ in await journal.page(1, 9)] == [
            (1, State.DONE), (2, State.SENDING), (3, State.REFUSED), (4, State.REFUSED)
        ]  # fmt: skip
        rows = await journal.rows_in()
        assert [row.key for row in rows] == ["K1", "K2", None, "K4"]
        assert rows[0].warnings == ("cut",)
        assert rows[2].reason == "the key 'K1' is that of row 1 (line 2) already; keys must be unique"
        assert journal.counts()[State.REFUSED] == 2
