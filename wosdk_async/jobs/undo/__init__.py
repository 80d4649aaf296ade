"""Undo of an import: delete or cancel what a run created, and leave what others changed.

``reversal.py`` runs it, ``records.py`` reads and judges the records, and ``references.py`` finds the users of
records that rows refer to. Only the command line imports it.
"""
