"""The smallest edit that switches each protection off, and the tests that must fail then."""

from __future__ import annotations

import tomllib
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[2]


@attrs.frozen(kw_only=True)
class Switch:
    """One protection, and how to switch it off."""

    id: str
    file: str
    """Source file, relative to the repository."""
    old: str
    new: str
    tests: tuple[str, ...]

    def switched_off(self, text: str) -> str:
        """Return the source without the protection. Raises ValueError unless ``old`` occurs exactly once."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.id}: its old text occurs {count} times in {self.file}")
        return text.replace(self.old, self.new)


def load() -> tuple[Switch, ...]:
    """Return the switches of ``switches.toml``."""
    rows = tomllib.loads(Path(__file__).with_name("switches.toml").read_text(encoding="utf-8"))
    return tuple(Switch(id=id, **{**row, "tests": tuple(row["tests"])}) for id, row in rows.items())
