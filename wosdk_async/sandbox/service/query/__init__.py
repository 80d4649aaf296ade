"""Queries: criteria as SQL, and the properties that a read shows.

The rest of ``service/`` imports it, and ``http/`` and the console for what they list.
"""
