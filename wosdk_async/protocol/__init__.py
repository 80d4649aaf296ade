"""Requests and responses without input and output: verbs become Calls, responses become results or errors."""
