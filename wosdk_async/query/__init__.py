"""Queries, built as Python expressions and paged past the row cap (facts 4).

A Company, its resources and calls, jobs, MCP and the command line import it; the transport does not. It sends
nothing itself: ``paging.py`` gets a function that fetches a page.
"""
