"""I/O-free protocol layer: turns verbs into Calls, and responses into results or errors."""
