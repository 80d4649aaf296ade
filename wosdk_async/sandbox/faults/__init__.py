"""Fault injection, controlled by a script of rules."""
