"""Faults on command: a script of rules decides what goes wrong."""
