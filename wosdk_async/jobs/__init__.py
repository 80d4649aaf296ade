"""Work on files: a CSV file and a map become work orders.

    csv_file.py     rows, exactly as they stand in the file
    import_map.py   the map, checked as a whole: compiling.py, reference.py make values.py of it
    template.py     texts with columns in them; convert.py, texts as the field's type
    directory.py    the records that rows refer to: looked up in batches (lookup.py), made where missing
    importing.py    the job; report.py, what it tells

It uses the client as anybody would, and knows nothing of the command line.
"""

from __future__ import annotations

from wosdk_async.jobs.errors import UnusableError
from wosdk_async.jobs.importer import ImportJob
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.report import RowOutcome, Summary
from wosdk_async.jobs.sources.csv import CsvFile

__all__ = ["CsvFile", "ImportJob", "ImportMap", "RowOutcome", "Summary", "UnusableError"]
