"""Programs that read files with native code, each in its own process.

A hostile file can crash or hang a reader, or exhaust the memory. ``program.py`` sets limits and writes the
rows as lines of JSON; ``jobs/sources/conversion.py`` starts it, and ``converted.py`` reads these lines. The
package imports only from the lowest layer of the client, so that the reader processes start quickly.
"""
