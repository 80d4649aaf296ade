"""Index of referenced records: it collects names from rows, looks them up, and tracks missing records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, combinations
from typing import TypeVar

import msgspec

from wosdk_async.calls.outcome import Done
from wosdk_async.calls.run_many import Run
from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    ImportMapError,
    MissingRecordError,
    RowError,
    reason_of,
    zeros_hint,
)
from wosdk_async.jobs.mapping.lookup import find_elsewhere, find_first, find_named
from wosdk_async.jobs.mapping.nodes import MissingRecord, RowContext
from wosdk_async.jobs.mapping.references import LookAlikes, ReferenceEntry, ReferenceSpec
from wosdk_async.jobs.mapping.template import NAME
from wosdk_async.resources.lookup_tables import folded, normalized
from wosdk_async.resources.names import spellings
from wosdk_async.text.remedies import Remedy, in_python

T = TypeVar("T")

_RECENT = 4096  # cached names per reference
_MAX_RECENT = 256  # characters of a cached name
_PROBED = 10  # missing names to search for in other fields


class ReferenceIndex:
    """Index of a map's referenced records; ``found`` and ``created`` count records."""

    def __init__(self, specs: Iterable[ReferenceSpec]) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self.found = self.created = 0
        self.warnings: list[str] = []
        self._entries: dict[str, dict[str, ReferenceEntry]] = {name: {} for name in self.specs}
        self._ids: dict[str, tuple[str | None, ReferenceSpec, dict[str, int | None]]] = {
            spec.name: (spec.template.first_column if spec.template else None, spec, {})
            for spec in self.specs.values()
        }
        """For each reference, its template's ``first_column``, its spec, and a cache of raw names with their
        record ids, which are None until the look-up."""

    def collect(self, rows: Sequence[Mapping[str, str]]) -> None:
        """Collect the names in rows' cells; skip invalid names, whose rows fail later."""
        for first, spec, ids in self._ids.values():
            varies = spec.template is not None and bool(spec.template.columns)
            for cells in rows if varies else rows[:1]:
                try:
                    if first is not None and cells[first] in ids:  # a blank cell is never in `ids`
                        continue
                    raw = spec.raw_name_in(cells)
                    if raw is not None and raw not in ids:
                        self._remember(spec, raw, ids)
                except RowError:
                    pass

    def _remember(self, spec: ReferenceSpec, raw: str, ids: dict[str, int | None]) -> None:
        warnings: list[str] = []
        if (text := spec.name_of(raw, warnings)) is None:
            return
        if len(ids) == _RECENT:
            ids.clear()
        if len(raw) <= _MAX_RECENT:
            ids[raw] = None
        full = normalized(raw)
        entry = self._entries[spec.name].get(text)
        if entry is None:
            entry = ReferenceEntry(spec, text, full, {text}, warnings=warnings)
            self._entries[spec.name][text] = entry
        elif entry.full != full and entry.full:
            self.warnings.append(
                f"{spec.name}: {raw.strip()!r} equals another name after truncation; both use the same record"
            )
            entry.full = ""
        if spec.limit.length is None or len(raw) <= spec.limit.length:
            entry.spellings.add(raw)

    def look_alikes(self) -> Iterator[str]:
        """Yield warnings about names that look alike but denote different records."""
        for spec in self.specs.values():
            same = [other.name for other in self.specs.values() if spec.finds_same(other)]
            if same[0] != spec.name:
                continue
            alike = LookAlikes()
            for name in dict.fromkeys(chain.from_iterable(self._entries[other] for other in same)):
                alike.add(name)
            if alike.count:
                yield f"{' and '.join(same)}: {alike}; if they mean the same record, correct the file"

    async def look_up(self, company: Company, limit: int) -> None:
        """Look up all collected names. Raise the first WosdkError, because no row can be sent without ids."""
        self.found = 0
        for *_, ids in self._ids.values():
            ids.clear()
        for spec in self.specs.values():
            entries = self._entries[spec.name].values()
            if spec.template is None:
                for entry in entries:
                    entry.id = await find_first(company, spec, RowContext({}, self))
            else:
                await self.look_up_names(company, spec, self._entries[spec.name], limit)
            self.found += sum(entry.id is not None for entry in entries)
            if missing := [entry for entry in entries if entry.missing]:
                await self._explain(company, spec, missing, limit)
        self._share_missing()

    async def _explain(
        self, company: Company, spec: ReferenceSpec, missing: list[ReferenceEntry], limit: int
    ) -> None:
        """Set the reason for missing entries that will not be created.

        If another field has the names of these entries, suggest that field.
        """
        names = [entry.text for entry in missing if spec.template is not None]
        holders = defaultdict[str, set[str]](set)
        probe = partial(find_elsewhere, company, spec, RowContext({}, self))
        try:
            for each in await _results(spellings(names if spec.create else names[:_PROBED]), probe, limit):
                for field, found in each.items():
                    holders[field] |= found
        except WosdkError as error:
            if spec.create:
                self.warnings.append(
                    f"{spec.name}: could not check whether existing records have the new names in another"
                    f" field: {reason_of(error)}"
                )
        field, found = max(holders.items(), key=lambda each: len(each[1]), default=("", set[str]()))
        held = [name for name in names if folded(name) in found]
        if spec.create and held:
            remedy = in_python(Remedy.OTHER_FIELD, {"sample": held[0], "by": field})
            self.warnings.append(f"{spec.name}: some of the new records seem to exist already: {remedy}")
        if spec.create and spec.lacks:
            self.warnings.append(
                f"{spec.name}: 'create' does not set {', '.join(spec.lacks)}, required for a new "
                f"{spec.entity.wire_name} according to the service's documentation"
            )
        for entry in missing if spec.create is None else ():
            other = {"remedies": (Remedy.OTHER_FIELD,), "sample": entry.text, "by": field}
            facts = other if entry.text in held else {}
            entry.problem = MissingRecordError(_not_found(spec, entry.text), **facts)

    def _share_missing(self) -> None:
        """Share missing entries between equivalent references, so that each record is created once."""
        creating = [spec for spec in self.specs.values() if spec.create is not None]
        for spec, other in combinations(creating, 2):
            if not spec.finds_same(other):
                continue
            first, second = self._entries[spec.name], self._entries[other.name]
            for key in first.keys() & second.keys():
                pair = first[key], second[key]
                # If only one entry is missing, the other entry has a spelling by which it was found.
                if any(entry.missing for entry in pair):
                    first[key] = second[key] = min(pair, key=lambda entry: entry.missing)
                    first[key].spellings |= pair[0].spellings | pair[1].spellings

    async def look_up_names(
        self, company: Company, spec: ReferenceSpec, entries: Mapping[str, ReferenceEntry], limit: int
    ) -> None:
        """Look up records by name. Raise the first WosdkError."""
        texts = (text for entry in entries.values() for text in sorted(entry.spellings))
        ids: dict[str, set[int]] = defaultdict(set)
        query = partial(find_named, company, spec, RowContext({}, self))
        for each in await _results(spellings(texts), query, limit):
            for key, found in each.items():
                ids[key].update(found)
        in_other_case, alike = defaultdict[str, list[str]](list), LookAlikes()
        for key in ids:
            in_other_case[key.casefold()].append(key)
        for key, entry in entries.items():
            # Whether the service compares names by case is unknown; ignoring case avoids duplicates.
            names = [key] if key in ids else in_other_case[key.casefold()]
            if found := sorted({id for name in names for id in ids[name]}):
                self._add_found(spec, entry, found)
                if names != [key] and names[0] not in entries:  # look_alikes() warns about the other pairs
                    alike.note(key, names[0])
        if alike.count:
            self.warnings.append(f"{spec.name}: {alike}; existing records are used")

    def _add_found(self, spec: ReferenceSpec, entry: ReferenceEntry, ids: list[int]) -> None:
        """Store the records found for a name. More than one is an error unless the map takes the first."""
        others = ", ".join(map(str, ids[1:6]))
        if len(ids) > 1 and not spec.takes_first:
            entry.problem = AmbiguousNameError(
                f"{spec.name}: {len(ids)} {spec.entity.__name__} records are called {entry.text!r}"
                f"{spec.filtered} (ids {ids[0]}, {others}); narrow the search with `where`, or take "
                'the first with `ambiguous = "first"`'
            )
            return
        entry.id, entry.problem = ids[0], None  # an earlier look-up may have found nothing
        if others:
            self.warnings.append(f"{spec.name}: {entry.text!r} is ambiguous; using {ids[0]}, not {others}")

    @property
    def incomplete(self) -> bool:
        """Whether some missing records may be created."""
        return any(entry.missing for *_, entry in self.entries())

    def require(self, references: Iterable[str], place: object) -> None:
        """Raise ImportMapError, naming ``place``, if a record that all rows need is missing or ambiguous."""
        for entry in (entry for name in references for entry in self._entries[name].values()):
            if entry.id is None and entry.problem is not None:
                raise ImportMapError(f"{place}: {entry.problem.message}", **entry.problem.facts)

    def undecided(self, cells: Mapping[str, str]) -> bool:
        """Return whether a row names a missing record that no valid row has needed yet."""
        for spec in self.specs.values():
            with suppress(RowError):
                raw = spec.raw_name_in(cells) if spec.create else None
                name = None if raw is None else spec.name_of(raw, [])
                entry = None if name is None else self._entries[spec.name].get(name)
                if entry is not None and entry.missing and not entry.wanted:
                    return True
        return False

    def in_doubt(self, spec: ReferenceSpec) -> dict[str, ReferenceEntry]:
        """Return the entries whose creation is in doubt, by normalized name."""
        return {key: entry for key, entry in self._created_by(spec) if entry.in_doubt}

    def missing(self, spec: ReferenceSpec) -> list[ReferenceEntry]:
        """Return the entries whose records must be created."""
        return [entry for _, entry in self._created_by(spec) if entry.missing and entry.wanted]

    def _created_by(self, spec: ReferenceSpec) -> Iterator[tuple[str, ReferenceEntry]]:
        return ((key, entry) for key, entry in self._entries[spec.name].items() if entry.spec is spec)

    def needs_more_than(self, records: Sequence[MissingRecord]) -> bool:
        """Return whether a wanted record other than ``records`` does not exist."""
        return any(entry.id is None and entry.wanted and entry not in records for *_, entry in self.entries())

    def entries(self, entity: str = "") -> Iterator[tuple[ReferenceSpec, str, ReferenceEntry]]:
        """Yield the reference, normalized name and entry of each record of an entity type ("" for all)."""
        for spec in self.specs.values():
            if entity in ("", spec.entity.wire_name):
                yield from ((spec, key, entry) for key, entry in self._entries[spec.name].items())

    def cached_ids(self, reference: str) -> tuple[Mapping[str, int | None], str]:
        """Return record ids by cell text, and the column of these cells (``""`` if there is no column)."""
        first, _, ids = self._ids[reference]
        return ids, first or ""

    def id_for(self, reference: str, context: RowContext) -> int | None:
        """Return the id of the record that a row names, or None if the row names none.

        If the record must be created first, add it to ``context.missing`` and return a placeholder. Raise
        RowError if the record is missing and cannot be created, or if the row lacks valid values for it.
        """
        first, spec, ids = self._ids[reference]
        if first is not None and (id := ids.get(context.cells[first])) is not None:
            return id
        raw = spec.raw_name_in(context.cells)
        if raw is None:
            return None
        return ids.get(raw) or self._id_of(spec, raw, context, ids)

    def _id_of(
        self, spec: ReferenceSpec, raw: str, context: RowContext, ids: dict[str, int | None]
    ) -> int | None:
        name = spec.name_of(raw, [])
        if name is None:
            return None
        entry = self._entries[spec.name].get(name)
        if entry is None:
            raise RowError(
                f"{spec.name} {name!r} was not looked up, because the file changed during the import"
            )
        if entry.problem is not None:
            raise entry.problem.with_traceback(None)  # the frames of other rows
        if entry.id is None:
            context.warnings.extend(entry.warnings)
            self._note_missing(entry, context)
            return 1  # any valid id, as a placeholder
        if entry.warnings:
            context.warnings.extend(entry.warnings)
        elif len(raw) <= _MAX_RECENT:  # cached, because columns often repeat a few names
            if len(ids) == _RECENT:
                ids.clear()
            ids[raw] = entry.id
        return entry.id

    def _note_missing(self, entry: ReferenceEntry, context: RowContext) -> None:
        """Add a record to ``context.missing``. Raise RowError if the row lacks valid values for it."""
        create = entry.spec.create
        if create is not None and not entry.wanted:
            # Keep only the cells that the new record needs, so that memory does not grow with the file.
            needed = (self.specs[name].template for name in create.references)
            columns = (create.columns - {NAME}).union(*(each.columns for each in needed if each))
            entry.cells = {column: context.cells[column] for column in columns}
            try:
                entry.new_record(msgspec.structs.replace(context, warnings=[]))
            except InvalidCallError as error:
                text = f"{entry.spec.name} {entry.text!r} could not be created: {reason_of(error)}"
                raise RowError(text) from None
        if entry not in context.missing:
            context.missing.append(entry)


NO_RECORDS = ReferenceIndex(())


def _not_found(spec: ReferenceSpec, name: str) -> str:
    start = f"{spec.name}: no {spec.entity.__name__}"
    if spec.template is None:
        return f"{start}{spec.filtered} was found; change the reference's `where`"
    return f"{start} is called {name!r} ({spec.by}){spec.filtered}{zeros_hint(name)}"


async def _results(
    batches: Iterable[list[str]], query: Callable[[list[str]], Awaitable[T]], limit: int
) -> list[T]:
    """Return the results of a query for each batch. Raise the first WosdkError."""
    results = []
    async with Run(batches, lambda names, _: query(names), limit=limit, grace=0.0) as run:
        async for outcome in run:
            if not isinstance(outcome, Done):
                raise getattr(outcome, "error", None) or WosdkError("the import stopped")
            results.append(outcome.result)
    return results
