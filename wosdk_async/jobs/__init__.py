"""Jobs: bulk imports from files, and exports to files.

::

    job = Import(open_source("requests.csv"), ImportMap.load("map.toml"))
    summary = await job.run(company)

``sources/`` reads files, and ``mapping/`` converts rows to commands and records. ``journal/`` manages a job's
SQLite file, and ``ledger/`` uses the journal to decide on each row of a file. ``imports/`` opens the ledger,
runs an import in stages, and settles rows in doubt. ``report/`` writes the output files, ``undo/`` rolls an
import back, and ``cluster/`` distributes rows to workers. ``exports/`` writes query results, and ``stop.py``
stops runs.

Only ``cli/`` and ``mcp/`` import this package.
"""

from __future__ import annotations

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.exports import ExportOptions, ExportSummary
from wosdk_async.jobs.exports.exporter import Export
from wosdk_async.jobs.exports.incremental import IncrementalExport
from wosdk_async.jobs.imports.importer import Import, tune_process
from wosdk_async.jobs.ledger.outcomes import RowOutcome, Summary
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.options import ImportOptions, StopAfter
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.jobs.sources.formats import open_source
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import FileDialect, Source

__all__ = [
    "CsvFile",
    "Export",
    "ExportOptions",
    "ExportSummary",
    "FileDialect",
    "Import",
    "ImportMap",
    "ImportMapError",
    "ImportOptions",
    "IncrementalExport",
    "Row",
    "RowOutcome",
    "Source",
    "StopAfter",
    "Summary",
    "open_source",
    "tune_process",
]
