"""Queries, built as Python expressions and paged past the row cap (facts 4).

Nothing here sends a request: ``paging.py`` receives a function that fetches a page.
"""
