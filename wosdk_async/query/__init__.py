"""Queries, built as Python expressions and paged past the row cap (facts 4)."""
