"""Imports, from the file to the last outcome: ``importer.py`` is the import for its callers.

``opening.py`` opens the ledger, ``work.py`` carries the import out stage by stage, ``check.py`` tries it
without sending. Only the command line and ``wosdk_async.jobs`` use it; it imports neither exports nor undo.
"""
