"""Jobs on files: bulk imports.

sources/            rows, exactly as they stand in the file
mapping/            the map of an import, checked as a whole, and what it makes of a row
reference_index.py  the records that rows refer to: looked up (lookup.py), created where missing
importer.py         the job; report.py, what it reports
"""

from __future__ import annotations

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.importer import ImportJob
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.report import RowOutcome, Summary
from wosdk_async.jobs.sources.csv import CsvFile

__all__ = ["CsvFile", "ImportJob", "ImportMap", "ImportMapError", "RowOutcome", "Summary"]
