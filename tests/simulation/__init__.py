"""Client, imports and workers on virtual time: whole runs in one process, with faults from a seed.

Commands: ``python -m tests.simulation.client``, ``.killed_imports``, ``.limiter``, ``.walks``, ``.workers``.
"""
