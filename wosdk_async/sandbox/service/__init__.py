"""Service behaviour: base calls, queries, commands and rules.

This package is independent of HTTP. Its functions raise `Refusal` where the service refuses a request.
"""
