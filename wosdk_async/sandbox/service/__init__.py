"""Behaviour of the service: base calls, queries, commands and rules.

``http/`` calls it for each request, and the console, faults and seed import parts of it. It imports
``storage/`` and ``schema/``, and knows no HTTP. Its functions raise `Refusal` where the service refuses.
"""
