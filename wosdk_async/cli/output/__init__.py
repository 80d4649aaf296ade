"""Write results: tables, JSON lines, CSV, progress, and the report of an import."""
