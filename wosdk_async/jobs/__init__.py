"""Jobs on files: bulk imports, and exports.

::

    job = Import(open_source("requests.csv"), ImportMap.load("map.toml"))
    summary = await job.run(company)

``sources/`` reads files, ``mapping/`` compiles the map, and ``importer.py`` is the job for its callers.
``opening.py`` says which job goes on, and ``work.py`` does it stage by stage. ``settling.py`` decides what
earlier runs left in doubt, and ``reference_stage.py`` completes what rows refer to. ``sending.py`` sends the
rows that ``reading.py`` reads and ``building.py`` builds. ``reporting.py`` writes what became of them into
``journal/``. ``cluster/`` sends the rows from many workers; ``earlier_leases.py`` waits for those of earlier
runs, and ``audit.py`` looks up what they made. ``stop.py`` stops all of them. Exports are in ``export/``.
"""

from __future__ import annotations

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.export.exporter import Export
from wosdk_async.jobs.export.incremental import IncrementalExport
from wosdk_async.jobs.export.plan import ExportOptions, ExportSummary
from wosdk_async.jobs.importer import Import
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.options import ImportOptions, StopAfter
from wosdk_async.jobs.rows import Row, RowOutcome, Summary
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.jobs.sources.formats import open_source
from wosdk_async.jobs.sources.source import FileDialect, Source
from wosdk_async.jobs.tuning import tune_process

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
