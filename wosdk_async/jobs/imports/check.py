"""Import check: a dry run that predicts the outcome of each row and writes nothing."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from functools import partial
from itertools import chain, islice
from typing import Any

import attrs

from wosdk_async.codec.json import loads
from wosdk_async.codec.masking import mask_fields
from wosdk_async.company import Company
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.cluster.messages import WorkerPool
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    MissingRecordError,
    RowError,
    reason_of,
    require_sendable,
)
from wosdk_async.jobs.imports.check_result import CheckResult, Finding, FindingKind
from wosdk_async.jobs.imports.reading import RowBuilder
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.journal.folder import plan_of
from wosdk_async.jobs.ledger.facts import Preview, preview_of
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.nearby import existing_remedies
from wosdk_async.jobs.ledger.overview import overview
from wosdk_async.jobs.ledger.request import PYTHON_WORDS, ImportRequest, ReportWords
from wosdk_async.jobs.ledger.terms import Action, Refusal, Standing
from wosdk_async.jobs.ledger.undone import shown_records, undone_beside, without_undone
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.lookup import NamedIds
from wosdk_async.jobs.mapping.marking import own_keys
from wosdk_async.jobs.mapping.needed_fields import lacking, replaced_fields_warning
from wosdk_async.jobs.mapping.operations import Found
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.table_rules import require_table
from wosdk_async.model import Record
from wosdk_async.options.hooks import DryRun


@attrs.frozen
class _BuiltRow:
    row: Row
    record: Record
    key: str
    missing: list[Any]
    """Records to create before the row."""
    lacks: tuple[str, ...] = ()
    """Empty fields that the service requires, each with a remedy."""
    caution: str | None = None
    """A warning about fields that the service overwrites."""
    again: bool = False
    """Whether the row failed in an earlier run."""

    def finding(self, kind: FindingKind, reason: str = "", ids: Sequence[int] = ()) -> Finding:
        facts = self.row.number, self.row.line, kind, reason, self.key, tuple(ids)
        warnings, again = tuple(dict.fromkeys(self.row.warnings)), self.again and kind == "would_send"
        return Finding(*facts, warnings, lacks=self.lacks, again=again)


def _kind_of(error: Exception) -> FindingKind:
    if isinstance(error, AmbiguousNameError):
        return "ambiguous"
    return "missing" if isinstance(error, MissingRecordError) else "refused"


_PAGE = 200  # rows built and looked up together
_REQUESTS = 3  # requests shown
_IDS = 3  # record ids shown for each key
_FAILED = (Standing.REFUSED_HERE, Standing.REFUSED, Standing.REFUSED_CHANGED)
_SKIPPED: Mapping[Standing, FindingKind] = {Standing.DONE_CHANGED: "changed", Standing.UNDONE: "undone"}


class Check:
    """Dry run of an import: it builds the rows and looks them up, but writes nothing.

    Args:
        dry: the client's ``before_send`` hook, which captures requests instead of sending them.
        sample: the number of rows to check, spread over the file; None checks all rows.
        rate: the maximum calls per second, used to estimate the duration.
        words: the wording of remedies in warnings.

    Raises:
        ImportMapError: the file or the map cannot be used.
    """

    def __init__(
        self,
        source: Source,
        import_map: ImportMap,
        dry: DryRun,
        *,
        options: ImportOptions,
        sample: int | None = None,
        rate: float | None = None,
        workers: WorkerPool | None = None,
        words: ReportWords = PYTHON_WORDS,
    ) -> None:
        require_table(source, import_map.rules, import_map.columns)
        request = ImportRequest(
            source=source, import_map=import_map, options=options, workers=workers, report_words=words
        )
        self._request = request.with_rules()
        self._source, self._map, self._dry = self._request.source, import_map, dry
        self._options, self._sample, self._rate = options, sample, rate
        self._operation, self._marker = import_map.action, self._request.marker
        self._keys = self._request.keys()
        self._index = ReferenceIndex(import_map.references)
        self._builder = RowBuilder(import_map, self._index, self._keys)
        self._replaced = replaced_fields_warning(import_map)
        self._ids = NamedIds.of(import_map.record, import_map.action.table, import_map.references)
        self._result = CheckResult(
            label=self._operation.label,
            used=frozenset(import_map.columns),
            skips=options.if_exists == "skip",
        )
        self._undone: Set[int] = frozenset()
        self._actions: Mapping[Standing, Action] = {}
        self._sent_elsewhere: Set[int] = frozenset()
        """Lines of rows that another job sent."""
        self._look_up_seconds: list[float] = []
        self._read_file()

    def _read_file(self) -> None:
        filled: Counter[str] = Counter()
        for row in self._source:
            self._result.rows += 1
            filled.update(name for name, cell in dict(row.cells.items()).items() if cell.strip())
        self._result.empty_rows = self._source.empty_rows
        self._result.filled = {name: filled[name] for name in self._source.columns if name}
        rows = self._rows()
        while page := list(islice(rows, _PAGE)):
            self._index.collect([row.cells for row in page if row.fault is None])

    def _rows(self) -> Iterator[Row]:
        total, wanted = self._result.rows, self._sample
        for row in self._source:
            if wanted is None or row.number * wanted // total > (row.number - 1) * wanted // total:
                yield row

    async def run(
        self, company: Company, *, identity: str, on_row: Callable[[Finding], None] | None = None
    ) -> CheckResult:
        """Look up references and keys, and predict the outcome of each row.

        ``identity`` identifies the Company in the journal. ``on_row`` gets the rows in file order.

        Raises:
            ImportMapError: a record required by all rows does not exist, or the file has changed.
            JournalError: the journal of an unfinished job cannot be read.
            WosdkError: a look-up failed.
        """
        began = time.perf_counter()
        await self._index.look_up(company, self._options.concurrency)
        if self._index.specs:
            self._look_up_seconds.append(time.perf_counter() - began)
        self._index.require(self._map.fixed, self._map.path)
        with (
            closing(self._request.read()) as read,
            preview_of(self._request, read, identity) as preview,
        ):
            self._result.warnings += [*read.notes, *preview.warnings]
            self._result.decision, self._actions = preview.decision, preview.actions
            if isinstance(preview.decision, Refusal):
                self._sent_elsewhere = frozenset(preview.decision.lines)
            base = preview.folder or self._request.base  # the ledger of rejects may be elsewhere
            about = base, self._request.path, identity, self._map.operation
            self._undone = await asyncio.to_thread(undone_beside, *about)
            if preview.folder is not None:
                async with Journal.open(preview.folder, snapshot=True) as journal:
                    self._result.job = await overview(journal)
            if self._index.incomplete:
                await self._mark_wanted(company, preview)
            rows = self._rows()
            while page := list(islice(rows, _PAGE)):
                for finding in await self._check_page(company, page, preview):
                    self._result.add(finding)
                    fails = finding.kind == "there" and self._options.if_exists == "fail"
                    if fails and not self._result.existing:
                        self._result.existing = self._remedies(page, finding, read, preview, identity)
                    if on_row is not None:
                        on_row(finding)
        self._finish()
        return self._result

    def _remedies(
        self, page: Sequence[Row], finding: Finding, read: FileRows, preview: Preview, company: str
    ) -> Mapping[str, Any]:
        (row,) = (each for each in page if each.number == finding.row)
        found, folder = read.identities.of(row), preview.folder
        plan = self._request.plan("", company, read) if folder is None else plan_of(folder)
        if self._options.again:  # a new ledger replaces the one in the folder
            plan = attrs.evolve(plan, job="")
        return existing_remedies(folder or self._request.base, plan, [found.identity], found.digest)

    async def _mark_wanted(self, company: Company, preview: Preview) -> None:
        rows = self._rows()
        while page := list(islice(rows, _PAGE)):
            standings = preview.standings(page[0].number, page[-1].number)
            to_send = [
                row for row in page if self._unsent(row, standings.get(row.number, Standing.DONE), {}) is None
            ]
            await self._builder.mark_wanted(to_send, partial(self._find, company))

    async def _check_page(self, company: Company, page: Sequence[Row], preview: Preview) -> list[Finding]:
        ends = page[0].number, page[-1].number
        standings, reasons = preview.standings(*ends), preview.reasons(*ends)
        findings: dict[int, Finding] = {}
        built: list[_BuiltRow] = []
        # A row without a standing is not sent, because it was added to the file after the comparison.
        for row in page:
            standing = standings.get(row.number, Standing.DONE)
            each = self._unsent(row, standing, reasons) or self._build(row, again=standing in _FAILED)
            if isinstance(each, Finding):
                findings[row.number] = each
            else:
                built.append(each)
        ids = [self._ids.in_row(each.row.cells) for each in built]
        await self._ids.look_up(company, chain.from_iterable(ids))
        for each, named in zip(built, ids, strict=True):
            if fault := self._ids.fault(named):
                findings[each.row.number] = each.finding("missing", fault)
        built = [each for each in built if each.row.number not in findings]
        records: Found = {}
        if own_keys(self._keys) is not None and built:
            began = time.perf_counter()
            records = await self._find(company, [each.key for each in built])
            self._look_up_seconds.append(time.perf_counter() - began)
        for each in built:
            findings[each.row.number] = await self._predict(company, each, records.get(each.key, ()))
        return [findings[row.number] for row in page]

    async def _find(self, company: Company, keys: list[str]) -> Found:
        return without_undone(await self._operation.find(company, self._marker or "", keys), self._undone)

    def _build(self, row: Row, *, again: bool) -> _BuiltRow | Finding:
        key = (self._keys.key_or_none(row) if self._keys is not None else None) or ""
        try:
            record, missing = self._builder.build(row)
            require_sendable(record, new=self._operation.new)
            if self._keys is not None:
                self._keys.put(record, key)
            lacks, caution = tuple(lacking(record, self._map)), self._replaced and self._replaced(row.cells)
            return _BuiltRow(row, record, key, missing, lacks, caution, again)
        except Exception as error:  # the import would also refuse this row
            faults = tuple((_kind_of(each), reason_of(each)) for each in getattr(error, "faults", ()))
            return Finding(row.number, row.line, _kind_of(error), reason_of(error), key, faults=faults)

    def _unsent(self, row: Row, standing: Standing, reasons: Mapping[int, str]) -> Finding | None:
        """Return the finding for a row that will not be sent; None for a row to send."""
        action = self._actions[standing]
        if self._options.again and standing is not Standing.REPEATED:
            action = Action.SEND
        own = own_keys(self._keys)
        key = (own.key_or_none(row) if own is not None else None) or ""
        match action:
            case Action.SEND if row.line in self._sent_elsewhere:
                kind: FindingKind = "refused"
                reason = "another job has sent this row, or may send it"
            case Action.SEND:
                return None
            case Action.SKIP:
                kind = _SKIPPED.get(standing, "ended")
                reason = ""
            case Action.LOOK_UP | Action.LEAVE:
                kind = "in_doubt" if standing is Standing.IN_DOUBT else "sending"
                looks_up = f"the import first looks up the row by {self._marker}"
                reason = looks_up if self._marker else "there is no marker"
            case Action.KEEP | Action.REFUSE:
                kind = "kept" if action is Action.KEEP else "refused"
                reason = reasons.get(row.number, "")
        return Finding(row.number, row.line, kind, reason, key)

    async def _predict(self, company: Company, built: _BuiltRow, found: Sequence[Any] | RowError) -> Finding:
        if isinstance(found, RowError):
            return built.finding(_kind_of(found), reason_of(found))
        if self._operation.by is not None:
            try:
                self._operation.set_id(built.record, built.key, found)
            except RowError as error:
                return built.finding(_kind_of(error), reason_of(error))
        elif found:
            ids = [each.id for each in found[:_IDS]]
            return built.finding("there", f"{shown_records(found)} has {self._marker} {built.key!r}", ids)
        if len(self._result.requests) < _REQUESTS:
            await self._capture_request(company, built)
        first = ", ".join(repr(entry.text) for entry in built.missing)
        changed = [each.id for each in found if each.id == getattr(built.record, "id", None)]
        built.row.warnings.extend(built.lacks)
        built.row.warnings.extend([built.caution] if built.caution else ())
        notes = ["failed before"] if built.again else []
        notes += [f"creates {first} first"] if first else []
        return built.finding("would_send", "; ".join(notes), changed)

    async def _capture_request(self, company: Company, built: _BuiltRow) -> None:
        """Pass a row's request to the client's hook, which captures the request instead of sending it."""
        captured_before = len(self._dry.calls)
        with suppress(WosdkError, LookupError):  # some results cannot be read from the hook's empty response
            await self._operation.send(company, built.record, None)
        for _, call in self._dry.calls[captured_before:]:
            shown = {"row": built.row.number, "method": call.method, "path": call.path}
            body = mask_fields(loads(call.body)) if call.body else None
            first = {"created_first": [entry.text for entry in built.missing]} if built.missing else {}
            self._result.requests.append({**shown, **first, "body": body})

    def _finish(self) -> None:
        result = self._result
        result.warnings += self._index.warnings
        for name, spec in self._index.specs.items():
            if missing := self._index.missing(spec):
                result.new_records[name] = len(missing)
        share = result.rows / result.checked if result.checked else 0.0
        rows = result.counts["would_send"] * share  # extrapolated from the sample
        pages = math.ceil(rows / _PAGE) if self._keys is not None else 0
        calls = round(rows) + sum(result.new_records.values()) + pages + len(self._index.specs)
        result.expect(calls if rows else 0, self._look_up_seconds, self._options.concurrency, self._rate)
