"""Output: tables, JSON lines, CSV, progress, import report."""
