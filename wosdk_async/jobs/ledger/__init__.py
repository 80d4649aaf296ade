"""What an import knows of its rows, and what the same command does with them.

``identity.py`` says what makes a row the same row, ``file_rows.py`` reads a file once, ``comparison.py``
compares it with the ledger, and ``admission.py`` gives its rows their places there. ``decision.py`` is the
one place that decides what is sent; it is pure. ``facts.py`` finds the ledger and collects the facts. The
tables are those of ``wosdk_async.jobs.journal``.
"""
