"""Undo of an import, which cancels or deletes the created records that are still unchanged.

``reversal.py`` runs an undo, ``records.py`` reads and checks the records, and ``references.py`` finds records
that still use created references. Only the CLI imports this package.
"""
