"""Import maps, which turn a file's columns into commands and records.

Of the other packages in ``jobs/``, this one imports only ``sources/``.
"""
