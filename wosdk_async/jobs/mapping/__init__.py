"""The map of an import: which column goes into which field, and the commands and records that follow.

Imports, undo and the ledger use it; the command line and MCP use its checks of maps. Of the jobs it imports
only ``sources/``.
"""
