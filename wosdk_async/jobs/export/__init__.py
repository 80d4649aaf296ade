"""Exports: the records of an entity in a file, from which other programs read.

``exporter.py`` is the export for its callers, and ``incremental.py`` the one that adds a part for what has
changed; ``export_job.py`` is the base of both. ``exported_rows.py`` says what is read, ``exported_table.py``
in which form it is written, and ``output_place.py`` where. ``reading.py`` reads it into the files of
``range_files.py``, which a kill leaves whole, in the folder of ``work_folder.py``. ``table_writers.py``
writes the output. Files are written in ``threads.py``.
"""
