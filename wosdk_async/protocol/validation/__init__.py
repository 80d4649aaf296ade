"""Mistakes in arguments, records and commands, told before anything is sent."""
