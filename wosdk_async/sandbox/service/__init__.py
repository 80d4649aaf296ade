"""Behaviour of the service: base calls, queries, commands and rules.

It knows no HTTP. Its functions raise `Refusal` where the service refuses.
"""
