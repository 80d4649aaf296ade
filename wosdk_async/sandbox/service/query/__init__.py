"""Queries as SQL, and the properties that a read returns."""
