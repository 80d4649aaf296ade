"""Faults that can be put back, and the search for a seed of a simulation that finds each fault."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import attrs

Run = Callable[[int], Collection[str]]
"""Function that runs a seed and returns the names of its violations."""


@attrs.frozen
class Revert:
    """Fault that can be put back. ``shows`` are the names of the violations that it causes."""

    text: str
    shows: frozenset[str]
    apply: Callable[[], AbstractContextManager[None]]

    def find(self, run: Run, seeds: range) -> tuple[int, list[str]] | None:
        """Return the number of seeds until the fault is found, and the violations; None if it is missed."""
        for count, seed in enumerate(seeds, 1):
            with self.apply():
                names = run(seed)
            if new := self.shows.intersection(names).difference(run(seed) if names else ()):
                return count, sorted(new)
        return None


class Reverts(dict[str, Revert]):
    """Faults by name."""

    def add(self, name: str, text: str, shows: str) -> Callable[[Callable[[], Iterator[None]]], None]:
        """Return a decorator for a generator function that puts a fault back until it ends.

        ``shows`` are the names of the violations, separated by spaces.
        """

        def register(function: Callable[[], Iterator[None]]) -> None:
            self[name] = Revert(text, frozenset(shows.split()), contextmanager(function))

        return register

    def replace(
        self, owner: Any, attribute: str, name: str, text: str, shows: str
    ) -> Callable[[Callable[..., Any]], None]:
        """Return a decorator for a function that replaces ``attribute``; it gets the original first."""

        def register(function: Callable[..., Any]) -> None:
            original = owner.__dict__[attribute]

            def faulty(*args: Any, **named: Any) -> Any:
                return function(original, *args, **named)

            self[name] = Revert(text, frozenset(shows.split()), lambda: replace(owner, attribute, faulty))

        return register

    def find_each(self, run: Run, seeds: range) -> int:
        """Put each fault back, and print how many seeds it takes to find it; return 1 if one is missed."""
        missed = 0
        print("| fault put back | what goes wrong | found after | as |\n|---|---|---:|---|")
        for name, revert in self.items():
            found = revert.find(run, seeds)
            missed += found is None
            after, violations = found or (len(seeds), ["NOT FOUND"])
            print(f"| {name} | {revert.text} | {after} seeds | {', '.join(violations)} |", flush=True)
        return int(missed > 0)


@contextmanager
def replace(owner: Any, name: str, value: Any) -> Iterator[None]:
    original = owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)
