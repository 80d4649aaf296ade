"""Conditions, fields, names and values of the command line."""
