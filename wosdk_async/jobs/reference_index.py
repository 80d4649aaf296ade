"""The records that rows refer to: their names collected, looked up, and made where they are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import attrs

from wosdk_async.bulk import Run
from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.errors import RowError, require_sendable
from wosdk_async.jobs.lookup import find_first, find_named
from wosdk_async.jobs.mapping.references import Name, ReferenceSpec
from wosdk_async.jobs.mapping.values import NAME, RowContext
from wosdk_async.outcome import Done, InDoubt, NotStarted, Outcome
from wosdk_async.resources.names import spellings
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["ReferenceEntry", "ReferenceIndex"]

_STAND_IN = 1  # any id that the checks of a record accept


@attrs.define
class ReferenceEntry:
    """One distinct name: the record it means, or ``reason`` why there is none.

    With neither, the record is missing and may be created, if it is ``wanted`` by a row that can itself be
    created; ``cells`` are those of the first such row.
    """

    text: str
    full: str
    spellings: set[str]
    cells: dict[str, str] = attrs.field(factory=dict)
    id: int | None = None
    reason: str = ""
    wanted: bool = False
    warnings: list[str] = attrs.field(factory=list)


class ReferenceIndex:
    """The records of all references of a map. ``found`` and ``created`` count them."""

    def __init__(self, specs: Iterable[ReferenceSpec]) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self.found = self.created = 0
        self.warnings: list[str] = []
        self._entries: dict[str, dict[str, ReferenceEntry]] = {name: {} for name in self.specs}

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={len(entries)}" for name, entries in self._entries.items())
        return f"<ReferenceIndex {sizes or 'empty'}>"

    # --- collecting ---------------------------------------------------------------------------

    def collect(self, cells: dict[str, str]) -> None:
        """Take note of the names that a row gives; a name too long is told when the row's turn comes."""
        for spec in self.specs.values():
            with suppress(RowError):
                if (name := spec.name_in(cells)) is not None:
                    self._note(spec, name)

    def _note(self, spec: ReferenceSpec, name: Name) -> None:
        full = name.raw.strip().casefold()
        entry = self._entries[spec.name].get(name.key)
        if entry is None:
            entry = ReferenceEntry(name.text, full, set(), warnings=list(name.warnings))
            self._entries[spec.name][name.key] = entry
        elif entry.full != full and entry.full:
            self.warnings.append(
                f"{spec.name}: {name.raw.strip()!r} and another name are equal when cut: one record"
            )
            entry.full = ""
        entry.spellings.add(name.text)
        if spec.limit.length is None or len(name.raw) <= spec.limit.length:
            entry.spellings.add(name.raw)

    def _kept(self, spec: ReferenceSpec) -> frozenset[str]:
        if spec.create is None:
            return frozenset()
        needed = (self.specs[name] for name in spec.create.references)
        return (spec.create.columns - {NAME}).union(
            *(other.template.columns for other in needed if other.template)
        )

    # --- looking up and creating ----------------------------------------------------------------

    async def look_up(self, company: Company, limit: int) -> None:
        """Find what is there. Raises the first WosdkError: without an answer no row can be sent."""
        for spec in self.specs.values():
            entries = self._entries[spec.name]
            scope = RowContext({}, self)
            if spec.template is None:
                for entry in entries.values():
                    entry.id = await find_first(company, spec, scope)
            else:
                await self._look_up_names(company, spec, limit)
            self.found += sum(entry.id is not None for entry in entries.values())
            for entry in entries.values():
                if entry.id is None and spec.create is None:
                    entry.reason = _missing(spec, entry)

    async def _look_up_names(self, company: Company, spec: ReferenceSpec, limit: int) -> None:
        entries = self._entries[spec.name]
        asked = spellings(text for entry in entries.values() for text in sorted(entry.spellings))
        ids: dict[str, set[int]] = defaultdict(set)

        async def ask(names: list[str], _: Trace) -> dict[str, list[int]]:
            return await find_named(company, spec, names, RowContext({}, self))

        async with Run(asked, ask, limit=limit) as run:
            async for outcome in run:
                if not isinstance(outcome, Done):
                    raise _error(outcome)
                for key, found in outcome.result.items():
                    ids[key].update(found)
        for key, entry in entries.items():
            if found := sorted(ids.get(key, ())):
                entry.id = found[0]
                if len(found) > 1:
                    others = ", ".join(map(str, found[1:6]))
                    self.warnings.append(
                        f"{spec.name}: {entry.text!r} is {found[0]}, but there are also {others}"
                    )

    @property
    def incomplete(self) -> bool:
        """Whether records are missing that may be created."""
        entries = (entry for entries in self._entries.values() for entry in entries.values())
        return any(entry.id is None and not entry.reason for entry in entries)

    def undecided(self, cells: Mapping[str, str]) -> bool:
        """Whether a row names a missing record of which no row is known that needs it."""
        for spec in self.specs.values():
            with suppress(RowError):
                name = spec.name_in(cells) if spec.create else None
                entry = self._entries[spec.name].get(name.key) if name else None
                if entry is not None and entry.id is None and not entry.wanted:
                    return True
        return False

    def missing(self, spec: ReferenceSpec) -> list[ReferenceEntry]:
        """The names without a record that are to get one."""
        return [entry for entry in self._entries[spec.name].values() if entry.id is None and entry.wanted]

    def creation(
        self, company: Company, spec: ReferenceSpec, *, limit: int, grace: float
    ) -> Run[ReferenceEntry, int]:
        """The run that makes the missing records of one reference; hand its outcomes to :meth:`made`."""

        async def make(entry: ReferenceEntry, trace: Trace) -> int:
            record = self._record(spec, entry, RowContext(entry.cells, self, entry.warnings))
            trace.sent = True  # a create that is cancelled counts as sent: better in doubt than made twice
            specifier = await company.create(record)
            if specifier.id is None:
                raise WosdkError("the service gave no id")
            return specifier.id

        return Run(self.missing(spec), make, limit=limit, grace=grace)

    def made(self, spec: ReferenceSpec, outcome: Outcome[ReferenceEntry, int]) -> None:
        """Remember what became of one new record."""
        entry = outcome.input
        if isinstance(outcome, Done):
            entry.id = outcome.result
            self.created += 1
        else:
            entry.reason = f"{spec.name} {entry.text!r} {_unmade(outcome)}"
            if isinstance(outcome, InDoubt):
                self.warnings.append(entry.reason)  # told even when no row that needs it was started

    def _record(self, spec: ReferenceSpec, entry: ReferenceEntry, scope: RowContext) -> Any:
        if spec.create is None or spec.by is None:
            raise LookupError(spec.name)
        record = spec.create.build(attrs.evolve(scope, cells={**scope.cells, NAME: entry.text}))
        setattr(record, spec.by, entry.text)
        require_sendable(record, new=True)
        return record

    # --- using ----------------------------------------------------------------------------------

    def id_for(self, reference: str, scope: RowContext) -> int | None:
        """Return the id of the record that a row refers to; None when the row gives no name.

        Where the record is still to be created, the id stands for it and ``scope.missing`` names it.

        Raises:
            RowError: there is no such record, or it cannot be created from this row.
        """
        spec = self.specs[reference]
        name = spec.name_in(scope.cells)
        if name is None:
            return None
        entry = self._entries[reference].get(name.key)
        if entry is None:
            raise RowError(
                f"{reference} {name.text!r} was not looked up: the file has changed since the start"
            )
        if entry.reason:
            raise RowError(entry.reason)
        scope.warnings.extend(entry.warnings)
        return entry.id if entry.id is not None else self._missing_id(spec, entry, scope)

    def _missing_id(self, spec: ReferenceSpec, entry: ReferenceEntry, scope: RowContext) -> int:
        """Return an id that stands for a record still to be created. Raises RowError when it cannot be."""
        if not entry.wanted:
            # Of a row only what a new record reads is kept: a file of any length has room
            entry.cells = {column: scope.cells[column] for column in self._kept(spec)}
            try:
                self._record(spec, entry, attrs.evolve(scope, warnings=[]))
            except InvalidCallError as error:
                text = f"{spec.name} {entry.text!r} could not be created: {error.message}"
                raise RowError(text) from None
        scope.missing.append(entry)
        return _STAND_IN

    def unfound(self, reference: str) -> str | None:
        """Why a reference that is the same for every row has no record; None when it has one."""
        reasons = [entry.reason for entry in self._entries[reference].values() if entry.id is None]
        return reasons[0] if reasons else None


def _missing(spec: ReferenceSpec, entry: ReferenceEntry) -> str:
    if spec.template is None:
        return f"{spec.name}: no {spec.entity.__name__}{spec.filtered} was found; change its where"
    return f"{spec.name}: no {spec.entity.__name__} is called {entry.text!r}{spec.filtered}"


def _unmade(outcome: Outcome[ReferenceEntry, int]) -> str:
    if isinstance(outcome, NotStarted):
        return "was not created: the import was stopped"
    if isinstance(outcome, InDoubt):
        return f"may have been created or not: {outcome.error.message}"
    return f"could not be created: {_text(_error(outcome))}"


def _error(outcome: Outcome[Any, Any]) -> Exception:
    return getattr(outcome, "error", None) or WosdkError("the import was stopped")


def _text(error: Exception) -> str:
    return error.message if isinstance(error, WosdkError) else f"{type(error).__name__}: {error}"
