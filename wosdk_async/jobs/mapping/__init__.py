"""Import maps, which turn a file's columns into commands and records.

Imports, undo and the ledger use this package; the CLI and MCP use it to check maps. Within ``jobs/``, this
package imports only ``sources/``.
"""
