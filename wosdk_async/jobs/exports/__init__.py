"""Exports of an entity's records to files for other programs.

``exporter.py`` exports to one file, and ``incremental.py`` adds a part with changed records. Their base in
``export_job.py`` determines what to read, ``work_folder.py`` stores rows in files that survive a kill, and
``table_writers.py`` writes the output. Only the command line and ``wosdk_async.jobs`` import this package.
"""
