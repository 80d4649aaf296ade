"""Behaviour of the service: base calls, queries, commands and rules."""
