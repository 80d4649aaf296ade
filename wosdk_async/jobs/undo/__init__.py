"""Undo of an import: the records of a run are deleted or cancelled, those that others changed stay."""
