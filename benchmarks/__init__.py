"""Measurements of the package; most modules are commands, as ``python -m benchmarks.startup``."""
