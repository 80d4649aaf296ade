"""Undo of an import: the records of a run are deleted or cancelled, those that others changed stay.

``reversal.py`` decides and runs it, ``records.py`` looks at the records. Only the command line imports it.
"""
