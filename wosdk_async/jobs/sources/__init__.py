"""Files that rows come from, one module for each format; ``formats.py`` finds the one of a file.

The other packages of the jobs import it. Native readers run in a process of their own: ``conversion.py``.
"""
