"""Imports, undos and settlements of a walk, each compared with the service."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from tests.simulation.import_service import LATE
from tests.simulation.killed_process import KILLED
from tests.simulation.walks.judge import Judge
from tests.simulation.walks.ledgers import ledger_rows, ledgers_of, plan_in
from tests.simulation.walks.programs import Programs
from tests.simulation.walks.service import WalkService
from tests.simulation.walks.user import Kind, Known, Text, User, UserRow, text_of
from wosdk_async.jobs import Summary
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.jobs.ledger.terms import Refusal
from wosdk_async.regular_files import sha256_of
from wosdk_async.text.remedies import Remedy

_KINDS: tuple[Kind, ...] = ("marked", "marked", "open", "key", "cells", "cells", "update")
_MAX_POINTS = 45
PART = "part.csv"
"""Name of the second file."""


class ImportingUser:
    """User who imports; ``found`` are the violations."""

    def __init__(self, seed: int, folder: Path, say: Callable[[str], None]) -> None:
        self.rng = rng = random.Random(f"walk {seed}")
        self.folder, self.say = folder, say
        self.user = User(rng, rng.choice(_KINDS), rng.random() < 0.3)
        self.service = WalkService(asyncio.get_running_loop(), random.Random(f"service {seed}"))
        self.programs = Programs(self.service)
        self.closed: set[str] = set()
        self.disguised, self.recoded = set[str](), set[str]()
        """Rows whose keys a spreadsheet changed, and rows with other keys in rejects."""
        self.judge = Judge(self.service, self.closed, self.recoded)
        self.found: list[str] = []
        self.known = Known()
        self.dated = rng.random() < 0.2
        """Whether files get different names, and one job folder takes them all."""
        takes_two = random.Random(f"files {seed}").random() < 0.4
        self.has_parts = takes_two and not self.dated and self.user.kind != "update"
        """Whether some rows are also imported from a second file, which has its own ledger."""
        self.imported: dict[str, set[Text]] = {}
        """If there is a second file: the cells with which each row was imported."""
        self.file = folder / "rows.csv"
        self.renamed = self.named = False
        """Whether the file was renamed, and whether imports name its job folder since."""
        self.summary: Summary | None = None
        self.dropped = False
        """Whether the map changed how rows are known."""
        self.columns_changed = self.insists = self.guessed = self.dismissed = False
        self.sent_rejects: set[Text] = set()
        """Rejects that were imported since the user last declared rows gone for good."""
        self.began = 0
        """Id of the last record that existed when the ledger began."""

    @property
    def base(self) -> Path:
        """Folder of the first ledger."""
        return self.folder / "all.job" if self.dated else self.folder / "rows.csv.job"

    @property
    def ledger(self) -> Path | None:
        """Ledger that the same command uses."""
        ledgers = ledgers_of(self.base)
        return ledgers[-1] if ledgers else None

    def _saved(self) -> Path:
        if self.dated and self.rng.random() < 0.3:
            self.file = self.folder / f"rows-{self.rng.randint(1, 9)}.csv"
        self.user.write(self.file)
        (self.folder / "map.toml").write_text(self.user.map_text(), encoding="utf-8")
        return self.file

    async def _import(
        self, path: Path, *, rows: list[UserRow] | None = None, kill: bool = True, **options: Any
    ) -> bool:
        """Import a file; return whether the import ran to its end."""
        at = self.rng.randint(1, _MAX_POINTS) if kill and self.rng.random() < 0.4 else None
        if self.dated or (self.named and path == self.file):
            options.setdefault("folder", self.base)
        digest = sha256_of(path)  # read now, because rejects without rows are removed
        before, is_main = len(ledgers_of(self.base)), rows is None
        newest = max((each.id for each in self.service.contacts()), default=0)
        held = {(each.tag, each.code) for each in self.service.contacts() if not each.removed}
        unfinished = self._unfinished() if options.get("again") else 0
        rows = self.user.rows if rows is None else rows
        if self.has_parts:  # a killed import of the other file may still take effect
            await self._wait()
        self._allow_changed(rows)
        summary: Any = None
        refusal: Refusal | None = None
        try:
            summary = await self.programs.imported(path, self.folder / "map.toml", at, **options)
        except ImportRefusedError as error:
            refusal = error.refusal
        except Exception as error:
            self.found.append(f"error: {type(error).__name__}: {error}")
            return False
        self.say(
            "  "
            + "; ".join(f"{each.tag}: {each.code}, {each.note}, {each.grade}, {each.more}" for each in rows)
        )
        said = f"{refusal.why} {refusal.lines}" if refusal else "killed" if summary is KILLED else summary
        self.say(f"  {path.name} {options} kill {at}: {said}")
        if unfinished and len(ledgers_of(self.base)) > before:
            self.found.append(f"unfinished: a new ledger leaves {unfinished} rows")
        if len(ledgers_of(self.base)) > before:
            self.began = newest
        if is_main:
            self._learn(rows, digest, before, options, held, refused=refusal is not None)
        elif refusal is None and self._admitted(digest):
            self.known.add(rows, more=True)
            self.sent_rejects |= {text_of(each.cells(more=True)) for each in rows}
        if self.user.kind == "update" and self._admitted(digest):
            self._note_planned(rows)
        for each in self.service.contacts():
            self.say(f"    {each}")
        self.found += self.judge.doubled(self.user.wanted, self.user.kind) + self.judge.orphans()
        if refusal is not None:
            if path.name != PART:
                self._refused(refusal, rows, is_main=is_main, options=options)
            if is_main:
                self._remedy(refusal)
            return False
        if summary is KILLED:
            return False
        self._compare(summary, rows, is_main=is_main)
        self.summary = summary if is_main and summary.done > summary.undone + summary.changed else None
        return True

    def _allow_changed(self, rows: list[UserRow]) -> None:
        """Allow one more record for a row that changed since another file had it; no ledger knows better."""
        for row in rows if self.has_parts else ():
            known = self.imported.setdefault(row.tag, set())
            text = text_of(row.cells(more=self.user.more))
            self.user.wanted[row.tag] += bool(known) and text not in known
            known.add(text)

    def _note_planned(self, rows: list[UserRow]) -> None:
        """Note the updates planned by a killed run: values from before may be written again after them."""
        assert self.ledger is not None
        ids = {each.code: each.id for each in self.service.contacts()}
        for each in ledger_rows(self.ledger):
            row = rows[each.place - 1] if each.place and each.state is State.PLANNED else None
            if row is not None and row.code in ids:
                self.service.note_update(ids[row.code], "planned", (row.note, self.user.constant))

    def _change_key(self, changed: set[str], tag: str) -> None:
        """Note a row whose key changed. A row with other keys in the file and in rejects may become two."""
        both = self.disguised & self.recoded
        changed.add(tag)
        self.user.wanted.update((self.disguised & self.recoded) - both)

    def _unfinished(self) -> int:
        """Return the number of rows in doubt. Planned rows do not count: the file may no longer have them."""
        rows = ledger_rows(self.ledger) if self.ledger is not None else []
        return sum(each.state in (State.SENDING, State.IN_DOUBT) for each in rows)

    def _compare(self, summary: Summary, rows: list[UserRow], *, is_main: bool) -> None:
        assert summary.folder is not None
        if self.user.refers and summary.stopped is not None and summary.stopped.kind == "references":
            return  # the first row with a new record was refused, so the others wait
        if summary.stopped or summary.files_failed:
            self.found.append(f"stopped: {summary.stopped}, {summary.files_failed}")
            return
        user = self.user
        self.found += self.judge.summary(summary.folder, rows, summary)
        self.found += self.judge.rows(summary.folder, rows, user.wanted, user.kind)
        if user.kind != "update" and not (self.dropped or self.guessed):
            exact = not (self.columns_changed or self.disguised or self.recoded or self.has_parts)
            self.found += self.judge.changed(
                summary.folder, rows, summary, exact=exact and is_main, has_parts=self.has_parts
            )

    def _admitted(self, sha256: str) -> bool:
        """Return whether the newest ledger has taken the rows of this file."""
        if self.ledger is None:
            return False
        plan, user = plan_in(self.ledger), self.user
        same_key = plan["rejects"] or plan["key"] == user.key
        return same_key and (plan["sha256"], plan["marker"]) == (sha256, user.marker)

    def _learn(
        self,
        rows: list[UserRow],
        digest: str,
        before: int,
        options: Mapping[str, Any],
        held: Set[tuple[str, str]],
        *,
        refused: bool,
    ) -> None:
        """Note what the ledger knows now, and what the user requested by an option."""
        user = self.user
        if (before or self.has_parts) and len(ledgers_of(self.base)) > before:  # all rows are sent once more
            self.known = Known()
            for tag, number in user.made.items():
                user.wanted[tag] += number
            user.wanted["written"] += 1
        if refused or not self._admitted(digest):
            return
        if options.get("new_rows"):
            self.dismissed = True
            if not user.keyed:  # rows that waited, other than the rejects that were sent meanwhile
                names = {dict(text)["name"] for text in self.sent_rejects}
                waited = [row for row in rows if text_of(row.cells(more=True)) not in self.sent_rejects]
                user.wanted.update(row.tag for row in waited if row.tag in names)
            self.sent_rejects = set()
            for tag in self.known.edited(rows, held, more=user.more, keyed=user.keyed):
                user.wanted[tag] += 1
        _, new = self.known.differences(rows, more=user.more)
        self.known.add(rows, more=user.more)
        if options.get("new_rows") and new:  # without new rows, the option says nothing about the other rows
            self.known.dismiss(rows, more=user.more)
        self.known.admitted = user.snapshot()

    def _refused(
        self, refusal: Refusal, rows: Sequence[UserRow], *, is_main: bool, options: Mapping[str, Any]
    ) -> None:
        """Report a refusal that has no reason."""
        was, user = self.known.admitted, self.user
        gone, new = self.known.differences(user.rows, more=user.more)
        reasons = {
            "edited_or_new": not user.keyed and gone and (new or bool(self.sent_rejects)),
            "columns_changed": self.columns_changed
            and ((not user.keyed and gone and new) or (was is not None and was.key != user.key)),
            "key_disguised": bool(self.disguised),
            "key_changed": was is not None and (was.key, was.marker) != (user.key, user.marker),
            "unfinished": "again" in options,
            "sent_elsewhere": not is_main
            or len(ledgers_of(self.base)) > 1
            or self.has_parts
            or (self.renamed and not self.named),
            "superseded": not is_main,
            "rejects": (refusal.problem == "replaced" and not user.keyed)
            # Of two rejects of one order, corrected alike and edited later, nobody knows which number moved.
            or (refusal.problem == "other_row" and len({row.tag for row in rows}) < len(rows)),
        }
        is_first = was is None and is_main and not self.has_parts
        if not reasons.get(refusal.why, False) or is_first:
            self.found.append(f"refused: {refusal}")

    def _remedy(self, refusal: Refusal) -> None:
        """Do what the message says, or put the table and map back."""
        was, user = self.known.admitted, self.user
        if self.renamed and not self.named:
            if refusal.remedies != (Remedy.THAT_FOLDER,) and not self.has_parts:
                self.found.append(f"renamed: {refusal}")
            self.named = True
        elif refusal.why == "sent_elsewhere" and refusal.lines:
            removed = {line - 2 for line in refusal.lines}
            user.rows = [row for index, row in enumerate(user.rows) if index not in removed]
            if not user.rows:
                user.append()
        elif was is None:
            self.insists = refusal.why == "key_disguised"
        elif refusal.why == "key_changed":
            user.kind, user.template, user.constant = was.kind, was.template, was.constant
        elif refusal.why == "columns_changed" or (refusal.why != "unfinished" and self.rng.random() < 0.5):
            user.put_back(was)
        elif refusal.why in ("edited_or_new", "key_disguised"):
            self.say("  and is done with new_rows")
            self.insists = True

    # --- what else happens ----------------------------------------------------------------------------

    async def _undo(self) -> None:
        if self.ledger is not None and self.user.kind != "update":
            which = self.rng.choice(("last", "last", "first", "all"))
            await self._carried_out("undone", self.ledger, which, self.rng.random() < 0.5)
            self.found += self.judge.orphans()

    async def _settle(self, *, kill: bool = True) -> None:
        was = self.known.admitted
        if self.ledger is None or was is None or was.kind == "update":
            return
        if plan_in(self.ledger)["marker"] is None:  # rejects may have been imported with another map
            if self.has_parts:  # the person could not tell the records of the two ledgers apart
                return
            await self._wait()  # a person looks at the records later
            self.guessed = True
            await self._carried_out("decided", self.ledger, self.began, kill=kill)
        else:
            await self._carried_out("settled", self.ledger, kill=kill)

    async def _carried_out(self, name: str, *arguments: Any, kill: bool = True) -> None:
        at = self.rng.randint(1, _MAX_POINTS // 2) if kill and self.rng.random() < 0.3 else None
        try:
            result = await getattr(self.programs, name)(*arguments, at)
        except Exception as error:
            self.found.append(f"error: {name}: {type(error).__name__}: {error}")
        else:
            self.say(f"  {name} {arguments[1:]} kill {at}: {'killed' if result is KILLED else result}")

    async def _wait(self) -> None:
        await asyncio.sleep(2 * LATE)
