"""Readers that use native code, each in its own process.

A hostile file can crash or hang a reader, or exhaust memory. ``program.py`` sets limits and writes the rows
as JSON lines; ``jobs/sources/converted.py`` starts it and reads these lines. The package
imports only from the lowest layer of the client, so that the reader processes start quickly.
"""
