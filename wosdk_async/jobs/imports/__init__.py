"""Imports, from the file to the last outcome; the command line and programs use ``importer.py``."""
