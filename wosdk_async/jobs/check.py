"""Check of an import: what would become of its rows, without a write here or in the Company."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import attrs
import orjson

from wosdk_async.company import Company
from wosdk_async.errors import WosdkError
from wosdk_async.hooks import DryRun
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    ImportMapError,
    MissingRecordError,
    RowError,
    require_sendable,
)
from wosdk_async.jobs.journal import Journal, State, plan_of
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import RowContext
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.overview import Overview, jobs_at, overview
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.sources.source import Source, require_columns
from wosdk_async.model import Record

__all__ = ["FINDINGS", "Check", "CheckResult", "Finding"]

_PAGE = 200  # rows that are built and looked up together
_REQUESTS = 3  # that are shown
_KEPT = 1000  # rows that are listed

Kind = Literal["would_send", "there", "refused", "ambiguous", "missing", "ended", "in_doubt"]

FINDINGS: dict[Kind, str] = {
    "would_send": "would be sent",
    "there": "there already",
    "refused": "refused here",
    "ambiguous": "with a name of several records",
    "missing": "with a name of no record",
    "ended": "carried out by the job already",
    "in_doubt": "in doubt in the job",
}
"""What would become of a row, each with words for people."""


@attrs.frozen
class Finding:
    """One row that would not be sent, and why."""

    row: int
    line: int
    kind: Kind
    reason: str


@attrs.define(kw_only=True)
class CheckResult:
    """What a check found out; ``rows`` is the number in the file, ``checked`` those it looked at."""

    label: str
    """What a row is afterwards, such as ``created``."""
    rows: int = 0
    empty_rows: int = 0
    checked: int = 0
    counts: Counter[Kind] = attrs.field(factory=Counter)
    findings: list[Finding] = attrs.field(factory=list)
    """The first 1,000 rows that would not be sent."""
    new_records: dict[str, int] = attrs.field(factory=dict)
    """Records that would be created first, by reference."""
    filled: dict[str, int] = attrs.field(factory=dict)
    """Rows in which each column of the file has content."""
    used: frozenset[str] = frozenset()
    """Columns that the map reads."""
    warnings: list[str] = attrs.field(factory=list)
    requests: list[dict[str, Any]] = attrs.field(factory=list)
    """The first requests; ids of records that would be created first stand as 1."""
    calls: int = 0
    seconds: float | None = None
    """Expected duration, if a call takes as long as a look-up of this check; None when there was none."""
    job: Overview | None = None
    """The job that the same command would go on with."""
    skips: bool = False
    """Whether a row that is there already is skipped, and does not fail."""

    @property
    def complete(self) -> bool:
        """Whether all rows that were checked would be carried out, or are already."""
        fine = self.counts["would_send"] + self.counts["ended"] + (self.counts["there"] if self.skips else 0)
        return fine == self.checked

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "rows": self.rows,
            "empty_rows": self.empty_rows,
            "checked": self.checked,
            **{kind: self.counts[kind] for kind in FINDINGS},
            "new_records": self.new_records,
            "columns": {
                name: {"filled": count, "used": name in self.used} for name, count in self.filled.items()
            },
            "problems": [attrs.asdict(each) for each in self.findings],
            "warnings": self.warnings,
            "requests": self.requests,
            "calls": self.calls,
            "seconds": None if self.seconds is None else round(self.seconds, 1),
            "job": None if self.job is None else {**self.job.as_dict(), "resume": self.job.resume_would()},
        }


class Check:
    """A look before an import: every row is built and looked up, and nothing is written.

    Args:
        source: the file.
        import_map: which column fills which field.
        dry: ``before_send`` hook of the client of the Company, which keeps what would be sent.
        options: options of the import.
        sample: the number of rows to look at, spread over the file; None means all.
        rate: the highest number of calls in a second, for the expected duration.

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
    ) -> None:
        require_columns(source, import_map.columns)
        self._source, self._map, self._dry = source, import_map, dry
        self._options, self._sample, self._rate = options, sample, rate
        self._operation = import_map.action
        self._marker = options.marker or import_map.marker or self._operation.by
        self._keys = RowKeys.of(import_map, self._marker, "job") if self._marker else None
        if self._marker:
            self._operation.require_marker(self._marker)
        self._index = ReferenceIndex(import_map.references)
        self._result = CheckResult(
            label=self._operation.label,
            used=frozenset(import_map.columns),
            skips=options.if_exists == "skip",
        )
        self._first_with: dict[int, tuple[int, int]] = {}
        self._looks: list[float] = []
        self._read_file()

    def _read_file(self) -> None:
        filled: Counter[str] = Counter()
        for row in self._source:
            self._result.rows += 1
            filled.update(name for name, cell in dict(row.cells.items()).items() if cell.strip())
        self._result.empty_rows = self._source.empty_rows
        self._result.filled = {name: filled[name] for name in self._source.columns if name}
        for row in self._rows():
            if row.fault is None:
                self._index.collect(row.cells)

    def _rows(self) -> Iterator[Row]:
        """Yield the rows to look at."""
        total, wanted = self._result.rows, self._sample
        for row in self._source:
            if wanted is None or row.number * wanted // total > (row.number - 1) * wanted // total:
                yield row

    async def run(self, company: Company, *, identity: str) -> CheckResult:
        """Look up what the rows refer to, and their keys; return what would become of them.

        Args:
            company: the Company in which the rows would be carried out.
            identity: text that tells the Company from others, as the journal keeps it.

        Raises:
            ImportMapError: a record that all rows need does not exist.
            JournalError: the journal of an unfinished job cannot be read.
            WosdkError: a look-up failed.
        """
        began = time.perf_counter()
        await self._index.look_up(company, self._options.limit)
        if self._index.specs:
            self._looks.append(time.perf_counter() - began)
        for name in self._map.fixed:
            if reason := self._index.unfound(name):
                raise ImportMapError(f"{self._map.path}: {reason}")
        journal = await self._job(identity)
        try:
            rows = self._rows()
            while page := list(islice(rows, _PAGE)):
                await self._look_at(company, page, journal)
        finally:
            if journal is not None:
                await journal.close()
        self._finish()
        return self._result

    async def _job(self, identity: str) -> Journal | None:
        """Open the job that the import would go on with, for reading; None when it would begin one."""
        path = self._source.path.absolute()
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        journal: Journal | None = None
        for folder in jobs_at(self._options.folder or path.with_name(f"{path.name}.job")):
            plan = plan_of(folder)
            same_file = plan.sha256 == sha256 or Path(plan.file) == path
            if same_file and plan.company == identity and plan.operation == self._map.operation:
                if journal is not None:
                    await journal.close()
                journal = Journal.open(folder, read_only=True)
        if journal is None:
            return None
        seen = await overview(journal)
        if journal.plan.sha256 == sha256 and not self._options.again:
            self._result.job = seen
            return journal
        if seen.left and not self._options.again:
            self._index.warnings.append(
                f"the file has changed since the job in {journal.folder} began, which is not finished; the "
                "import asks for --continue or --again"
            )
        await journal.close()
        return None

    async def _look_at(self, company: Company, page: Sequence[Row], journal: Journal | None) -> None:
        states: Mapping[int, State] = {}
        if journal is not None:
            stored = await journal.page(page[0].number, page[-1].number)
            states = {row: state for row, state, _, _ in stored}
        built = []
        for row in page:
            self._result.checked += 1
            state = states.get(row.number, State.PLANNED)
            if state in (State.DONE, State.FOUND):
                self._result.counts["ended"] += 1
            elif state in (State.SENDING, State.IN_DOUBT):
                self._find(row, "in_doubt", "the job has not settled it")
            elif state == State.REFUSED and not self._options.retry_refused:
                self._find(row, "refused", "the job refused it before; --retry refused sends it again")
            elif (made := self._built(row)) is not None:
                built.append((row, *made))
        found: Mapping[str, Sequence[Any]] = {}
        if self._keys is not None and self._keys.node is not None and built:
            began = time.perf_counter()
            found = await self._operation.find(company, self._keys.path, [key for _, _, key, _ in built])
            self._looks.append(time.perf_counter() - began)
        for row, record, key, missing in built:
            await self._decide(company, row, record, key, missing, found.get(key, ()))

    def _built(self, row: Row) -> tuple[Record, str, list[Any]] | None:
        """Return what a row becomes, its key and what is created before it; None after it was refused."""
        try:
            if row.fault is not None:
                raise RowError(row.fault)
            context = RowContext(row.cells, self._index, row.warnings)
            record = self._map.record.build(context)
            require_sendable(record, new=self._operation.new)
            return record, self._key(row, record), context.missing
        except AmbiguousNameError as error:
            self._find(row, "ambiguous", error.message)
        except MissingRecordError as error:
            self._find(row, "missing", error.message)
        except Exception as error:  # of one row: the import refuses it, too
            text = error.message if isinstance(error, WosdkError) else f"{type(error).__name__}: {error}"
            self._find(row, "refused", text)
        return None

    def _key(self, row: Row, record: Record) -> str:
        if self._keys is None:
            return ""
        key = self._keys.key(row, self._index)
        self._keys.put(record, key)
        if self._keys.node is not None and self._operation.by is None:
            number, line = self._first_with.setdefault(hash(key), (row.number, row.line))
            if number != row.number:
                raise RowError(
                    f"the key {key[:100]!r} is that of row {number} (line {line}) already; keys must be "
                    "unique"
                )
        return key

    async def _decide(
        self, company: Company, row: Row, record: Record, key: str, missing: list[Any], found: Sequence[Any]
    ) -> None:
        if self._operation.by is not None:
            try:
                self._operation.point(record, key, found)
            except RowError as error:
                self._find(row, "missing", error.message)
                return
        elif found:
            ids = ", ".join(str(each.id) for each in found[:3])
            self._find(row, "there", f"{self._marker} {key!r} is that of {ids}")
            return
        self._result.counts["would_send"] += 1
        for entry in missing:
            entry.wanted = True
        if len(self._result.requests) < _REQUESTS:
            await self._show(company, row, record, missing)

    async def _show(self, company: Company, row: Row, record: Record, missing: list[Any]) -> None:
        """Keep the request of a row. The hook of the client keeps it from being sent."""
        kept = len(self._dry.calls)
        with suppress(WosdkError, LookupError):  # the empty response says too little for some results
            await self._operation.send(company, record, None)
        for _, call in self._dry.calls[kept:]:
            shown = {"row": row.number, "method": call.method, "path": call.path}
            body = orjson.loads(call.body) if call.body else None
            first = {"created_first": [entry.text for entry in missing]} if missing else {}
            self._result.requests.append({**shown, **first, "body": body})

    def _find(self, row: Row, kind: Kind, reason: str) -> None:
        self._result.counts[kind] += 1
        if len(self._result.findings) < _KEPT:
            self._result.findings.append(Finding(row.number, row.line, kind, reason))

    def _finish(self) -> None:
        result = self._result
        result.warnings = list(self._index.warnings)
        for name, spec in self._index.specs.items():
            if missing := self._index.missing(spec):
                result.new_records[name] = len(missing)
        share = result.rows / result.checked if result.checked else 0.0
        rows = result.counts["would_send"] * share  # as in the sample
        pages = math.ceil(rows / _PAGE) if self._keys is not None else 0
        result.calls = round(rows) + sum(result.new_records.values()) + pages + len(self._index.specs)
        if self._looks:
            pace = sorted(self._looks)[len(self._looks) // 2]
            result.seconds = result.calls * pace / min(self._options.limit, max(result.calls, 1))
        if self._rate:
            result.seconds = max(result.seconds or 0.0, result.calls / self._rate)
