"""Queries: criteria as SQL, and the properties that a read shows."""
