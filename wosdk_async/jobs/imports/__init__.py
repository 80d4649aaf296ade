"""Imports. ``importer.py`` defines the public class.

``opening.py`` opens the ledger, ``work.py`` runs the stages of an import, and ``check.py`` does a dry run.
Only the CLI and ``wosdk_async.jobs`` use this package. It does not import ``exports/`` or ``undo/``.
"""
