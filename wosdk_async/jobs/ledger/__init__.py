"""Ledger of an import: the known rows, and the decision what the same command does with them.

``identity.py`` defines what makes a row the same row, ``file_rows.py`` reads a file once, ``comparison.py``
compares it with the ledger, and ``admission.py`` adds its rows. ``decision.py`` alone decides what is sent;
it is pure. ``facts.py`` finds the ledger and collects the facts. The tables are those of ``jobs.journal``.
"""
