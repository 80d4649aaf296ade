"""Parsers for conditions, fields, names and values from the command line."""
