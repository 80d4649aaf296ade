"""The map of an import: which column goes into which field, and the commands and records that follow.

Imports, undo and the ledger import it, and the command line and MCP for what a map may name. It imports
``sources/``, and nothing else of the jobs.
"""
