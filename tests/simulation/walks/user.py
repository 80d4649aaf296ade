"""User of a walk: a table with rows, its changes in a spreadsheet, and the map."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Literal

import attrs

from tests.simulation.walks.service import BAD

Kind = Literal["marked", "open", "key", "cells", "update"]
"""How rows are known: by a marker that the map fills ("marked") or leaves open, by "key" alone, or by their
"cells". With "update", rows update records by their key.
"""

Text = frozenset[tuple[str, str]]
"""Cells of a row for comparison: by column, without blank cells."""

_NOTE = "note of {}"
_HEADS = {
    "marked": 'operation = "create Contact"\nmarker = "number"\n',
    "open": 'operation = "create Contact"\nmarker = "number"\n',
    "key": 'operation = "create Contact"\nkey = "{}"\n',
    "cells": 'operation = "create Contact"\n',
    "update": 'operation = "update Contact by number"\n',
}
_CUSTOMER = """
[reference.customer]
entity = "Customer"
by = "display_as"
from = "Site {grade}"
if_missing = "create"
[reference.customer.create]
name = "{}"
work_zone = "@zone"
[reference.zone]
entity = "WorkZone"
"""


@attrs.define(eq=False)
class UserRow:
    """Thing of which the user wants one record, whatever its cells say."""

    tag: str
    code: str
    note: str
    grade: str = "a"
    more: str = ""
    """Cell of the column that may be added and removed."""

    def cells(self, *, more: bool) -> dict[str, str]:
        found = {"code": self.code, "name": self.tag, "note": self.note, "grade": self.grade}
        return found | ({"more": self.more} if more else {})


def text_of(cells: Mapping[str, str]) -> Text:
    return frozenset((name, cell) for name, cell in cells.items() if cell.strip() and name[:1] != "_")


@attrs.define(eq=False)
class User:
    """The current table. All changes are drawn from ``rng``."""

    rng: random.Random
    kind: Kind
    refers: bool = False
    """Whether rows refer to customers, which the import creates."""
    rows: list[UserRow] = attrs.field(factory=list)
    columns: list[str] = attrs.field(factory=lambda: ["code", "name", "note", "grade"])
    more: bool = False
    template: str = "{code}"
    constant: str = "x"
    """Text that the map writes into a field that no column fills."""
    wanted: Counter[str] = attrs.field(factory=Counter)
    """Maximum number of simultaneous records of each row."""
    made: Counter[str] = attrs.field(factory=Counter)
    """Number of equal rows that were added."""
    numbers: int = 0

    def map_text(self) -> str:
        head = _HEADS[self.kind].replace("{}", self.template)
        fields = {"number": self.template, "comment": "{note}", "last_name": "{name}"}
        if self.kind == "update":
            fields = {"number": "{code}", "comment": "{note}", "first_name": self.constant}
        else:
            fields |= {"display_as": "{name}", "first_name": self.constant + "{grade}"}
        if self.kind == "open":
            del fields["number"]
        elif self.kind in ("key", "cells"):
            fields["number"] = "{code}"
        refers = self.refers and self.kind != "update"
        fields |= {"customer_id": "@customer"} if refers else {}
        body = "".join(f'{name} = "{text}"\n' for name, text in fields.items())
        return f"{head}[entity]\n{body}{_CUSTOMER if refers else ''}"

    @property
    def key(self) -> str | None:
        """Template of the keys; None if rows are known by their cells."""
        return self.template if self.keyed else None

    @property
    def marker(self) -> str | None:
        """Field that carries the keys, if any."""
        return "number" if self.kind in ("marked", "open", "update") else None

    @property
    def keyed(self) -> bool:
        return self.kind in ("marked", "key", "update")

    def append(self) -> None:
        """Add a row; sometimes one that is equal to another."""
        if self.rows and self.rng.random() < 0.15:
            row = attrs.evolve(self.rng.choice(self.rows))
        else:
            self.numbers += 1
            code = f"{self.numbers:05}" if self.numbers % 2 else f"K{self.numbers}"
            note = self.rng.choice((BAD, _NOTE, _NOTE, _NOTE)).format(self.numbers)
            more = self.rng.choice(("", "m")) if self.more else ""
            row = UserRow(f"R{self.numbers}", code, note, more=more)
        self.wanted[row.tag] += 1
        self.made[row.tag] += 1
        self.rows.insert(self.rng.randint(0, len(self.rows)), row)

    def edit(self) -> None:
        row = self.rng.choice(self.rows)
        if row.note.startswith(BAD) or self.rng.random() < 0.5:
            row.note = f"{_NOTE.format(row.tag)} {self.rng.randint(1, 3)}"
        else:
            row.grade = self.rng.choice("abc")

    def correct(self) -> None:
        for row in self.rows:
            if row.note.startswith(BAD):
                row.note = _NOTE.format(row.tag)

    def remove(self) -> None:
        if len(self.rows) > 1:
            self.rows.remove(self.rng.choice(self.rows))

    def sort(self) -> None:
        """Shuffle the rows and, sometimes, the columns."""
        if self.rng.random() < 0.3:
            self.rng.shuffle(self.columns)
        self.rng.shuffle(self.rows)

    def toggle_column(self) -> None:
        self.more = not self.more
        if self.more:
            self.columns.append("more")
            for row in self.rows:
                row.more = self.rng.choice(("", "m"))
            self.rows[0].more = "m"
        else:
            self.columns.remove("more")

    def disguise(self) -> str:
        """Write a row's key as a spreadsheet might, a different key for the service; return the row's tag."""
        row = self.rng.choice(self.rows)
        plain = row.code.strip().lower().removesuffix(".0").lstrip("0")
        forms = [plain.zfill(5), plain, f"{plain}.0"] if plain.isdigit() else [plain, plain.upper()]
        row.code = self.rng.choice(forms)
        return row.tag

    def snapshot(self) -> User:
        """Return a copy for :meth:`put_back`."""
        return attrs.evolve(self, rows=[attrs.evolve(each) for each in self.rows], columns=[*self.columns])

    def put_back(self, was: User) -> None:
        """Restore the table, and keep rows that were added since."""
        tags = {each.tag for each in was.rows}
        new = [each for each in self.rows if each.tag not in tags]
        self.rows = [attrs.evolve(each) for each in was.rows] + new
        self.columns, self.more = [*was.columns], was.more

    def write(self, path: Path) -> None:
        write_table(path, self.columns, [each.cells(more=self.more) for each in self.rows])


def write_table(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def read_table(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        return list(reader.fieldnames or ()), rows


class Known:
    """Contents of all files that a ledger has taken."""

    def __init__(self) -> None:
        self.texts: Counter[Text] = Counter()
        self.tags: set[str] = set()
        self.dismissed: Counter[Text] = Counter()
        """Rows that the user has declared gone for good."""
        self.admitted: User | None = None
        """Table of the last file."""

    def add(self, rows: Sequence[UserRow], *, more: bool) -> None:
        """Add a file that the ledger took."""
        now = Counter(_texts(rows, more=more))
        self.texts |= now
        self.dismissed -= now
        self.tags |= {each.tag for each in rows}

    def edited(
        self, rows: Sequence[UserRow], held: Set[tuple[str, str]], *, more: bool, keyed: bool
    ) -> list[str]:
        """Return rows that the ledger has seen but does not recognize, or that only have other keys."""
        if keyed:
            last = {each.code for each in self.admitted.rows} if self.admitted is not None else set()
            there = {tag for tag, _ in held}
            return [
                each.tag
                for each in rows
                if (each.tag in self.tags and each.code not in last)
                or (each.tag in there and not held & {(each.tag, each.code), (each.tag, f"N{each.code}")})
            ]
        new = Counter(_texts(rows, more=more)) - self.texts
        tags = [dict(text).get("name", "") for text in new.elements()]
        return [tag for tag in tags if tag in self.tags]

    def dismiss(self, rows: Sequence[UserRow], *, more: bool) -> None:
        """Note that the rows missing from a file are gone for good."""
        self.dismissed = self.texts - Counter(_texts(rows, more=more))

    def differences(self, rows: Sequence[UserRow], *, more: bool) -> tuple[bool, bool]:
        """Return whether rows are gone, and whether rows are new, returned or edited."""
        now, was = Counter(_texts(rows, more=more)), self.admitted
        last = Counter(_texts(was.rows, more=was.more) if was is not None else ())
        return bool(self.texts - now - self.dismissed), bool(now - last)


def _texts(rows: Sequence[UserRow], *, more: bool) -> list[Text]:
    return [text_of(each.cells(more=more)) for each in rows]
