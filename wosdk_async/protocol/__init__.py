"""Requests and responses without I/O: verbs become Calls, responses become results or errors."""
