"""Undo of an import: delete or cancel the records that a run created and nobody changed.

``reversal.py`` runs it, ``records.py`` reads and judges the records, and ``references.py`` finds the users of
records that rows refer to. Only the command line imports it.
"""
