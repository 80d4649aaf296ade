"""Input files, with one module per format. ``formats.py`` detects a file's format.

``conversion.py`` runs native readers in a separate process.
"""
