"""Judge of a walk: compares the service's records with the user's intent, the ledger and the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import attrs

from tests.simulation.walks.ledgers import LedgerRow, ledger_rows, plan_in
from tests.simulation.walks.service import BAD, Contact, WalkService
from tests.simulation.walks.user import Kind, User, UserRow
from wosdk_async.jobs import Summary
from wosdk_async.jobs.journal import LOOKED_UP, State
from wosdk_async.jobs.journal.entries import REPEATED_KEY
from wosdk_async.protocol.writes import UNDECIDED

_THERE = "already exists"


@attrs.define(eq=False)
class Judge:
    """Comparisons; each method returns violations as ``name: details``."""

    service: WalkService
    closed: Set[str]
    """Rows that the service refused for a while."""
    recoded: Set[str]
    """Rows whose key changed in a reject. With the old key and other cells, they are refused."""

    def doubled(self, wanted: Counter[str], kind: Kind) -> list[str]:
        """Return the rows with more records than the user asked for."""
        if kind == "update":
            return [
                f"doubled: {notes[i]} twice into {id}"
                for id, notes in self.service.written.items()
                for i in range(1, len(notes))
                if notes[i] == notes[i - 1] and not wanted["written"]
            ]
        there = self.service.there()
        return [
            f"doubled: {tag} is there {number} times, wanted {wanted[tag]}"
            for tag, number in there.items()
            if number > wanted[tag]
        ]

    def orphans(self) -> list[str]:
        there = self.service.customers()
        return [
            f"orphan: {each}"
            for each in self.service.contacts()
            if each.customer and not each.removed and each.customer not in there
        ]

    def summary(self, folder: Path, rows: Sequence[UserRow], summary: Summary) -> list[str]:
        """Return the differences between the summary and what ledger and file say."""
        ledger = ledger_rows(folder)
        placed = [each for each in ledger if each.place is not None]
        states = Counter(each.state for each in placed)
        expected = {
            "rows": len(rows),
            "done": states[State.DONE],
            "found": states[State.FOUND],
            "failed": states[State.REFUSED],
            "in_doubt": states[State.IN_DOUBT] + states[State.SENDING],
            "not_started": states[State.PLANNED],  # including rows that could not be sent
            "undone": sum(each.undone for each in placed),
            "undo_in_doubt": sum(each.undo in UNDECIDED for each in placed),
        }
        if not plan_in(folder)["rejects"]:  # an import of rejects does not count the other rows of the file
            expected["gone"] = len(ledger) - len(placed)
        return [
            f"summary: {name} is {getattr(summary, name)}, not {number}"
            for name, number in expected.items()
            if getattr(summary, name) != number
        ]

    def changed(
        self, folder: Path, rows: Sequence[UserRow], summary: Summary, *, exact: bool, has_parts: bool
    ) -> list[str]:
        """Return a violation if rows that changed after they were sent are counted wrongly.

        With a second file, a look-up may find what that file sent with the key of a row, and other cells.
        """
        contacts = {each.id: each for each in self.service.contacts()}
        changed = 0
        for each in ledger_rows(folder):
            if has_parts and each.proof == LOOKED_UP:
                continue
            if each.place is not None and each.state is State.DONE and not each.undone:
                contact, row = contacts.get(each.id or 0), rows[each.place - 1]
                changed += contact is not None and (contact.note, contact.grade) != (row.note, row.grade)
        wrong = summary.changed < changed or (exact and summary.changed != changed)
        return [f"changed: {summary.changed} counted, {changed} there with another note"] if wrong else []

    def rows(self, folder: Path, rows: Sequence[UserRow], wanted: Counter[str], kind: Kind) -> list[str]:
        """Return the ledger's claims about rows of the file that the service contradicts."""
        contacts = {each.id: each for each in self.service.contacts()}
        there, base = self.service.there(), Counter(each.tag for each in rows)
        found, seen = [], set()
        for each in ledger_rows(folder):
            if each.place is None:
                continue
            row = rows[each.place - 1]
            if each.state is State.DONE:
                if kind != "update" and each.id in seen:
                    found.append(f"shared: row {each.row} has the record {each.id} of another row")
                seen.add(each.id)
                found += self._done(each, row, contacts.get(each.id or 0), kind)
            elif each.state in (State.REFUSED, State.PLANNED) and kind in ("marked", "key"):
                alone = wanted[row.tag] == base[row.tag] == 1
                recoded = each.code == REPEATED_KEY and row.tag in self.recoded
                if alone and there[row.tag] and _THERE not in each.reason and not recoded:
                    found.append(f"hidden: {row.tag} is {each.state.word} ({each.reason}), and there")
        return found

    def _done(self, each: LedgerRow, row: UserRow, contact: Contact | None, kind: Kind) -> list[str]:
        if contact is None:
            return [f"lost: {row.tag} is done as {each.id}, which is not there"]
        if contact.tag != row.tag and kind != "update":
            return [f"wrong: {row.tag} is done as {contact}"]
        if each.undone != contact.removed and each.undo not in (State.SENDING, State.IN_DOUBT):
            return [f"undone: {row.tag} is {'' if each.undone else 'not '}undone, there is {contact}"]
        return []

    def ended(self, folder: Path, user: User, *, looks_up: bool) -> list[str]:
        """Return the rows that have neither a record nor a reason to lack one, after the last run."""
        rows, kind = user.rows, user.kind
        by_place = {each.place: each for each in ledger_rows(folder)}
        codes = Counter(each.code for each in self.service.contacts() if not each.removed)
        found, keys = [], Counter(row.code for row in rows)
        free = (State.REFUSED, State.PLANNED)
        owned = {each.name for each in ledger_rows(folder) if each.state not in free}
        for place, row in enumerate(rows, 1):
            each = by_place.get(place)
            if each is None or each.state is State.DONE:
                continue
            reasons: Mapping[State, bool] = {
                State.REFUSED: row.note.startswith(BAD)
                or row.tag in self.closed
                or (
                    each.code == REPEATED_KEY
                    and kind not in ("open", "cells")
                    and (
                        keys[row.code] > 1
                        or not owned.isdisjoint((row.code, f"N{row.code}"))
                        or row.tag in self.recoded
                    )
                )
                or (_THERE in each.reason and codes[row.code] + codes[f"N{row.code}"] > 0)
                or (kind == "update" and "no Contact has" in each.reason),
                State.IN_DOUBT: not looks_up or codes[row.code] > 1,
            }
            if not reasons.get(each.state, False):
                found.append(f"lost: {row.tag} is {each.state.word}: {each.reason}")
        if kind == "update":
            found += self._written(by_place, user)
        return found

    def repeated(self, folder: Path, rows: Sequence[UserRow]) -> list[str]:
        """Return the keys that several done rows of the file have."""
        done = [each for each in ledger_rows(folder) if each.place and each.state is State.DONE]
        codes = Counter(rows[(each.place or 0) - 1].code for each in done)
        return [f"repeated: {code} is done {number} times" for code, number in codes.items() if number > 1]

    def _written(self, by_place: Mapping[int | None, LedgerRow], user: User) -> list[str]:
        held = {each.id: (each.note, each.constant) for each in self.service.contacts()}
        wanted = [
            (each, (user.rows[place - 1].note, user.constant))
            for place, each in by_place.items()
            if place and each.state is State.DONE and not user.rows[place - 1].note.startswith(BAD)
        ]  # a row with a bad note is done because it was corrected in a reject
        return [
            f"lost: {each.name} has {held.get(each.id or 0)}, not {values}"
            for each, values in wanted
            if held.get(each.id or 0) != values
        ]
