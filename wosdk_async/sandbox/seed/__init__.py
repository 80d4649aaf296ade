"""Rows that a Company starts with, and rows of your own."""
