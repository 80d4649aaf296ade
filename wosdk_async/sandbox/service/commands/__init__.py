"""Commands: a function for each, in the module of its subject; ``registry.py`` has the table of all.

``http/``, faults and the console import ``registry.py``, and the console the moves of ``workflow.py``, too.
"""
