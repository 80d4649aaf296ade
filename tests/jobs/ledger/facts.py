"""Facts of a ledger and of a file, and every combination of choices."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.ledger.terms import FileFacts, LedgerFacts, Plan, Refusal, RowSample, Standing
from wosdk_async.jobs.options import ImportOptions

CHOICES = [
    ImportOptions(again=a, new_rows=b, retry_refused=c, retry_undone=d)
    for a, b, c, d in itertools.product((False, True), repeat=4)
]
FOLDER = Path("rows.csv.job")
FILE = FileFacts(
    company="c",
    operation="o",
    standings={Standing.DONE: 3},
    columns=frozenset("ab"),
    first_new=RowSample(7, "g"),
)
LEDGER = LedgerFacts(
    folder=FOLDER,
    company="c",
    operation="o",
    counts={Standing.DONE: 3},
    columns=frozenset("ab"),
    first_gone=RowSample(2, "k"),
)
PLAIN = ImportOptions()
NEW = {Standing.NEW: 1, Standing.DONE: 2}


def file(**changes: Any) -> FileFacts:
    return attrs.evolve(FILE, **_headed(changes))


def ledger(**changes: Any) -> LedgerFacts:
    return attrs.evolve(LEDGER, **_headed(changes))


def _headed(changes: dict[str, Any]) -> dict[str, Any]:
    """Let the header have the columns with content, unless it is given."""
    return {"header": changes["columns"], **changes} if "columns" in changes else changes


def plan(found: Plan | Refusal) -> Plan:
    assert isinstance(found, Plan), found
    return found


def refusal(found: Plan | Refusal) -> Refusal:
    assert isinstance(found, Refusal), found
    return found
