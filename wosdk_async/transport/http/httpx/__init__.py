"""Adapters for httpx and httpx2; annotations name httpx for both.

Only ``selection.py`` imports this package.
"""
