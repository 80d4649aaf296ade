"""Adapters of httpx."""
