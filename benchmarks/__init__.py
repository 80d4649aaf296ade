"""Measurements of the package. Most modules are commands, such as ``python -m benchmarks.startup``."""
