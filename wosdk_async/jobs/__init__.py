"""Jobs on files: bulk imports, and exports.

::

    job = Import(open_source("requests.csv"), ImportMap.load("map.toml"))
    summary = await job.run(company)

``sources/`` reads files, ``mapping/`` compiles the map, and ``importer.py`` is the job for its callers.
``opening.py`` opens the ledger, and ``work.py`` carries the job out stage by stage. ``settling.py`` decides
what earlier runs left in doubt, and ``reference_stage.py`` completes what rows refer to. ``sending.py`` sends
the rows that ``reading.py`` reads and builds. ``reporting.py`` writes their outcomes into ``journal/``.
``cluster/`` sends the rows from many workers, and ``audit.py`` looks up what they made. ``stop.py`` stops all
of them. Exports are in ``export/``.
"""

from __future__ import annotations

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.export.exporter import Export
from wosdk_async.jobs.export.incremental import IncrementalExport
from wosdk_async.jobs.export.plan import ExportOptions, ExportSummary
from wosdk_async.jobs.importer import Import, tune_process
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.options import ImportOptions, StopAfter
from wosdk_async.jobs.rows import Row, RowOutcome, Summary
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.jobs.sources.formats import open_source
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
