"""Import maps, which turn a file's columns into commands and records.

Imports, undo and the ledger use this package; the CLI and MCP use it to check maps. Of the other packages in
``jobs/``, this one imports only ``sources/``.
"""
