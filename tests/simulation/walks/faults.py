"""Broken rules of the ledger; the walks must find each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import attrs

from tests.simulation.reverts import Reverts, replace
from wosdk_async.jobs import undo
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import RowRecord, State
from wosdk_async.jobs.journal.access import JournalAccess
from wosdk_async.jobs.ledger import comparison, decision, facts, nearby
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.terms import FileFacts, LedgerFacts, Plan, Refusal, Standing, Why

FAULTS = Reverts()


def _without(why: Why, unknown_rows: Any, *facts: Any) -> Refusal | None:
    found: Refusal | None = unknown_rows(*facts)
    return None if found is not None and found.why == why else found


for _name, _why, _text in (
    ("edited-not-asked", "edited_or_new", "an edited row without a key is a new one"),
    ("columns-not-compared", "columns_changed", "columns that come or go make all rows new ones"),
    ("keys-not-compared", "key_disguised", "a key that a spreadsheet changed is a new one"),
    ("replaced-not-asked", "rejects", "a reject is no row that the file has in another form"),
):
    FAULTS.replace(decision, "_unknown_rows", _name, _text, "doubled")(partial(_without, _why))  # type: ignore[arg-type]


FAULTS.replace(
    decision, "_key_changed", "template-not-compared", "another template makes all rows new ones", "doubled"
)(lambda *_: None)

FAULTS.replace(nearby, "_of_rejects", "rejects-without-ledger", "rejects find no ledger", "refused")(
    lambda *_: None
)


@FAULTS.add("rejects-anew", "rejects are a file like any other", "doubled refused")
def _rejects_anew() -> Iterator[None]:
    with replace(FileRows, "is_rejects", property(lambda _: False)):
        yield


FAULTS.replace(
    facts,
    "sent_elsewhere",
    "copies-not-asked",
    "other ledgers are not asked about rows to send",
    "copied doubled",
)(lambda *_: None)


@FAULTS.replace(
    decision, "_begin_again", "unfinished-left", "a new ledger leaves rows unfinished", "unfinished"
)
def _begin_anyway(original: Any, ledger: LedgerFacts, file: FileFacts) -> Plan | Refusal:
    made: Plan | Refusal = original(attrs.evolve(ledger, counts={}), file)
    return made


@FAULTS.replace(
    comparison, "_match", "repeated-keys-sent", "rows with one key are all sent", "repeated shared wrong"
)
def _match_repeated(original: Any, db: Any, **options: Any) -> None:
    original(db, **options)
    db.execute(
        f"UPDATE temp.matched SET standing = {int(Standing.NEW)} WHERE standing = {int(Standing.REPEATED)}"
    )


@FAULTS.replace(
    Settling,
    "look_up_earlier_runs",
    "not-looked-up",
    "rows of a killed run are sent without a look",
    "doubled",
)
async def _plan_again(_: Any, self: Settling) -> None:
    async for page in self.journal.pages(State.SENDING, State.IN_DOUBT):
        for row in page:
            self.journal.record(RowRecord(row.row, State.PLANNED))


@FAULTS.replace(
    JournalAccess, "admit", "never-dismissed", "rows that are gone for good are asked about again", "refused"
)
async def _admit_without_dismissing(original: Any, self: JournalAccess, change: Any, plan: Any) -> None:
    keywords = change.keywords
    change.keywords["plan"] = attrs.evolve(keywords["plan"], dismisses=False)
    await original(self, change, plan)


@FAULTS.replace(
    undo, "find_used", "users-not-looked-up", "what refers to a record does not keep it", "orphan"
)
async def _unused(*_: Any, **__: Any) -> dict[Any, Any]:
    return {}
