"""Exports of an entity's records to files for other programs.

``exporter.py`` exports to one file, ``incremental.py`` adds a part with changed records, and
``export_job.py`` is the base class of both. ``exported_table.py`` determines what to read, ``range_files.py``
stores rows in files that survive a kill, and ``work_folder.py`` manages their folder. ``table_writers.py``
and ``spreadsheets.py`` write the output. Only the command line and ``wosdk_async.jobs`` import this package.
"""
