"""Commands: a function for each, in the module of its subject; ``registry.py`` has the table of all."""
