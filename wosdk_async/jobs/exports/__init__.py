"""Exports of an entity's records to files for other programs.

``exporter.py`` exports to one file, ``incremental.py`` adds a part with changed records, and
``export_job.py`` is the base class of both. ``exported_table.py`` determines what to read, and
``work_folder.py`` stores rows in files that survive a kill. ``table_writers.py`` writes the output. Only the
command line and ``wosdk_async.jobs`` import this package.
"""
