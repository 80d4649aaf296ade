"""Input files, with one module per format. ``formats.py`` detects a file's format.

``converted.py`` runs native readers in a separate process.
"""
