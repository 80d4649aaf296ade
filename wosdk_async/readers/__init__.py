"""Readers that use native code, each in its own process.

A hostile file can crash or hang a reader, or exhaust memory. ``program.py`` sets limits and writes the rows
as JSON lines; ``jobs/sources/conversion.py`` starts it, and ``converted.py`` reads these lines. The package
imports only from the lowest layer of the client, so that the reader processes start quickly.
"""
