"""The promise of an import: its journal compared with what the service has."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from wosdk_async.jobs.journal import Journal, State, StoredRow


def broken_promises(
    rows: Iterable[StoredRow], keys: Mapping[int, str], there: Mapping[str, Sequence[int]], *, marked: bool
) -> list[str]:
    """Return what is wrong with a finished job.

    Args:
        rows: rows of the journal.
        keys: key of each row of the file.
        there: ids of the records with each key.
        marked: whether the job had a marker. If it did, each row must exist exactly once. Otherwise no row
            may exist twice, and each row that is not done must be in doubt.
    """
    broken = []
    found = {row.row: row for row in rows}
    if sorted(found) != sorted(keys):
        broken.append(f"the journal has {len(found)} rows, the file {len(keys)}")
    for number, key in keys.items():
        ids, row = list(there.get(key, ())), found.get(number)
        state = row.state if row is not None else None
        if len(ids) > 1 or (marked and not ids):
            broken.append(f"row {number} is there {len(ids)} times: {ids}")
        if row is not None and state == State.DONE and ids != [row.id]:
            broken.append(f"row {number} is DONE as {row.id}, there is {ids}")
        elif row is not None and state != State.DONE and (marked or state != State.IN_DOUBT):
            broken.append(f"row {number} is {row.state.name} ({row.reason}), there is {ids}")
    return broken


async def stored_rows(folder: Path, *states: State) -> list[StoredRow]:
    """Return the journal's rows in one of ``states``; none without a journal."""
    if not (folder / "journal.db").exists():
        return []
    rows: list[StoredRow] = []
    async with Journal.open(folder, read_only=True) as journal:
        while page := await journal.rows_in(*states, after=rows[-1].row if rows else 0):
            rows += page
    return rows


def missing_in_files(folder: Path, rows: Sequence[StoredRow]) -> list[str]:
    """Return errors about rows that are missing from the files in a job folder."""
    missing = []
    doubtful = {row.row for row in rows if row.state == State.IN_DOUBT}
    for name, numbers in (("results.csv", {row.row for row in rows}), ("in_doubt.csv", doubtful)):
        path = folder / name
        if numbers:
            listed = _row_numbers(path) if path.exists() else set()
            missing += [f"{name} does not list rows {sorted(numbers - listed)[:5]}"] * (numbers != listed)
    return missing


def _row_numbers(path: Path) -> set[int]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return {int(line.get("row") or line["_row"]) for line in csv.DictReader(file)}
