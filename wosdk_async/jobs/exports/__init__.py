"""Exports: the records of an entity in a file for other programs.

``exporter.py`` is the export, ``incremental.py`` the one that adds a part with changed records, and
``export_job.py`` the base of both. ``exported_table.py`` says what is read, into the files of
``range_files.py``, which survive a kill, in the folder of ``work_folder.py``. ``table_writers.py`` and
``spreadsheets.py`` write the output. Only the command line and ``wosdk_async.jobs`` import the package.
"""
