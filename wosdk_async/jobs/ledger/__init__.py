"""Import ledger: the known rows, and the decision on each row.

``identity.py`` defines row identity, ``file_rows.py`` reads a file once, ``comparison.py`` compares the file
with the ledger, and ``admission.py`` adds the file's rows. ``nearby.py`` finds the ledger, ``facts.py``
collects facts, and only ``decision.py``, which is pure, decides what is sent. ``jobs.journal`` defines the
tables.
"""
