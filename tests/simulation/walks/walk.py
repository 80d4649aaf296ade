"""One random walk: runs, kills, edits and corrections drawn from a seed."""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tests.simulation.killed_process import run_simulation
from tests.simulation.walks.importing import PART, ImportingUser
from tests.simulation.walks.ledgers import ledger_rows, ledgers_of
from tests.simulation.walks.service import BAD
from tests.simulation.walks.user import Kind, Text, UserRow, read_table, text_of, write_table
from wosdk_async import Company
from wosdk_async.jobs.journal import State
from wosdk_async.model import Contact
from wosdk_async.regular_files import sha256_of

_MAX_STEPS = 14
_MAX_RUNS = 12
_MEMORY = "/dev/shm"


def violations(seed: int, *, say: Callable[[str], None] = lambda _: None) -> list[str]:
    """Return the violations in the walk of a seed, as ``name: details``."""
    place = _MEMORY if Path(_MEMORY).is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder:

        async def walked() -> list[str]:
            return await Walk(seed, Path(folder), say).carry_out()

        return run_simulation(seed, "loop", walked)


class Walk(ImportingUser):
    def __init__(self, seed: int, folder: Path, say: Callable[[str], None]) -> None:
        super().__init__(seed, folder, say)
        self.rejected: dict[tuple[str, str], Text] = {}
        """Cells of rejects as they were in the file, by job and row."""
        self.copies: list[Path] = []
        """Files of rejects that the user saved elsewhere."""
        self.renames = random.Random(f"renames {seed}")  # of its own, so that other walks stay as they are

    # --- the walk -----------------------------------------------------------------------------------

    async def carry_out(self) -> list[str]:
        with contextlib.closing(self.service.store):
            for _ in range(self.rng.randint(2, 7)):
                self.user.append()
            if self.user.kind == "update":
                await self._make_records()
            self.say(f"{self.user.kind}, {len(self.user.rows)} rows{', dated files' if self.dated else ''}")
            for _ in range(self.rng.randint(3, _MAX_STEPS)):
                if self.found:
                    break
                self.service.faults = self.rng.choice((0.0, 0.1, 0.3, 0.6))
                if self.renames.random() < 0.05:
                    await self._rename()
                await self._step()
            if not self.found:
                await self._end()
            return self.found

    async def _step(self) -> None:
        steps: Mapping[str, tuple[int, Callable[[], Any]]] = {
            "run": (9, self._run),
            "edit": (4, self.user.edit),
            "append": (4, self.user.append),
            "remove": (2, self.user.remove),
            "sort": (2, self.user.sort),
            "correct": (1, self.user.correct),
            "column": (1, self._toggle_column),
            "disguise": (1, self._disguise),
            "rejects": (4, self._import_rejects),
            "undo": (2, self._undo),
            "settle": (2, self._settle),
            "map": (2, self._change_map),
            "close": (1, self._close),
            "wait": (1, self._wait),
            "part": (9 if self.has_parts else 0, self._import_part),
        }
        (name,) = self.rng.choices(list(steps), [weight for weight, _ in steps.values()])
        self.say(name)
        self.summary = None
        made = steps[name][1]()
        if asyncio.iscoroutine(made):
            await made
        elif self.rng.random() < 0.5 and not self.found:
            await self._run()
        if self.summary is not None and self.rng.random() < 0.2 and not self.found:
            await self._import_copy()

    async def _end(self) -> None:
        """Run without faults until all is done, and compare; then run again, which must send nothing."""
        self.say("end")
        self.service.faults = 0.0
        self.service.closed.clear()
        await self._wait()
        if self.rng.random() < 0.5:
            await self._settle(kill=False)
        self.say("  last runs")
        for _ in range(_MAX_RUNS):
            options: dict[str, Any]
            options, self.insists = {"new_rows": True} if self.insists else {}, False
            if self.found or await self._import(self._saved(), kill=False, **options):
                break
        else:
            self.found.append("refused: the same command is refused whatever the user does")
        if self.found:
            return
        await self._import(self._saved(), kill=False)  # a row that waited is sent now
        writes = self.service.writes
        if not await self._import(self._saved(), kill=False):
            self.found.append("refused: the same command, given once more, is refused")
        elif self.service.writes != writes:
            self.found.append("repeated: the same command sent something once all was done")
        else:
            looks_up = self.user.kind in ("marked", "open", "update")
            folder = ledgers_of(self.base)[-1]
            self.found += self.judge.ended(folder, self.user, looks_up=looks_up)
            if self.user.keyed and not (self.dropped or self.recoded or self.disguised):
                self.found += self.judge.repeated(folder, self.user.rows)

    async def _run(self) -> None:
        options: dict[str, Any] = {"new_rows": True} if self.insists else {}
        self.insists = False
        for name, chance in (
            ("new_rows", 0.15),
            ("retry_refused", 0.1),
            ("retry_undone", 0.1),
            ("again", 0.06),
        ):
            if self.rng.random() < chance:
                options[name] = True
        await self._import(self._saved(), **options)

    async def _import_rejects(self) -> None:
        """Correct rejects in place or in a copy, and import them; or import an old copy again."""
        folder = self.ledger
        found = [*sorted(folder.glob("rejects*.csv")), *self.copies] if folder is not None else []
        if not found or folder is None:
            return
        path = self.rng.choice(found)
        columns, cells = read_table(path)
        if cells and not self.user.keyed and self.rng.random() < 0.4:
            self.user.correct()  # in the file as well, which is imported first
            await self._run()
        if not (cells := self._as_in_file(cells)):
            return
        for each in cells:
            if self.rng.random() < 0.7 and each["note"].startswith(BAD):
                each["note"] = f"note of {each['name']}{self.rng.choice(('', ' again'))}"
            if self.rng.random() < 0.1:
                each["code"] += "x"
                self._change_key(self.recoded, each["name"])
        options: dict[str, Any] = {}
        if path not in self.copies and self.rng.random() < 0.5:
            place = self.rng.choice((self.folder / "copies", self.folder, self.folder / "far" / "away"))
            place.mkdir(exist_ok=True, parents=True)
            path = place / f"copy-{len(self.copies)}.csv"
            self.copies.append(path)
            options["folder"] = folder
        write_table(path, columns, cells)
        if path.is_relative_to(self.folder / "far"):
            options["folder"] = folder
        rows = [
            UserRow(each["name"], each["code"], each["note"], each["grade"], each.get("more", ""))
            for each in cells
        ]
        (self.folder / "map.toml").write_text(self.user.map_text(), encoding="utf-8")
        await self._import(path, rows=rows, **options)

    def _as_in_file(self, rejects: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """Return the rejects, without those that the file has in another form and a map may not recognize.

        Of an update that is corrected in both files, the correction that is imported last remains. Without a
        key, new_rows says that a row of the file and a reject are two rows.
        """
        in_one_place = self.dropped or self.user.kind == "update" or (self.dismissed and not self.user.keyed)
        there = Counter(text_of(each.cells(more=self.user.more)) for each in self.user.rows)
        found = []
        for cells in rejects:
            text = self.rejected.setdefault((cells["_job"], cells["_row"]), text_of(cells))
            if not in_one_place or there[text] > 0:
                there[text] -= 1
                found.append({**cells})
        return found

    async def _import_copy(self) -> None:
        """Import a copy of a file without keys that was just sent; it must be refused."""
        if self.user.kind not in ("cells", "open") or self.dated or self.summary is None:
            return
        path = self.folder / "copy of rows.csv"
        self.user.write(path)
        if await self._import(path, rows=[attrs.evolve(each) for each in self.user.rows], kill=False):
            self.found.append("copied: a copy of a file that was sent is accepted")
        path.unlink()

    async def _rename(self) -> None:
        """Rename the file, with an edit perhaps. Only its job can tell what to send, so that job is named."""
        self.user.write(self.file)
        if (
            self.dated
            or self.renamed
            or self.user.kind == "update"
            or not self._admitted(sha256_of(self.file))
        ):
            return
        assert self.ledger is not None
        unsure = (State.SENDING, State.IN_DOUBT)
        states = [each.state for each in ledger_rows(self.ledger) if each.place and not each.undone]
        is_sent = sum(each in (*unsure, State.DONE) for each in states) > 1
        can_look_up = self.user.kind == "marked" and not any(each in unsure for each in states)
        if not is_sent or can_look_up:
            return
        self.say("rename")
        self.file, self.renamed = self.file.rename(self.folder / "renamed.csv"), True
        if self.rng.random() < 0.5:
            self.user.edit()
        if not self.user.keyed and self.renames.random() < 0.4:
            self.user.kind, self.dropped = "key", True
        if await self._import(self._saved(), kill=False):
            self.found.append("renamed: a renamed file is sent by a new job")
        if not self.named:
            self.found.append("renamed: the job of a renamed file is not named")

    async def _import_part(self) -> None:
        """Import some rows from a second file, or undo what that file sent."""
        path = self.folder / PART
        if self.rng.random() < 0.2 and (folders := ledgers_of(path.with_name(f"{PART}.job"))):
            await self._carried_out("undone", folders[-1], "last", False)
            return
        rows = [attrs.evolve(each) for each in self.user.rows if self.rng.random() < 0.4]
        user, self.user.rows = self.user.rows, rows
        self.user.write(path)
        self.user.rows = user
        (self.folder / "map.toml").write_text(self.user.map_text(), encoding="utf-8")
        options = {"new_rows": True} if self.rng.random() < 0.3 else {}
        if rows:
            await self._import(path, rows=rows, **options)

    def _toggle_column(self) -> None:
        self.columns_changed = True
        self.user.toggle_column()

    def _disguise(self) -> None:
        self._change_key(self.disguised, self.user.disguise())

    def _change_map(self) -> None:
        user = self.user
        if user.kind == "update" or self.rng.random() < 0.5:
            user.constant = self.rng.choice("xyz")
            return
        self.dropped = True
        if user.kind in ("marked", "key") and self.rng.random() < 0.5:
            user.template = "N{code}" if user.template == "{code}" else "{code}"
        else:
            user.kind = self.rng.choice(_OTHER_KINDS[user.kind])

    def _close(self) -> None:
        """Let the service refuse a row for a while, or stop refusing rows."""
        if self.service.closed:
            self.service.closed.clear()
        else:
            tag = self.rng.choice(self.user.rows).tag
            self.service.closed.add(tag)
            self.closed.add(tag)

    async def _make_records(self) -> None:
        """Create the records that updates change, except for some rows."""

        async def program(company: Company) -> None:
            for row in {each.code: each for each in self.user.rows}.values():
                if self.rng.random() < 0.9:
                    made = Contact(last_name=row.tag, display_as=row.tag, number=row.code, comment="first")
                    await company.create(made)

        await self.programs.carry_out(program, None)


_OTHER_KINDS: Mapping[Kind, tuple[Kind, ...]] = {
    "cells": ("key", "marked", "open"),
    "open": ("marked", "cells"),
    "marked": ("open", "key"),
    "key": ("marked", "cells"),
}
"""Kinds to which another map may change."""
