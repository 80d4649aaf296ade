"""Jobs on files: bulk imports, and exports.

::

    job = Import(open_source("requests.csv"), ImportMap.load("map.toml"))
    summary = await job.run(company)

``sources/`` reads files, and ``mapping/`` makes commands and records of their rows. ``journal/`` is the
SQLite file of a job, and ``ledger/`` decides by it what a command does. ``imports/`` opens the ledger,
carries an import out stage by stage, and settles rows in doubt. ``report/`` writes its files, ``undo/``
rolls it back, and ``cluster/`` sends its rows from many workers. ``exports/`` writes query results, and
``stop.py`` stops a run.

Only ``cli/`` and ``mcp/`` import the package; it imports a Company and all below that.
"""

from __future__ import annotations

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.exports.exporter import Export
from wosdk_async.jobs.exports.incremental import IncrementalExport
from wosdk_async.jobs.exports.plan import ExportOptions, ExportSummary
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
