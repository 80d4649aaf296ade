"""Import request: file, map, options and callbacks."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.cluster.messages import WorkerPool
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal import JobPlan
from wosdk_async.jobs.journal.entries import RUN_ENGINE, RUN_GIVEN
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.outcomes import RowOutcome
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.marking import RowKeys, no_marker_for_workers, own_keys
from wosdk_async.jobs.mapping.nodes import TextNode
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.table import Table
from wosdk_async.regular_files import sha256_of
from wosdk_async.text.remedies import Words, in_python
from wosdk_async.transport.session.hosts import is_local


@attrs.frozen
class ReportWords:
    """Remedies and command lines in a job's report; by default the wording for Python programs."""

    remedy: Words = in_python
    command: Callable[[JobPlan, Path], str | None] = lambda _plan, _folder: None
    """Function that returns the command to resume a job; None for jobs started by a program."""
    rejects_command: Callable[[JobPlan, Path], str | None] = lambda _plan, _rejects: None
    """Function that returns the command to import corrected rejects; None for jobs started by a program."""


PYTHON_WORDS = ReportWords()

_NO_JOB = "job"  # in place of the ledger's id while there is no ledger; a check shows keys such as job-1


@attrs.frozen(kw_only=True, eq=False)
class ImportRequest:
    """File, map, options and callbacks of one import.

    Raises:
        ImportMapError: the marker or key is missing or unusable, or the map does not suit ``if_exists``.
    """

    source: Source
    import_map: ImportMap
    options: ImportOptions = attrs.field(factory=ImportOptions)
    workers: WorkerPool | None = None
    """Workers that send the rows; by default this process."""
    on_row: Callable[[RowOutcome], None] = lambda _: None
    on_stage: Callable[[str], None] = lambda _: None
    report_words: ReportWords = PYTHON_WORDS
    marker: str | None = attrs.field()
    """The field for each row's key."""
    index: ReferenceIndex = attrs.field()
    sha256: str = attrs.field()
    """Hash of the source's bytes."""
    size: int = attrs.field()
    """Size of the source in bytes."""
    map_sha256: str = attrs.field()

    @marker.default
    def _marker(self) -> str | None:
        return self.options.marker or self.import_map.marker or self.import_map.action.by

    @index.default
    def _index(self) -> ReferenceIndex:
        return ReferenceIndex(self.import_map.references)

    @sha256.default
    def _hash(self) -> str:
        return getattr(self.source, "sha256", "") or sha256_of(self.source.path)

    @size.default
    def _size(self) -> int:
        return self.source.path.stat().st_size

    @map_sha256.default
    def _map_hash(self) -> str:
        return sha256_of(self.import_map.path)

    def __attrs_post_init__(self) -> None:
        if self.marker is not None:
            self._require_marker(self.marker)
        elif self.workers is not None:
            raise no_marker_for_workers(self.import_map)
        if self.options.if_exists == "skip":
            if self.action.by is not None:
                raise ImportMapError(
                    f'if_exists="skip" is only for creates, not for {self.import_map.operation!r}'
                )
            if not self.looks_first:
                raise ImportMapError(
                    f'{self.import_map.path}: if_exists="skip" requires a marker: a field with each '
                    "row's key, used to find existing records"
                )

    def _require_marker(self, marker: str) -> None:
        try:
            keys = RowKeys.of(self.import_map, marker, _NO_JOB)
            self.action.require_marker(marker)
        except ImportMapError as error:
            if self.options.marker:
                raise
            raise ImportMapError(f"{self.import_map.path}: {error.message}", **error.facts) from None
        if self.import_map.key is not None and keys.are_own:
            raise ImportMapError(
                f"{self.import_map.path}: {marker} already has the key {keys.template}; delete 'key', "
                "which is for maps without a marker"
            )

    def with_rules(self) -> ImportRequest:
        """Return a request whose source applies the map's rules, and whose options store the rules."""
        rules, keys = self.import_map.rules, self.keys()
        node = keys.node if keys is not None else None
        key = self.import_map.key or (node.template if isinstance(node, TextNode) else None)
        options = attrs.evolve(self.options, details={**self.options.details, **rules.as_options()})
        return attrs.evolve(self, source=Table.of(self.source, rules, key), options=options)

    @property
    def action(self) -> RowOperation:
        """The operation on each row."""
        return self.import_map.action

    @property
    def path(self) -> Path:
        """The file's absolute path."""
        return self.source.path.absolute()

    @property
    def base(self) -> Path:
        """The first ledger's folder; further ledgers get numbered folders beside it."""
        return self.options.folder or self.path.with_name(f"{self.path.name}.job")

    @property
    def sheet(self) -> str | None:
        """The sheet's name, if the file is a workbook."""
        return getattr(self.source, "sheet", None)

    @property
    def creates(self) -> bool:
        """Whether the operation creates records, so that resending would create duplicates."""
        return self.action.label == "created"

    @property
    def looks_first(self) -> bool:
        """Whether to look up each row, by a key from its cells, before sending it."""
        return own_keys(self.keys()) is not None

    def keys(self, job: str = _NO_JOB) -> RowKeys | None:
        """Return the row keys for a ledger's id; None without a marker."""
        return RowKeys.of(self.import_map, self.marker, job) if self.marker else None

    def read(self) -> FileRows:
        """Read the file once. The caller must close the result.

        Raises ImportMapError if the file cannot be read, or has changed since it was opened.
        """
        with contextlib.ExitStack() as exits:
            try:
                rows = FileRows(self.source, self.import_map, self.keys(), self.index)
                exits.callback(rows.close)
            finally:
                self._require_unchanged()  # a changed file may raise misleading errors, such as wrong columns
            exits.pop_all()
            return rows

    def _require_unchanged(self) -> None:
        with contextlib.suppress(OSError):
            if sha256_of(self.source.path) == self.sha256:
                return
        raise ImportMapError(
            f"{self.source.path}: the file has changed since it was opened; nothing was sent. Run the "
            "command again when the file is complete"
        )

    def plan(self, job: str, company: str, rows: FileRows | None = None) -> JobPlan:
        """Return a ledger's plan for this file; without ``rows``, the plan of an empty ledger."""
        keys, now = self.keys(job), datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        return JobPlan(
            job=job,
            file=str(self.path),
            size=self.size,
            sha256=self.sha256,
            company=company,
            operation=self.import_map.operation,
            marker=self.marker,
            map_sha256=self.map_sha256,
            rows=rows.rows if rows is not None else 0,
            empty_rows=self.source.empty_rows,
            created_at=now,
            options=dict(self.options.details),
            columns=sorted(rows.columns) if rows is not None else [],
            header=sorted(rows.header) if rows is not None else [],
            sheet=self.sheet,
            key=rows.key if rows is not None else (keys.template if keys is not None else None),
            rejects=rows is not None and rows.is_rejects,
        )

    def details(self, company: Company) -> dict[str, Any]:
        """Return a new run's details: file, map and options."""
        # SQL in the ledger and the journal reads "map", "content" and "marker".
        details: dict[str, Any] = {
            "options": self.options.changed(),
            RUN_GIVEN: dict(self.options.details),
            "file": str(self.path),
            "sha256": self.sha256,
            "sheet": self.sheet,
            "map": self.import_map.fingerprint,
            "content": self.import_map.content,
            "marker": self.marker,
            "limit": self.options.concurrency,
            "rate": company.rate,
        }
        if self.workers is None:
            return details
        return {**details, RUN_ENGINE: self.workers.name, "lease": self.options.lease}


def company_identity(company: Company) -> str:
    """Return an identifier for a Company in a region, independent of the host.

    A local sandbox's port changes with each run, so only the Company's name and id count.
    """
    locator = company.region.locator_url
    place = "this machine" if is_local(locator) else locator.rstrip("/")
    return f"{company.name.casefold()} ({company.id}) at {place}"
