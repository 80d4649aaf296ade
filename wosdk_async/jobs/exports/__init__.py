"""Exports: the records of an entity in a file for other programs.

``exporter.py`` is the export, ``incremental.py`` the one that adds a part with changed records, and
``export_job.py`` the base of both. ``exported_table.py`` determines what is read. ``range_files.py``
stores these rows in files that survive a kill, and ``work_folder.py`` provides the folder for them.
``table_writers.py`` and ``spreadsheets.py`` write the output. Only the command line and
``wosdk_async.jobs`` import the package.
"""
