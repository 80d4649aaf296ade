"""One random walk: runs, kills, edits and corrections, as a seed draws them."""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from benchmarks.jobs_process import ThreadlessLoop, running, without_threads
from benchmarks.jobs_service import LATE
from benchmarks.jobs_walks.judge import Judge
from benchmarks.jobs_walks.ledgers import ledger_rows, ledgers_of, plan_in
from benchmarks.jobs_walks.programs import KILLED, Programs
from benchmarks.jobs_walks.service import BAD, WalkService
from benchmarks.jobs_walks.user import Kind, Known, Text, User, UserRow, read_table, text_of, write_table
from benchmarks.simulate.network import Network
from benchmarks.simulate.plan import World
from benchmarks.simulate.runs import replayable
from wosdk_async import Company
from wosdk_async.jobs import Summary
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.ledger.decision import Refusal
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.model import Contact
from wosdk_async.regular_files import sha256_of

__all__ = ["Walk", "violations"]

_KINDS: tuple[Kind, ...] = ("marked", "marked", "open", "key", "cells", "cells", "update")
_MOST_STEPS = 14
_MOST_POINTS = 45
_MEMORY = "/dev/shm"


def violations(seed: int, *, say: Callable[[str], None] = lambda _: None) -> list[str]:
    """Return what went wrong in the walk of a seed, as ``name: what was seen``."""
    rng = random.Random(f"loop {seed}")
    loop = ThreadlessLoop(rng, Network(rng, World(), lambda *_: None))
    place = _MEMORY if Path(_MEMORY).is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder, replayable(seed), without_threads(), running(loop):
        return loop.run_until_complete(_walked(seed, Path(folder), say))


async def _walked(seed: int, folder: Path, say: Callable[[str], None]) -> list[str]:
    return await Walk(seed, folder, say).carry_out()


class Walk:
    """A walk; :meth:`carry_out` returns its violations."""

    def __init__(self, seed: int, folder: Path, say: Callable[[str], None]) -> None:
        self.rng = rng = random.Random(f"walk {seed}")
        self.folder, self.say = folder, say
        self.user = User(rng, rng.choice(_KINDS))
        self.service = WalkService(asyncio.get_running_loop(), random.Random(f"service {seed}"))
        self.programs = Programs(self.service)
        self.closed: set[str] = set()
        self.judge = Judge(self.service, self.closed)
        self.found: list[str] = []
        self.known = Known()
        self.dated = rng.random() < 0.2
        """Whether each file has a name of its own, and one folder takes them all."""
        self.file = folder / "rows.csv"
        self.summary: Summary | None = None
        self.looked_up = True
        """Whether rows in doubt could be looked up in each run."""
        self.dropped = False
        """Whether rows were known in several ways, so that two of the file may be one of the ledger."""
        self.columns_changed = self.disguised = self.insists = False
        self.recoded = False
        self.rejected: dict[tuple[str, str], Text] = {}
        """Rejects as they were in the file, by their job and row."""
        self.copies: list[Path] = []
        """Files of rejects that the user has saved elsewhere."""

    # --- the walk -----------------------------------------------------------------------------------

    async def carry_out(self) -> list[str]:
        """Carry the walk out."""
        with contextlib.closing(self.service.store):
            for _ in range(self.rng.randint(2, 7)):
                self.user.append()
            if self.user.kind == "update":
                await self._make_records()
            self.say(f"{self.user.kind}, {len(self.user.rows)} rows{', dated files' if self.dated else ''}")
            for _ in range(self.rng.randint(3, _MOST_STEPS)):
                if self.found:
                    break
                self.service.faults = self.rng.choice((0.0, 0.1, 0.3, 0.6))
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
        """Run without faults until all is done, and compare; then once more, which must send nothing."""
        self.say("end")
        self.service.faults = 0.0
        self.service.closed.clear()
        await self._wait()
        if self.rng.random() < 0.5:
            await self._settle(kill=False)
        self.say("  last runs")
        for _ in range(_MOST_RUNS):
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
            looks_up = self.looked_up and self.user.kind in ("marked", "open", "update")
            folder = ledgers_of(self.base)[-1]
            self.found += self.judge.ended(folder, self.user.rows, self.user.kind, looks_up=looks_up)
            if self.user.keyed and not (self.dropped or self.recoded or self.disguised):
                self.found += self.judge.repeated(folder, self.user.rows)

    @property
    def base(self) -> Path:
        """The folder of the first ledger."""
        return self.folder / "all.job" if self.dated else self.folder / "rows.csv.job"

    @property
    def ledger(self) -> Path | None:
        """The ledger that the same command uses."""
        ledgers = ledgers_of(self.base)
        return ledgers[-1] if ledgers else None

    def _saved(self) -> Path:
        if self.dated and self.rng.random() < 0.3:
            self.file = self.folder / f"rows-{self.rng.randint(1, 9)}.csv"
        self.user.write(self.file)
        (self.folder / "map.toml").write_text(self.user.map_text(), encoding="utf-8")
        return self.file

    # --- imports ------------------------------------------------------------------------------------

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

    async def _import(
        self, path: Path, *, rows: list[UserRow] | None = None, kill: bool = True, **options: Any
    ) -> bool:
        """Import a file; return whether it was carried out to its end."""
        at = self.rng.randint(1, _MOST_POINTS) if kill and self.rng.random() < 0.4 else None
        if self.dated:
            options.setdefault("folder", self.base)
        digest = sha256_of(path)  # rejects without rows are removed
        before, is_main = len(ledgers_of(self.base)), rows is None
        unfinished = self._unfinished() if options.get("again") else 0
        rows = self.user.rows if rows is None else rows
        refusal = summary = None
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
        said = refusal.why if refusal else "killed" if summary is KILLED else summary
        self.say(f"  {path.name} {options} kill {at}: {said}")
        if unfinished and len(ledgers_of(self.base)) > before:
            self.found.append(f"unfinished: a new ledger leaves {unfinished} rows")
        if is_main:
            self._learn(rows, digest, before, options, refused=refusal is not None)
        elif refusal is None and self._admitted(digest):
            self.known.add(rows, more=True)
        for each in self.service.contacts():
            self.say(f"    {each}")
        self.found += self.judge.doubled(self.user.wanted, self.user.kind)
        if refusal is not None:
            self._refused(refusal, is_main=is_main, options=options)
            if is_main:
                self._remedy(refusal)
            return False
        if summary is KILLED:
            return False
        self._compare(summary, rows, is_main=is_main)
        self.summary = summary if is_main and summary.done > summary.undone + summary.changed else None
        return True

    def _unfinished(self) -> int:
        rows = ledger_rows(self.ledger) if self.ledger is not None else []
        return sum(each.state in (State.PLANNED, State.SENDING, State.IN_DOUBT) for each in rows)

    def _compare(self, summary: Summary, rows: list[UserRow], *, is_main: bool) -> None:
        assert summary.folder is not None
        if summary.stopped or summary.files_failed:
            self.found.append(f"stopped: {summary.stopped}, {summary.files_failed}")
            return
        user = self.user
        self.found += self.judge.summary(summary.folder, rows, summary, dropped=self.dropped)
        self.found += self.judge.rows(summary.folder, rows, user.wanted, user.kind)
        if user.kind != "update" and not self.dropped:
            exact = not (self.columns_changed or self.disguised or self.recoded)
            self.found += self.judge.changed(summary.folder, rows, summary, exact=exact and is_main)

    def _admitted(self, sha256: str) -> bool:
        """Return whether the newest ledger has taken the rows of this file."""
        if self.ledger is None:
            return False
        plan, user = plan_in(self.ledger), self.user
        same_key = plan["rejects"] or plan["key"] == user.key
        return same_key and (plan["sha256"], plan["marker"]) == (sha256, user.marker)

    def _learn(
        self, rows: list[UserRow], digest: str, before: int, options: Mapping[str, Any], *, refused: bool
    ) -> None:
        """Note what the ledger knows now, and what the user has asked for by an option."""
        user = self.user
        if before and len(ledgers_of(self.base)) > before:  # all rows once more
            self.known = Known()
            for tag, number in user.made.items():
                user.wanted[tag] += number
            user.wanted["written"] += 1
        if refused or not self._admitted(digest):
            return
        if options.get("new_rows"):
            for tag in self.known.edited(rows, more=user.more, keyed=user.keyed):
                user.wanted[tag] += 1
        self.known.add(rows, more=user.more)
        if options.get("new_rows"):
            self.known.dismiss(rows, more=user.more)
        self.known.admitted = user.snapshot()

    def _refused(self, refusal: Refusal, *, is_main: bool, options: Mapping[str, Any]) -> None:
        """Note a refusal for which there is no reason."""
        was, user = self.known.admitted, self.user
        gone, new = self.known.differences(user.rows, more=user.more)
        reasons = {
            "edited_or_new": not user.keyed and gone and new,
            "columns_changed": not user.keyed and gone and new and self.columns_changed,
            "key_disguised": self.disguised,
            "key_changed": was is not None and (was.key, was.marker) != (user.key, user.marker),
            "unfinished": "again" in options,
            "sent_elsewhere": not is_main,
        }
        if not reasons.get(refusal.why, False) or (was is None and is_main):
            self.found.append(f"refused: {refusal}")

    def _remedy(self, refusal: Refusal) -> None:
        """Do what a message says, sometimes, or put things back."""
        was, user = self.known.admitted, self.user
        if was is None:
            return
        if refusal.why == "key_changed":
            user.kind, user.template, user.constant = was.kind, was.template, was.constant
        elif refusal.why == "columns_changed" or (refusal.why != "unfinished" and self.rng.random() < 0.5):
            user.put_back(was)
        elif refusal.why in ("edited_or_new", "key_disguised"):
            self.say("  and is done with new_rows")
            self.insists = True

    async def _import_rejects(self) -> None:
        """Correct rejects where they are, or in a copy, and import them; or an old copy once more."""
        folder = self.ledger
        found = [*sorted(folder.glob("rejects*.csv")), *self.copies] if folder is not None else []
        if not found or folder is None:
            return
        path = self.rng.choice(found)
        columns, cells = read_table(path)
        cells = [each for each in cells if self._is_as_in_file(each)]
        if not cells:
            return
        for each in cells:
            if self.rng.random() < 0.7 and each["note"].startswith(BAD):
                each["note"] = f"note of {each['name']}{self.rng.choice(('', ' again'))}"
            if self.rng.random() < 0.1:
                each["code"] += "x"
                self.recoded = True
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

    def _is_as_in_file(self, cells: Mapping[str, str]) -> bool:
        """Return whether a reject is a row of the file still: nobody corrects one twice without a key."""
        text = self.rejected.setdefault((cells["_job"], cells["_row"]), text_of(cells))
        return self.user.keyed or text in {
            text_of(each.cells(more=self.user.more)) for each in self.user.rows
        }

    async def _import_copy(self) -> None:
        """Import a copy of a file without keys that was just sent: it must be refused."""
        if self.user.kind not in ("cells", "open") or self.dated or self.summary is None:
            return
        path = self.folder / "copy of rows.csv"
        self.user.write(path)
        if await self._import(path, rows=[attrs.evolve(each) for each in self.user.rows], kill=False):
            self.found.append("copied: a copy of a file that was sent is accepted")
        path.unlink()

    # --- what else happens ----------------------------------------------------------------------------

    async def _undo(self) -> None:
        if self.ledger is not None and self.user.kind != "update":
            which = self.rng.choice(("last", "last", "first", "all"))
            await self._carried_out("undone", self.ledger, which)

    async def _settle(self, *, kill: bool = True) -> None:
        was = self.known.admitted
        if self.ledger is None or was is None or was.kind == "update":
            return
        if was.kind in ("cells", "key"):
            await self._wait()  # a person looks at the records later
            await self._carried_out("decided", self.ledger, kill=kill)
        else:
            await self._carried_out("settled", self.ledger, kill=kill)

    async def _carried_out(self, name: str, *arguments: Any, kill: bool = True) -> None:
        at = self.rng.randint(1, _MOST_POINTS // 2) if kill and self.rng.random() < 0.3 else None
        try:
            result = await getattr(self.programs, name)(*arguments, at)
        except Exception as error:
            self.found.append(f"error: {name}: {type(error).__name__}: {error}")
        else:
            self.say(f"  {name} {arguments[1:]} kill {at}: {'killed' if result is KILLED else result}")

    def _toggle_column(self) -> None:
        self.columns_changed = True
        self.user.toggle_column()

    def _disguise(self) -> None:
        self.disguised = True
        self.user.disguise()

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
        """Let the service refuse a row for a time, or no row any more."""
        if self.service.closed:
            self.service.closed.clear()
        else:
            tag = self.rng.choice(self.user.rows).tag
            self.service.closed.add(tag)
            self.closed.add(tag)

    async def _wait(self) -> None:
        await asyncio.sleep(2 * LATE)

    async def _make_records(self) -> None:
        """Make records that updates change; some rows have none."""

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
"""Ways to know rows that another map may have."""
_MOST_RUNS = 12
