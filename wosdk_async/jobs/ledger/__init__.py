"""What an import knows of its rows, and what the same command does with them.

``identity.py`` says what makes a row the same row, ``file_rows.py`` reads a file once, and ``facts.py``
compares it with the ledger. ``decision.py`` is the one place that decides what is sent; it is pure. The
tables of the ledger are those of ``wosdk_async.jobs.journal``.
"""
