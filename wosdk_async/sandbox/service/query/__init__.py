"""Queries: criteria as SQL, and what a row shows."""
