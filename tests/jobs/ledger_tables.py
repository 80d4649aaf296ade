"""The tables of docs/import.md and docs/jobs.md, rendered by ``python -m tests.jobs.ledger_tables``.

What happens is asked of ``action_of`` and ``decide``; only the words are written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from pathlib import Path
from typing import get_args

import attrs

from tests.errors.tables import DOCS, rendered, table
from wosdk_async.cli.texts import in_commands
from wosdk_async.jobs.ledger.decision import action_of, decide
from wosdk_async.jobs.ledger.terms import (
    Action,
    Elsewhere,
    FileFacts,
    LedgerFacts,
    Refusal,
    RowSample,
    Standing,
    Why,
)
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.report.output_tables import RESULT_COLUMNS
from wosdk_async.jobs.sources.source import REPORT_COLUMNS
from wosdk_async.text.remedies import Remedy

_STANDINGS: Mapping[Standing, str] = {
    Standing.NEW: "not in the ledger",
    Standing.PLANNED: "not sent yet",
    Standing.SENDING: "in flight when a run was killed",
    Standing.IN_DOUBT: "in doubt",
    Standing.DONE: "done",
    Standing.DONE_CHANGED: "done; its cells have changed since",
    Standing.REFUSED_HERE: "failed before it was sent",
    Standing.REFUSED: "refused by the service",
    Standing.REFUSED_CHANGED: "refused by the service; its cells or the map have changed since",
    Standing.UNDONE: "undone",
    Standing.REPEATED: "not done; another row has the same key",
}
_ACTIONS: Mapping[Action, str] = {
    Action.SEND: "is sent",
    Action.LOOK_UP: "is looked up, and sent if confirmed absent",
    Action.LEAVE: "stays in doubt and is never sent",
    Action.SKIP: "is skipped",
    Action.KEEP: "stays failed",
    Action.REFUSE: "fails",
}
_SWITCHES: Mapping[str, str] = {
    "can_look_up": "without a marker",
    "updates": "in an update",
    "new_rows": "with `--new-rows`",
    "retry_refused": "with `--retry-refused`",
    "retry_undone": "with `--retry-undone`",
}
"""What may change the action of a row; the first is switched off, all others on."""


def _action(standing: Standing, switched: Iterable[str]) -> Action:
    on = set(switched)
    choices = ImportOptions(**dict.fromkeys(on - {"can_look_up", "updates"}, True))
    return action_of(standing, choices, can_look_up="can_look_up" not in on, updates="updates" in on)


def standings() -> str:
    """Return the table of what happens to a row, by what the ledger knows of it."""
    rows = []
    for standing in Standing:
        usual = _action(standing, ())
        others = {name: action for name in _SWITCHES if (action := _action(standing, [name])) is not usual}
        for several in chain.from_iterable(combinations(_SWITCHES, n) for n in range(2, len(_SWITCHES) + 1)):
            expected = {others[name] for name in several if name in others} or {usual}
            assert _action(standing, several) in expected, f"{standing} has no row for {several}"
        exceptions = "".join(f"; {_SWITCHES[name]}, it {_ACTIONS[each]}" for name, each in others.items())
        rows.append((_STANDINGS[standing], _ACTIONS[usual] + exceptions))
    return table(["state of the row in the ledger", "effect of the same command"], rows)


# --- refusals -------------------------------------------------------------------------------------

_FOLDER = Path("requests.csv.job")
_LEDGER = LedgerFacts(folder=_FOLDER, company="a", operation="o", key="{a}", columns=frozenset("a"))
_FILE = FileFacts(company="a", operation="o", key="{a}", columns=frozenset("a"), standings={Standing.NEW: 1})
_BY_CELLS = attrs.evolve(_LEDGER, key=None, gone_unexplained=1), attrs.evolve(_FILE, key=None)
_SAMPLE = attrs.evolve(_LEDGER, gone_unexplained=1)

_CASES: Mapping[Why, tuple[str, LedgerFacts | None, FileFacts, ImportOptions]] = {
    "other_company": (
        "the ledger in `--job DIR` is for another Company",
        _LEDGER,
        attrs.evolve(_FILE, company="b"),
        ImportOptions(),
    ),
    "other_operation": (
        "the ledger in `--job DIR` is for another operation",
        _LEDGER,
        attrs.evolve(_FILE, operation="p"),
        ImportOptions(),
    ),
    "edited_or_new": (
        "without a key: rows that were sent are missing from the file, and other rows are new",
        *_BY_CELLS,
        ImportOptions(),
    ),
    "columns_changed": (
        "as for `edited_or_new`, and columns have changed too",
        _BY_CELLS[0],
        attrs.evolve(_BY_CELLS[1], columns=frozenset("ab")),
        ImportOptions(new_rows=True),
    ),
    "key_disguised": (
        "a key to send differs from an old key only in case, white space, Unicode form, leading zeros, `.0` "
        "or an exponent. Old keys are those of rows missing from the file, unless the last file had both the "
        "old and the new key. Keys sent by the five newest other jobs in the directory, and a reject's own "
        "old key, count too",
        _SAMPLE,
        attrs.evolve(_FILE, disguised={Standing.NEW: (1, ((RowSample(2, "501"), RowSample(2, "00501")),))}),
        ImportOptions(),
    ),
    "key_changed": (
        "the map now builds different keys for sent rows, or names another marker while rows are in doubt",
        _SAMPLE,
        attrs.evolve(_FILE, key="{b}"),
        ImportOptions(),
    ),
    "superseded": (
        "`wosdk jobs resume` for a ledger that `--again` replaced",
        _LEDGER,
        attrs.evolve(_FILE, superseded_by=_FOLDER),
        ImportOptions(),
    ),
    "unfinished": (
        "`--again` while rows are unsent, in flight or in doubt",
        attrs.evolve(_LEDGER, counts={Standing.IN_DOUBT: 1}, marker="m"),
        _FILE,
        ImportOptions(again=True),
    ),
    "sent_elsewhere": (
        "in the first run: another job beside the file or its job folder has sent some rows, but without "
        "these keys in the marker. Without a key, a job with other columns goes unnoticed. A row that shares "
        "only its key with a sent row needs `--new-rows`",
        None,
        attrs.evolve(_FILE, key=None, elsewhere=Elsewhere(folder=_FOLDER, rows=1)),
        ImportOptions(),
    ),
}
"""For each code when it comes, and facts with which it does."""

_REJECTS = attrs.evolve(_FILE, rejects=True)
_OF_REJECTS: Mapping[str, tuple[FileFacts, ImportOptions]] = {
    "the rejects' ledger was not found, or `--job` names another job's folder": (_REJECTS, ImportOptions()),
    "a rejects file with `--again`": (_REJECTS, ImportOptions(again=True)),
    "a rejects file with a missing, repeated, mixed or unknown `_job` or `_row`": (
        attrs.evolve(_REJECTS, rejects_problem=("missing_row", 2)),
        ImportOptions(),
    ),
    "without a key: the original file no longer has these rejects, and new rows in it have been sent": (
        attrs.evolve(_REJECTS, key=None, replaced={Standing.NEW: 2}),
        ImportOptions(),
    ),
}


def _refused(ledger: LedgerFacts | None, file: FileFacts, choices: ImportOptions, why: Why) -> str:
    """Return what can be done about a refusal with this code."""
    found = decide(ledger, file, choices)
    assert isinstance(found, Refusal), f"{why}: nothing is refused"
    assert found.why == why
    texts = (_LINKS.get(each) or in_commands(each, {"folder": "FOLDER"}) for each in found.remedies)
    return _COMMAND.sub(r"`\g<0>`", "; or ".join(texts))


_LINKS = {
    Remedy.KEY: "[add a key](#the-key-of-a-row)",
    Remedy.SEND_AGAIN: "[start over](#start-over)",
    Remedy.NEWER_REJECTS: "correct and import that job's `FOLDER/rejects.csv`, if any",
    Remedy.UNDO_AND_SEND: "[start over](#start-over)",
    Remedy.EXPORT_REJECTS: "take the rows [from rejects.csv](#rejects)",
}
"""Remedies that the page explains elsewhere."""
_COMMAND = re.compile(r"--[a-z-]+( [A-Z]+)?|wosdk jobs [a-z]+( FOLDER)?")


def refusals() -> str:
    """Return the table of refusals."""
    without = {*get_args(Why)} - {*_CASES, "rejects"}
    assert not without, f"add {sorted(without)} to _CASES, then run python -m tests.jobs.ledger_tables"
    rows = [
        (f"`{why}`", when, _refused(ledger, file, choices, why))
        for why, (when, ledger, file, choices) in _CASES.items()
    ]
    replaced = attrs.evolve(_REJECTS, superseded_by=_FOLDER)
    rows.append(
        (
            "`superseded`",
            "rejects of such a ledger",
            _refused(_LEDGER, replaced, ImportOptions(), "superseded"),
        )
    )
    copied = attrs.evolve(_FILE, elsewhere=Elsewhere(folder=_FOLDER, rows=1))
    rows.append(
        (
            "`sent_elsewhere`",
            "the same in a later run",
            _refused(_LEDGER, copied, ImportOptions(), "sent_elsewhere"),
        )
    )
    rows.sort(key=lambda row: list(_CASES).index(row[0].strip("`")))
    rows += [
        ("`rejects`", when, _refused(_LEDGER if file.replaced else None, file, choices, "rejects"))
        for when, (file, choices) in _OF_REJECTS.items()
    ]
    return table(["code", "when", "what to do"], rows)


def outputs() -> str:
    """Return the table of the output files."""
    results, rejects = (
        ", ".join(f"`{name}`" for name in names) for names in (RESULT_COLUMNS, REPORT_COLUMNS)
    )
    rows = [
        ("`results.csv`", "all rows of the file", results),
        (
            "`rejects.csv`",
            "rows that failed; [correct and import them](import.md#rejects)",
            f"the columns of the input, and {rejects}",
        ),
        (
            "`in_doubt.csv`",
            "rows in doubt",
            "the columns of `results.csv` with a leading `_`, then those of the input",
        ),
        (
            "`references.csv`",
            "new records that rows refer to",
            "`reference`, `name`, `state`, `id`, `reason`, `request_id`",
        ),
    ]
    return table(["File", "Rows", "Columns"], rows)


TABLES = {
    DOCS / "import.md": {"standings": standings, "refusals": refusals},
    DOCS / "jobs.md": {"outputs": outputs},
}

if __name__ == "__main__":
    for each, tables in TABLES.items():
        each.write_text(rendered(each, tables), encoding="utf-8")
