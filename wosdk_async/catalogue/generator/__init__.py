"""Classes, names and texts of the generated modules, for ``generate.py``."""
