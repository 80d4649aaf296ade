"""Input files, one module for each format; ``formats.py`` finds the format of a file.

``conversion.py`` runs native readers in a separate process. The other packages of the jobs use it.
"""
